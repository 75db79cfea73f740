// SPDX-License-Identifier: GPL-2.0
#include "recorder/slices.h"

#include <stdlib.h>

#include "lib/array.h"
#include "recorder/window.h"

static struct slices_ring *slices_ring_of(struct slices *s, uint32_t cpu)
{
	size_t slot = cpu == UINT32_MAX ? 0 : cpu + 1ULL;

	while (s->rings.nr <= slot)
		if (!array_push(&s->rings, ((struct slices_ring){ .first = UINT64_MAX })))
			return NULL;
	return &s->rings.items[slot];
}

struct error *slices_count(struct slices *s, const struct event *event, uint32_t cpu)
{
	struct slices_ring *ring = slices_ring_of(s, cpu);

	if (ring && !ring->kept)
		ring->kept = calloc(s->events->nr + 1, sizeof(*ring->kept));
	if (!ring || !ring->kept)
		return &error_no_memory;
	ring->kept[event->index]++;
	return NULL;
}

bool slices_have(const struct slices *s, uint64_t time)
{
	size_t before = array_count_until(&s->list, begin, time);

	return time >= s->from && time < s->until && before &&
	       time <= s->list.items[before - 1].end;
}

bool slices_any(const struct slices *s)
{
	return array_any(&s->list, it, it->end >= s->from && it->begin < s->until);
}

static struct error *slices_take(struct slices *s, const struct perf_event_header *header,
				 uint32_t cpu)
{
	const struct event *event = event_list_find_record(s->events, header);
	uint64_t time = event ? event_record_time(event, header) : 0;
	const struct record_span one = { header, header->size, cpu };
	struct slices_ring *ring = slices_ring_of(s, cpu);
	struct error *err = NULL;

	if (!ring)
		return &error_no_memory;
	/* Each snapshot would repeat a record without a time. */
	if (!time || !window_is_instant(header->type))
		return NULL;
	if (header->type == PERF_RECORD_SAMPLE && time < ring->first)
		ring->first = time;
	if (!slices_have(s, time))
		return NULL;
	if (header->type == PERF_RECORD_SAMPLE)
		err = slices_count(s, event, cpu);
	return err ? err : record_sink_write(s->to, &one);
}

static struct error *slices_write(struct record_sink *sink, const struct record_span *span)
{
	struct slices *s = container_of(sink, struct slices, sink);
	const char *p = span->data, *end = p + span->size;
	struct error *err = NULL;

	for (; !err && p < end; p += ((const struct perf_event_header *)p)->size)
		err = slices_take(s, (const void *)p, span->cpu);
	return err;
}

static const struct record_sink_ops slices_ops = { .write = slices_write };

void slices_init(struct slices *s, const struct event_list *events, struct record_sink *to)
{
	*s = (struct slices){ .sink.ops = &slices_ops, .events = events, .to = to };
}

void slices_deinit(struct slices *s)
{
	array_free_each(&s->rings, .kept);
	free(s->written.items);
	free(s->list.items);
}

void slices_clear(struct slices *s)
{
	s->list.nr = 0;
}

struct error *slices_add(struct slices *s, uint64_t begin, uint64_t end)
{
	struct slice slice = { begin, end };

	return array_push(&s->list, slice) ? NULL : &error_no_memory;
}

DEFINE_COMPARISON(slices_compare, struct slice, array_order(x->begin, y->begin))

void slices_join(struct slices *s)
{
	size_t nr = 0;

	array_sort(&s->list, slices_compare);
	for (size_t i = 0; i < s->list.nr; i++) {
		const struct slice *slice = &s->list.items[i];

		if (!nr || slice->begin > s->list.items[nr - 1].end)
			s->list.items[nr++] = *slice;
		else if (slice->end > s->list.items[nr - 1].end)
			s->list.items[nr - 1].end = slice->end;
	}
	s->list.nr = nr;
}

void slices_begin(struct slices *s)
{
	for (size_t i = 0; i < s->rings.nr; i++)
		s->rings.items[i].first = UINT64_MAX;
}

/* Whether a part of a slice in the period is older than @time. */
static bool slices_reach_before(const struct slices *s, uint64_t time)
{
	return s->from < time && array_any(&s->list, it, it->end >= s->from && it->begin < time &&
							 it->begin < s->until);
}

struct error *slices_end(struct slices *s, const struct capture_ring *rings, size_t nr)
{
	for (size_t i = 0; i < nr; i++) {
		struct slices_ring *ring = slices_ring_of(s, rings[i].cpu);

		if (!ring)
			return &error_no_memory;
		if (!rings[i].size || rings[i].written <= rings[i].size ||
		    ring->first == UINT64_MAX)
			continue;
		if (ring->first > s->whole_since)
			s->whole_since = ring->first;
		ring->lacks |= slices_reach_before(s, ring->first);
	}
	return NULL;
}

double slices_filled(struct slices *s, const struct capture_ring *rings, size_t nr, bool note)
{
	double most = 0;

	for (size_t i = 0; i < nr; i++) {
		double part;

		if (s->written.nr <= i && !array_push(&s->written, 0))
			return most;
		if (!rings[i].size)
			continue;
		part = (double)(rings[i].written - s->written.items[i]) / rings[i].size;
		most = part > most ? part : most;
		if (note)
			s->written.items[i] = rings[i].written;
	}
	return most;
}

static void slices_settle_row(const struct slices *s, struct ledger_row *row)
{
	size_t slot = row->cpu == UINT32_MAX ? 0 : row->cpu + 1ULL;
	const struct slices_ring *ring = slot < s->rings.nr ? &s->rings.items[slot] : NULL;
	uint64_t kept = ring && ring->kept ? ring->kept[row->event] : 0;
	uint64_t *overwritten = &row->lost[LEDGER_LOST_OVERWRITTEN];
	bool lacks = ring && ring->lacks && !s->events->items[row->event]->judged;

	if (lacks || *overwritten == LEDGER_NOT_KNOWN)
		row->filtered = LEDGER_NOT_KNOWN;
	else if (row->filtered != LEDGER_NOT_KNOWN)
		row->filtered += row->recorded + *overwritten - kept;
	/* Those outside of the slices are not lost. */
	*overwritten = lacks ? LEDGER_NOT_KNOWN : 0;
	row->recorded = kept;
}

void slices_settle(const struct slices *s, struct ledger *ledger)
{
	for (size_t i = 0; i < ledger->nr; i++)
		if (ledger->items[i].event < s->events->nr &&
		    !event_is_dummy(s->events->items[ledger->items[i].event]))
			slices_settle_row(s, &ledger->items[i]);
}

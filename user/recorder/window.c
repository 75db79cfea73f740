// SPDX-License-Identifier: GPL-2.0
#include "recorder/window.h"

#include <stdlib.h>

#include "lib/array.h"

/* The most rings to name that hold less. */
#define RINGS_NAMED 4

static struct window_ring *window_ring_of(struct window *w, uint32_t cpu)
{
	size_t slot = cpu == UINT32_MAX ? 0 : cpu + 1ULL;

	return array_at(&w->rings, slot, .first = UINT64_MAX);
}

static struct error *window_leave_out(struct window *w, struct window_ring *ring,
				      const struct event *event)
{
	if (!ring->older)
		ring->older = calloc(w->events->nr + 1, sizeof(*ring->older));
	if (!ring->older)
		return &error_no_memory;
	ring->older[event->index]++;
	ring->nr_older++;
	return NULL;
}

bool window_is_instant(uint32_t type)
{
	switch (type) {
	case PERF_RECORD_SAMPLE:
	case PERF_RECORD_LOST:
	case PERF_RECORD_LOST_SAMPLES:
	case PERF_RECORD_THROTTLE:
	case PERF_RECORD_UNTHROTTLE:
	case PERF_RECORD_SWITCH:
	case PERF_RECORD_SWITCH_CPU_WIDE:
	case RECORD_CALLCHAIN_DEFERRED:
		return true;
	}
	return false;
}

static struct error *window_keeps(struct window *w, struct window_ring *ring,
				const struct perf_event_header *header, bool *ret)
{
	const struct event *event;
	uint64_t time;

	*ret = true;
	if (!window_is_instant(header->type))
		return NULL;
	event = event_list_find_record(w->events, header);
	time = event ? event_record_time(event, header) : 0;
	if (!time)
		return NULL;
	*ret = time >= w->begin;
	if (header->type != PERF_RECORD_SAMPLE)
		return NULL;
	if (time < ring->first)
		ring->first = time;
	return *ret ? NULL : window_leave_out(w, ring, event);
}

static struct error *window_pass(struct window *w, const char *from, const char *to, uint32_t cpu)
{
	return to > from ? record_sink_write(w->to, &(struct record_span){ from, to - from, cpu }) :
			   NULL;
}

static struct error *window_write(struct record_sink *sink, const struct record_span *span)
{
	struct window *w = container_of(sink, struct window, sink);
	struct window_ring *ring = window_ring_of(w, span->cpu);
	const char *p = span->data, *from = p, *end = p + span->size;
	struct error *err = ring ? NULL : &error_no_memory;

	while (!err && p < end) {
		const struct perf_event_header *header = (const void *)p;
		bool keeps;

		err = window_keeps(w, ring, header, &keeps);
		if (!err && !keeps) {
			err = window_pass(w, from, p, span->cpu);
			from = p + header->size;
		}
		p += header->size;
	}
	return err ? err : window_pass(w, from, end, span->cpu);
}

static struct error *window_round(struct record_sink *sink, uint64_t mark)
{
	return record_sink_round(container_of(sink, struct window, sink)->to, mark);
}

static const struct record_sink_ops window_ops = { .write = window_write, .round = window_round };

void window_open(struct window *ret, const struct event_list *events, struct record_sink *to,
		 uint64_t began, uint64_t asked, uint64_t end)
{
	*ret = (struct window){
		.sink.ops = &window_ops, .to = to, .events = events, .began = began,
		.asked = asked, .end = end, .begin = end > asked ? end - asked : 0,
	};
}

void window_deinit(struct window *window)
{
	array_free_each(&window->rings, .older);
}

/* The part of the window in a ring.  A ring that has older samples, too, has all of it. */
static uint64_t window_held(const struct window *w, const struct window_ring *ring)
{
	uint64_t begin = w->begin > w->began ? w->begin : w->began;

	if (ring->overwritten && !ring->nr_older && ring->first > begin)
		begin = ring->first;
	return w->end > begin ? w->end - begin : 0;
}

static void window_close_row(struct window *w, struct ledger_row *row)
{
	struct window_ring *ring = window_ring_of(w, row->cpu);
	uint64_t *lost = &row->lost[LEDGER_LOST_OVERWRITTEN];

	if (!ring || row->event == UINT32_MAX)
		return;
	if (ring->older && row->event < w->events->nr)
		row->recorded -= ring->older[row->event] < row->recorded ? ring->older[row->event] :
									  row->recorded;
	if (*lost == LEDGER_NOT_KNOWN)
		return;
	w->overwritten += *lost;
	ring->counted |= *lost > 0;
	/* All of them came before the window. */
	if (ring->nr_older)
		*lost = 0;
}

struct error *window_close(struct window *w, const struct capture_ring *rings, size_t nr,
			   struct ledger *ledger)
{
	w->overwritten_known = true;
	for (size_t i = 0; i < nr; i++) {
		struct window_ring *ring;

		if (!rings[i].size)
			continue;
		ring = window_ring_of(w, rings[i].cpu);
		if (!ring)
			return &error_no_memory;
		ring->overwritten |= rings[i].written > rings[i].size;
		if (rings[i].size > w->ring_size)
			w->ring_size = rings[i].size;
	}
	w->held = w->asked;
	for (size_t i = 0; i < w->rings.nr; i++) {
		struct window_ring *ring = &w->rings.items[i];

		ring->held = window_held(w, ring);
		w->older += ring->nr_older;
		if (ring->held < w->held && (ring->overwritten || ring->first != UINT64_MAX))
			w->held = ring->held;
		w->too_small |= ring->overwritten && !ring->nr_older;
	}
	for (size_t i = 0; i < ledger->nr; i++)
		window_close_row(w, &ledger->items[i]);
	for (size_t i = 0; i < w->rings.nr; i++)
		w->overwritten_known &= !w->rings.items[i].overwritten ||
					w->rings.items[i].counted;
	return NULL;
}

void window_add_short_rings(const struct window *window, struct strbuf *ret)
{
	uint64_t least = 0;
	size_t named = 0;

	for (; named < RINGS_NAMED; named++) {
		const struct window_ring *next = NULL;

		for (size_t i = 0; i < window->rings.nr; i++) {
			const struct window_ring *ring = &window->rings.items[i];

			if (!ring->overwritten || ring->nr_older || ring->held < least ||
			    (named && ring->held == least))
				continue;
			if (!next || ring->held < next->held)
				next = ring;
		}
		if (!next)
			return;
		least = next->held;
		if (next == window->rings.items)
			strbuf_addf(ret, "%sa task %s%.1f s", named ? ", " : "", named ? "" : "holds ",
				    next->held / 1e9);
		else
			strbuf_addf(ret, "%sCPU %zu %s%.1f s", named ? ", " : "",
				    (size_t)(next - window->rings.items) - 1, named ? "" : "holds ",
				    next->held / 1e9);
	}
}

void window_add_advice(uint64_t size, uint64_t held, uint64_t asked, struct strbuf *ret)
{
	/* A fifth more, because rates change. */
	double wanted = held ? size * 1.2 * asked / held : size * 64.0;
	uint64_t kb = 4;

	while (kb < (1 << 20) && kb * 1024.0 < wanted)
		kb *= 2;
	if (kb >= 1024)
		strbuf_addf(ret, "%lluM", (unsigned long long)kb / 1024);
	else
		strbuf_addf(ret, "%lluK", (unsigned long long)kb);
}

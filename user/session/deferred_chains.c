// SPDX-License-Identifier: GPL-2.0
#include "session/deferred_chains.h"

#include <stdlib.h>
#include <string.h>

#include "lib/array.h"
#include "record/body.h"
#include "record/sample.h"

#define HELD_MAX	(64 << 20)
#define RECORD_MAX	UINT16_MAX

/* Bits of the attr's flags that have no names in headers before Linux 6.19. */
#define FLAG_DEFER_CALLCHAIN	(1ULL << 38)
#define FLAG_DEFER_OUTPUT	(1ULL << 39)

struct held_record {
	struct record record;
	struct perf_event_header *copy;	/* owned; of the record */
	bool waits;
	uint64_t number;
	int32_t tid;
};

struct deferred_chains {
	struct record_source source;
	struct record_source *input;
	struct record first_record;	/* header NULL: it was used, or there was none */
	ARRAY_OF(struct held_record) held;
	size_t first;		/* the records before it were given */
	size_t bytes;
	struct perf_event_header *given;	/* valid until the next call */
	bool ended;
	enum record_status status;	/* returned at the end */
	struct error *err;
};

bool deferred_chains_are_in(const struct event_list *events)
{
	for (size_t i = 0; i < events->nr; i++) {
		uint64_t flags;

		memcpy(&flags, (const char *)&events->items[i]->attr +
		       offsetof(struct perf_event_attr, read_format) + sizeof(uint64_t),
		       sizeof(flags));
		if (flags & (FLAG_DEFER_CALLCHAIN | FLAG_DEFER_OUTPUT))
			return true;
	}
	return false;
}

/*
 * The position of the mark before the number in a sample's chain; without one, the chain's length.
 */
static uint64_t deferred_mark(const struct sample *sample)
{
	for (uint64_t i = 0; i + 1 < sample->nr_callchain; i++)
		if (sample->callchain[i] == SAMPLE_CONTEXT_USER_DEFERRED)
			return i;
	return sample->nr_callchain;
}

static bool deferred_is_awaited(const struct record *record, struct held_record *ret)
{
	struct sample sample;
	uint64_t mark;

	if (record->header->type != PERF_RECORD_SAMPLE || !record->event ||
	    !(record->event->attr.sample_type & PERF_SAMPLE_CALLCHAIN) ||
	    !sample_decode(record->event, record->header, &sample) || !sample.callchain)
		return false;
	mark = deferred_mark(&sample);
	if (mark == sample.nr_callchain)
		return false;
	ret->number = sample.callchain[mark + 1];
	ret->tid = sample.tid;
	return true;
}

static struct error *deferred_hold(struct deferred_chains *chains, const struct record *record,
				   struct held_record *held)
{
	size_t size = record->header->size;

	held->record = *record;
	held->copy = malloc((size + 7) & ~7UL);
	if (!held->copy)
		return &error_no_memory;
	memcpy(held->copy, record->header, size);
	held->record.header = held->copy;
	if (!array_push(&chains->held, *held)) {
		free(held->copy);
		return &error_no_memory;
	}
	chains->bytes += size;
	return NULL;
}

/* Replace the mark and the number by the frames, as many as fit into a record. */
static struct error *deferred_join(struct held_record *held, const uint64_t *ips, uint64_t nr)
{
	const uint64_t user = PERF_CONTEXT_USER;
	struct perf_event_header *header = held->copy, *joined;
	bool has_mark = nr && ips[0] >= (uint64_t)PERF_CONTEXT_MAX;
	size_t before, behind, room;
	struct sample sample;
	uint64_t mark, all;
	char *to;

	if (!sample_decode(held->record.event, header, &sample))
		return NULL;
	mark = deferred_mark(&sample);
	before = (const char *)sample.callchain - (const char *)header;
	behind = header->size - before - sample.nr_callchain * sizeof(uint64_t);
	room = (RECORD_MAX - before - behind) / sizeof(uint64_t) - mark - 1;
	if (nr > room)
		nr = room;
	all = mark + nr + !has_mark;
	joined = malloc(before + all * sizeof(uint64_t) + behind + 8);
	if (!joined)
		return &error_no_memory;
	memcpy(joined, header, before + mark * sizeof(uint64_t));
	memcpy((char *)joined + before - sizeof(all), &all, sizeof(all));
	to = (char *)joined + before + mark * sizeof(uint64_t);
	if (!has_mark)
		to = mempcpy(to, &user, sizeof(user));
	to = mempcpy(to, ips, nr * sizeof(*ips));
	memcpy(to, (const char *)header + header->size - behind, behind);
	joined->size = before + all * sizeof(uint64_t) + behind;
	free(header);
	held->copy = joined;
	held->record.header = joined;
	held->waits = false;
	return NULL;
}

static struct error *deferred_take_frames(struct deferred_chains *chains,
					  const struct record *record)
{
	const struct body_callchain_deferred *body =
		body_of(record->header, struct body_callchain_deferred);
	struct sample sample = { .tid = -1 };
	struct error *err = NULL;
	uint64_t nr;

	if (record->header->type != RECORD_CALLCHAIN_DEFERRED || !body || !record->event)
		return NULL;
	sample_id_decode(record->event, record->header, &sample);
	nr = body_items(record->header, body->ips, body->nr, sizeof(body->ips[0]));
	for (size_t i = chains->first; i < chains->held.nr && !err; i++) {
		struct held_record *held = &chains->held.items[i];

		if (held->waits && held->number == body->number && held->tid == sample.tid)
			err = deferred_join(held, body->ips, nr);
	}
	return err;
}

static enum record_status deferred_read(struct deferred_chains *chains, struct record *ret,
					struct error **err)
{
	if (!chains->first_record.header)
		return record_source_next(chains->input, ret, err);
	*ret = chains->first_record;
	chains->first_record.header = NULL;
	return RECORD_OK;
}

static enum record_status deferred_give(struct deferred_chains *chains, struct record *ret)
{
	struct held_record *held = &chains->held.items[chains->first++];

	*ret = held->record;
	chains->given = held->copy;
	chains->bytes -= held->copy->size < chains->bytes ? held->copy->size : chains->bytes;
	if (chains->first == chains->held.nr) {
		chains->first = chains->held.nr = 0;
		chains->bytes = 0;
	}
	return RECORD_OK;
}

static enum record_status deferred_next(struct record_source *source, struct record *ret,
					struct error **err)
{
	struct deferred_chains *chains = container_of(source, struct deferred_chains, source);

	free(take_ptr(chains->given));
	for (;;) {
		struct held_record held = { .waits = false };
		bool any = chains->first < chains->held.nr;
		enum record_status status;
		struct record record;

		if (any && (chains->ended || chains->bytes > HELD_MAX ||
			    !chains->held.items[chains->first].waits))
			return deferred_give(chains, ret);
		if (chains->ended) {
			*err = take_ptr(chains->err);
			return chains->status;
		}
		status = deferred_read(chains, &record, err);
		/* Samples in bulk are of events without chains. */
		if (status == RECORD_LATER || status == RECORD_SPAN)
			return status;
		if (status != RECORD_OK) {
			chains->ended = true;
			chains->status = status;
			chains->err = status == RECORD_FAILED ? *err : NULL;
			continue;
		}
		held.waits = deferred_is_awaited(&record, &held);
		if (!any && !held.waits) {
			*ret = record;
			return RECORD_OK;
		}
		*err = deferred_take_frames(chains, &record);
		if (!*err)
			*err = deferred_hold(chains, &record, &held);
		if (*err)
			return RECORD_FAILED;
	}
}

struct error *deferred_chains_create(struct record_source *input, const struct record *first,
				     struct deferred_chains **ret)
{
	static const struct record_source_ops ops = { .next = deferred_next };
	struct deferred_chains *chains = calloc(1, sizeof(*chains));

	if (!chains)
		return &error_no_memory;
	chains->source.ops = &ops;
	chains->input = input;
	if (first)
		chains->first_record = *first;
	*ret = chains;
	return NULL;
}

void deferred_chains_destroy(struct deferred_chains *chains)
{
	if (!chains)
		return;
	for (size_t i = chains->first; i < chains->held.nr; i++)
		free(chains->held.items[i].copy);
	free(chains->held.items);
	free(chains->given);
	error_free(chains->err);
	free(chains);
}

struct record_source *deferred_chains_source(struct deferred_chains *chains)
{
	return &chains->source;
}

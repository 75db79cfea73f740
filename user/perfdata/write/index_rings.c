// SPDX-License-Identifier: GPL-2.0
#include "perfdata/write/index.h"

#include <stdlib.h>

#include "lib/array.h"
#include "record/device_lost.h"
#include "record/header.h"
#include "record/sample.h"

/* So many bits has an entry for CPUs and for events; larger numbers share them. */
#define RING_BITS	64

enum { RINGS_OF_PERF, RINGS_OF_DEVICE, RING_SOURCES };

/* The entries that were last gone through backwards: from @end - 1 to @begin. */
struct ring_walk {
	size_t begin, end;
};

struct ring_search {
	const struct index *index;
	const struct event_list *events;
	uint64_t own[RING_SOURCES];	/* bits of the source's events */
	bool shares_bits;		/* several CPUs may have the same bit */
	struct ring_walk walks[RING_SOURCES][RING_BITS];
	bool *wanted;
};

static bool ring_may_be_in(const struct ring_search *s, const struct perfdata_index_entry *entry,
			   size_t source, size_t bit)
{
	return entry->cpus >> bit & 1 && entry->events & s->own[source];
}

/* Whether the entry surely has a sample of the ring; its CPUs may be unknown. */
static bool ring_is_in(const struct ring_search *s, const struct perfdata_index_entry *entry,
		       size_t source, size_t bit)
{
	return ring_may_be_in(s, entry, source, bit) && !s->shares_bits &&
	       entry->cpus != UINT64_MAX &&
	       !(entry->events & ~s->own[source]) &&
	       !(entry->events & s->own[!source]);
}

/* Mark the last entry before @end that has a sample of the ring, and later ones that may have. */
static void ring_walk_back(struct ring_search *s, size_t source, size_t bit, size_t end)
{
	struct ring_walk *walk = &s->walks[source][bit];
	size_t at = end;

	while (at--) {
		const struct perfdata_index_entry *entry = &s->index->entries.items[at];

		/* Who has been here has found the one in front of it, too. */
		if (at >= walk->begin && at < walk->end) {
			at = walk->begin;
			break;
		}
		if (ring_may_be_in(s, entry, source, bit))
			s->wanted[at] = true;
		if (ring_is_in(s, entry, source, bit))
			break;
	}
	*walk = (struct ring_walk){ at == SIZE_MAX ? 0 : at, end };
}

/* A record in an extent may come before the samples of its ring there. */
static void ring_take_loss(struct ring_search *s, size_t source, size_t bit, uint64_t offset)
{
	/* The entries that begin before the record; a header is in front of all. */
	size_t nr = array_count_until(&s->index->entries, offset, offset - 1);
	const struct perfdata_index_entry *last = nr ? &s->index->entries.items[nr - 1] : NULL;

	if (last && offset < last->offset + last->size) {
		nr--;
		if (ring_may_be_in(s, last, source, bit))
			s->wanted[nr] = true;
	}
	ring_walk_back(s, source, bit, nr);
}

static void ring_take_state(struct ring_search *s, const struct perfdata_index_state *row,
			    const struct perf_event_header *header)
{
	const struct event *event = event_list_find_record(s->events, header);
	const struct body_device_lost *device = device_lost_body(event, header);
	size_t source = event && event->source ? RINGS_OF_DEVICE : RINGS_OF_PERF;
	struct sample id = { .cpu = -1 };

	if (header->type == PERF_RECORD_LOST_SAMPLES) {
		for (size_t bit = 0; bit < RING_BITS; bit++)
			ring_walk_back(s, RINGS_OF_PERF, bit, s->index->entries.nr);
		return;
	}
	if (device && device->first)
		return;
	if (event)
		sample_id_decode(event, header, &id);
	for (size_t bit = 0; bit < RING_BITS; bit++)
		if (id.cpu < 0 || (size_t)id.cpu % RING_BITS == bit)
			ring_take_loss(s, source, bit, row->offset);
}

struct error *index_find_rings(const struct index *index, const struct event_list *events,
			       const struct header *header, bool **ret)
{
	struct ring_search s = {
		.index = index, .events = events,
		.shares_bits = !header->nr_cpus_available || header->nr_cpus_available > RING_BITS,
	};
	const struct perf_event_header *state;
	struct perfdata_index_state row;
	size_t at = 0;

	for (size_t i = 0; i < events->nr; i++)
		s.own[events->items[i]->source ? RINGS_OF_DEVICE : RINGS_OF_PERF] |=
			1ULL << events->items[i]->index % RING_BITS;
	*ret = NULL;
	while (index_next_state(index, &at, &row, &state)) {
		if (state->type != PERF_RECORD_LOST && state->type != PERF_RECORD_LOST_SAMPLES)
			continue;
		if (!s.wanted)
			s.wanted = calloc(index->entries.nr, sizeof(*s.wanted));
		if (!s.wanted)
			return &error_no_memory;
		ring_take_state(&s, &row, state);
	}
	*ret = s.wanted;
	return NULL;
}

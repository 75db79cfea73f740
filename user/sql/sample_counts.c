// SPDX-License-Identifier: GPL-2.0
#include "sql/sample_counts.h"

#include <stdlib.h>
#include <string.h>

#include "lib/cleanup.h"
#include "perfdata/join/joined.h"
#include "record/event.h"
#include "sql/interruption.h"

#define BLOCK	512	/* records that are taken from the reader at once */
#define SEEN	64	/* ids whose counts are kept by themselves, a power of two */
#define AHEAD	8	/* records whose bytes are asked for before their turn */

/* Rings have few ids, so most samples only add one here. */
struct seen_id {
	uint64_t id;		/* 0: none */
	size_t event;
};

struct counting {
	const struct event_list *list;
	size_t nr;		/* of @counts; the list may grow while a file is read */
	struct seen_id seen[SEEN];
	uint64_t *counts;	/* by the index of the event */
	int id_at;		/* of the id in a sample; -1: there may be none */
};

static struct error *count_by_id(struct counting *c, const struct perf_event_header *header)
{
	const struct event *event;
	struct seen_id *seen;
	struct error *err;
	uint64_t id = 0;

	if (c->id_at >= 0 && c->id_at + sizeof(id) <= header->size)
		memcpy(&id, (const char *)header + c->id_at, sizeof(id));
	seen = &c->seen[id % SEEN];
	if (!id || seen->id != id) {
		event = event_list_find_record(c->list, header);
		err = event ? event_check_known(event, c->nr) : NULL;
		if (!event || err)
			return err;
		if (!id) {
			c->counts[event->index]++;
			return NULL;
		}
		*seen = (struct seen_id){ id, event->index };
	}
	c->counts[seen->event]++;
	return NULL;
}

/* Add the counts of each of several recordings. */
static struct error *add_joined_counts(struct reader *reader, uint64_t *counts)
{
	const struct joined *joined = reader_joined(reader);

	for (size_t i = 0; i < joined_count(joined); i++) {
		struct reader *part = joined_reader(joined, i);
		_cleanup_free_ uint64_t *own = NULL;
		size_t nr = reader_events(part)->nr;
		struct error *err = sample_counts_read(part, &own);

		if (err)
			return err;
		for (size_t k = 0; k < nr; k++)
			counts[joined_event(joined, i, k)->index] += own[k];
	}
	return NULL;
}

struct error *sample_counts_read(struct reader *reader, uint64_t **ret)
{
	const struct perf_event_header *block[BLOCK];
	const struct event_list *list = reader_events(reader);
	struct counting c = { .list = list, .nr = list->nr, .id_at = -1 };
	_cleanup_free_ uint64_t *counts = calloc(c.nr + 1, sizeof(*counts));
	struct error *err = NULL;
	size_t nr;

	if (!counts)
		return &error_no_memory;
	if (reader_joined(reader)) {
		err = add_joined_counts(reader, counts);
		if (!err)
			*ret = take_ptr(counts);
		return err;
	}
	c.counts = counts;
	if (list->nr > 1 && list->one_layout && list->items[0]->id_offset > 0)
		c.id_at = list->items[0]->id_offset;
	while (!err && reader_next_records(reader, block, BLOCK, &nr, &err) == RECORD_OK) {
		err = sql_interruption();
		for (size_t i = 0; i < nr && !err; i++) {
			if (i + AHEAD < nr)
				__builtin_prefetch(block[i + AHEAD]);
			if (block[i]->type == PERF_RECORD_SAMPLE)
				err = count_by_id(&c, block[i]);
		}
	}
	if (!err)
		*ret = take_ptr(counts);
	return err;
}

// SPDX-License-Identifier: GPL-2.0
#include "states/summary.h"

#include <stdlib.h>
#include <string.h>

#include "lib/array.h"
#include "lib/hash.h"

/* One event in one task, counted in a span; the low bits of its id choose the slot. */
struct span_row {
	uint64_t id, task, samples;
	const struct event *event;
	uint32_t which;		/* index + 1 of its count; 0: the row is empty */
};

#define SPAN_ROWS	64

struct summary {
	struct session_consumer consumer;
	ARRAY_OF(struct summary_count) counts;
	uint32_t *table;	/* open addressing: index into counts + 1; 0: free */
	size_t mask;
	ARRAY_OF(uint32_t) last;	/* by event->index: index of the last used count + 1 */
	uint64_t samples, first_time, last_time;
};

static size_t hash_count(const struct event *event, int32_t pid, int32_t tid)
{
	uint64_t key = (uint64_t)(uint32_t)pid << 32 | (uint32_t)tid;

	return hash_key_join(hash_key_number(key), event->index);
}

static bool is_same_count(const struct summary_count *count, const struct summary_count *key)
{
	return count->event == key->event && count->tid == key->tid && count->pid == key->pid &&
		count->comm == key->comm;
}

static bool grow_count_table(struct summary *summary)
{
	size_t size = summary->table ? (summary->mask + 1) * 2 : 1024;
	uint32_t *table = calloc(size, sizeof(*table));

	if (!table)
		return false;
	free(summary->table);
	summary->table = table;
	summary->mask = size - 1;
	for (size_t i = 0; i < summary->counts.nr; i++) {
		const struct summary_count *count = &summary->counts.items[i];
		size_t at = hash_count(count->event, count->pid, count->tid) & summary->mask;

		while (table[at])
			at = (at + 1) & summary->mask;
		table[at] = i + 1;
	}
	return true;
}

/* The index + 1 of the count for @key; 0: out of memory. */
static uint32_t find_or_add_count(struct summary *summary, const struct summary_count *key)
{
	struct summary_count count = *key;
	size_t at;

	if (summary->counts.nr * 2 >= summary->mask && !grow_count_table(summary))
		return 0;
	at = hash_count(key->event, key->pid, key->tid) & summary->mask;
	for (; summary->table[at]; at = (at + 1) & summary->mask)
		if (is_same_count(&summary->counts.items[summary->table[at] - 1], key))
			return summary->table[at];
	strncpy(count.text, key->comm, SUMMARY_COMM_BYTES - 1);
	if (summary->counts.nr >= UINT32_MAX - 1 || !array_push(&summary->counts, count))
		return 0;
	return summary->table[at] = summary->counts.nr;
}

static bool grow_last_counts(struct summary *summary, size_t index)
{
	return array_at(&summary->last, index, 0);
}

static void take_sample_time(struct summary *summary, uint64_t time)
{
	if (!summary->first_time || time < summary->first_time)
		summary->first_time = time;
	if (time > summary->last_time)
		summary->last_time = time;
}

static struct error *count_sample(struct session_consumer *consumer, const struct session_record *r)
{
	struct summary *summary = container_of(consumer, struct summary, consumer);
	struct summary_count key = {
		.event = r->event, .pid = r->pid, .tid = r->tid, .comm = r->comm,
	};
	size_t index = r->event->index;
	uint32_t which;

	if (index >= summary->last.nr && !grow_last_counts(summary, index))
		return &error_no_memory;
	which = summary->last.items[index];
	if (!which || !is_same_count(&summary->counts.items[which - 1], &key)) {
		which = find_or_add_count(summary, &key);
		if (!which)
			return &error_no_memory;
		summary->last.items[index] = which;
	}
	summary->counts.items[which - 1].samples++;
	summary->samples++;
	take_sample_time(summary, r->sample.time);
	return NULL;
}

static uint64_t load_u64(const struct perf_event_header *header, int at)
{
	uint64_t value;

	memcpy(&value, (const char *)header + at, sizeof(value));
	return value;
}

static void empty_span_row(struct summary *summary, struct span_row *row)
{
	if (row->which)
		summary->counts.items[row->which - 1].samples += row->samples;
	summary->samples += row->samples;
	*row = (struct span_row){ 0 };
}

static struct error *begin_span_row(struct summary *summary, const struct session_span *span,
				    const struct perf_event_header *header, uint64_t id,
				    struct span_row *row)
{
	const struct event *event = event_list_find_record(span->events, header);
	struct summary_count key = { .event = event };

	empty_span_row(summary, row);
	row->id = id;
	row->event = event;
	row->task = load_u64(header, event->tid_offset);
	memcpy(&key.pid, (const char *)header + event->tid_offset, 4);
	memcpy(&key.tid, (const char *)header + event->tid_offset + 4, 4);
	key.comm = processes_comm(span->processes, key.pid, key.tid);
	row->which = find_or_add_count(summary, &key);
	return row->which ? NULL : &error_no_memory;
}

/*
 * Comms do not change within a span, so consecutive samples of a task and an event are added at
 * once.
 */
static struct error *count_span(struct session_consumer *consumer, const struct session_span *span)
{
	struct summary *summary = container_of(consumer, struct summary, consumer);
	const char *at = span->samples.data, *end = at + span->samples.size;
	int id_at = span->events->items[0]->id_offset;
	struct span_row rows[SPAN_ROWS] = { 0 };
	struct error *err = NULL;

	while (at < end && !err) {
		const struct perf_event_header *header = (const void *)at;
		struct span_row *row;
		uint64_t id;

		at += header->size;
		if (header->type != PERF_RECORD_SAMPLE)
			continue;
		id = id_at < 0 ? 0 : load_u64(header, id_at);
		row = &rows[id % SPAN_ROWS];
		if (!row->which || row->id != id ||
		    row->task != load_u64(header, row->event->tid_offset))
			err = begin_span_row(summary, span, header, id, row);
		row->samples++;
		take_sample_time(summary, load_u64(header, row->event->time_offset));
	}
	for (size_t i = 0; i < SPAN_ROWS; i++)
		empty_span_row(summary, &rows[i]);
	return err;
}

struct error *summary_create(struct summary **ret)
{
	struct summary *summary = calloc(1, sizeof(*summary));

	if (!summary)
		return &error_no_memory;
	summary->consumer.sample = count_sample;
	summary->consumer.span = count_span;
	*ret = summary;
	return NULL;
}

void summary_destroy(struct summary *summary)
{
	if (!summary)
		return;
	free(summary->counts.items);
	free(summary->table);
	free(summary->last.items);
	free(summary);
}

struct session_consumer *summary_consumer(struct summary *summary)
{
	return &summary->consumer;
}

DEFINE_COMPARISON(compare_counts, struct summary_count, array_descending(x->samples, y->samples) ?:
		  strcmp(x->event->name, y->event->name) ?: array_order(x->pid, y->pid) ?:
		  array_order(x->tid, y->tid) ?: strcmp(x->text, y->text))

DEFINE_COMPARISON(compare_events, struct summary_count,
		  array_order(x->event->index, y->event->index))

/* Add up counts that differ only in the thread; the items are sorted again. */
static size_t join_threads(struct summary_count *items, size_t nr)
{
	size_t kept = 0;

	qsort(items, nr, sizeof(*items), compare_events);
	for (size_t i = 0; i < nr; i++) {
		if (kept && items[kept - 1].event == items[i].event)
			items[kept - 1].samples += items[i].samples;
		else
			items[kept++] = items[i];
	}
	qsort(items, kept, sizeof(*items), compare_counts);
	return kept;
}

static struct summary_count *copy_counts(const struct summary *summary)
{
	size_t nr = summary->counts.nr;
	struct summary_count *items = calloc(nr + 1, sizeof(*items));

	if (items && nr)
		memcpy(items, summary->counts.items, nr * sizeof(*items));
	return items;
}

struct error *summary_tables_make(const struct summary *summary, struct summary_tables *ret)
{
	*ret = (struct summary_tables){
		.samples = summary->samples,
		.first_time = summary->first_time,
		.last_time = summary->last_time,
		.by_event = copy_counts(summary),
		.by_task = copy_counts(summary),
		.nr_tasks = summary->counts.nr,
	};
	if (!ret->by_event || !ret->by_task) {
		summary_tables_deinit(ret);
		return &error_no_memory;
	}
	ret->nr_events = join_threads(ret->by_event, ret->nr_tasks);
	qsort(ret->by_task, ret->nr_tasks, sizeof(*ret->by_task), compare_counts);
	return NULL;
}

void summary_tables_deinit(struct summary_tables *tables)
{
	free(take_ptr(tables->by_event));
	free(take_ptr(tables->by_task));
}

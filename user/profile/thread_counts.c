// SPDX-License-Identifier: GPL-2.0
#include "profile/thread_counts.h"

#include <stdlib.h>

#include "lib/array.h"
#include "lib/hash.h"
#include "record/body.h"

static struct thread_counter *thread_counts_find(const struct thread_counts *counts,
						 uint64_t hash, int32_t pid, int32_t tid)
{
	hash_table_each(&counts->table, hash, n) {
		struct thread_counter *thread = &counts->threads.items[n];

		if (thread->pid == pid && thread->tid == tid)
			return thread;
	}
	return NULL;
}

static struct thread_counter *thread_counts_thread(struct thread_counts *counts, int32_t pid,
						   int32_t tid)
{
	uint64_t hash = hash_key_number((uint64_t)pid << 32 | (uint32_t)tid);
	struct thread_counter *known = thread_counts_find(counts, hash, pid, tid);
	struct thread_counter added = { .pid = pid, .tid = tid };

	if (known)
		return known;
	added.values = calloc(counts->events.nr, sizeof(*added.values));
	if (!added.values || !hash_table_add(&counts->table, hash, counts->threads.nr) ||
	    !array_push(&counts->threads, added)) {
		free(added.values);
		return NULL;
	}
	return &counts->threads.items[counts->threads.nr - 1];
}

/* Find or add the event; SIZE_MAX: out of memory. */
static size_t thread_counts_event(struct thread_counts *counts, const struct event *event)
{
	size_t nr = counts->events.nr;

	for (size_t i = 0; i < nr; i++)
		if (counts->events.items[i] == event)
			return i;
	if (!array_push(&counts->events, event))
		return SIZE_MAX;
	for (size_t i = 0; i < counts->threads.nr; i++) {
		struct thread_counter *thread = &counts->threads.items[i];
		uint64_t *values = realloc(thread->values, (nr + 1) * sizeof(*values));

		if (!values)
			return SIZE_MAX;
		values[nr] = 0;
		thread->values = values;
	}
	return nr;
}

struct error *thread_counts_add(struct thread_counts *counts, const struct session_record *r)
{
	const struct body_read *told = body_of(r->record.header, struct body_read);
	struct thread_counter *thread;
	size_t position;

	if (r->record.header->type != PERF_RECORD_READ || !told || !r->event)
		return NULL;
	position = thread_counts_event(counts, r->event);
	if (position == SIZE_MAX)
		return &error_no_memory;
	thread = thread_counts_thread(counts, told->pid, told->tid);
	if (!thread)
		return &error_no_memory;
	thread->values[position] += told->value;
	return NULL;
}

void thread_counts_deinit(struct thread_counts *counts)
{
	array_free_each(&counts->threads, .values);
	free(counts->events.items);
	hash_table_deinit(&counts->table);
	*counts = (struct thread_counts){ .events.nr = 0 };
}

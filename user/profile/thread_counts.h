/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The counts of each event in each thread, from the READ records of `record -s`.
 */
#ifndef KTRACE_PROFILE_THREAD_COUNTS_H
#define KTRACE_PROFILE_THREAD_COUNTS_H

#include <stddef.h>
#include <stdint.h>

#include "lib/array.h"
#include "lib/hash_table.h"
#include "session/session.h"

struct thread_counter {
	int32_t pid, tid;
	uint64_t *values;	/* by position in events */
};

/* Initialize it to zeros. */
struct thread_counts {
	ARRAY_OF(const struct event *) events;	/* in the order of their first records */
	ARRAY_OF(struct thread_counter) threads;	/* likewise */
	struct hash_table table;	/* positions in threads */
};

/* Add a READ record; other records are ignored.  The only possible error is lack of memory. */
struct error *thread_counts_add(struct thread_counts *counts, const struct session_record *r);
void thread_counts_deinit(struct thread_counts *counts);

#endif

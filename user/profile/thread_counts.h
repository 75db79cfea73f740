/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What each thread counted of each event, as the READ records of `record -s` tell.
 */
#ifndef KTRACE_PROFILE_THREAD_COUNTS_H
#define KTRACE_PROFILE_THREAD_COUNTS_H

#include <stddef.h>
#include <stdint.h>

#include "lib/hash_table.h"
#include "session/session.h"

struct thread_counter {
	int32_t pid, tid;
	uint64_t *values;	/* by position in events */
};

/* Begin with zeroes. */
struct thread_counts {
	struct {
		const struct event **items;	/* in the order in which they came */
		size_t nr, alloc;
	} events;
	struct {
		struct thread_counter *items;	/* the same */
		size_t nr, alloc;
	} threads;
	struct hash_table table;	/* positions in threads */
};

/* Add what a READ record tells; other records are ignored.  The only error is no memory. */
struct error *thread_counts_add(struct thread_counts *counts, const struct session_record *r);
void thread_counts_deinit(struct thread_counts *counts);

#endif

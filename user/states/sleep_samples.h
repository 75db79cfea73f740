/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Samples with the time and place of sleeps, as with `perf inject -s`: the switch by which a task
 * went to sleep, with the time and the period of the later sched_stat event that reports its
 * duration.
 */
#ifndef KTRACE_STATES_SLEEP_SAMPLES_H
#define KTRACE_STATES_SLEEP_SAMPLES_H

#include "format/event_format.h"
#include "lib/cleanup.h"
#include "lib/hash_table.h"
#include "record/record.h"

struct sleep_samples {
	const struct formats *formats;	/* borrowed */
	struct {
		struct {
			int32_t tid;
			void *record;	/* its last switch; NULL: none; owned */
			const struct event *event;	/* of the switch */
		} *items;
		size_t nr, alloc;
	} tasks;
	struct hash_table table;	/* positions in tasks, by tid */
};

void sleep_samples_deinit(struct sleep_samples *sleeps);

/*
 * Process a sample; they must come in order of time.  *ret is its replacement: itself, NULL for
 * nothing, or a switch, which is valid until the next call.
 */
struct error *sleep_samples_take(struct sleep_samples *sleeps, const struct record *record,
				 const struct perf_event_header **ret);

#endif

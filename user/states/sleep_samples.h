/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Samples that tell how long and where tasks slept, as `perf inject -s` makes them: the switch by
 * which a task went to sleep, with the time and the period of the sched_stat event that later
 * tells how long that took.
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
 * Take a sample; they must come in the order of their times.  *ret is what stands in its place:
 * itself, NULL for nothing, or a switch, which is valid until the next call.
 */
struct error *sleep_samples_take(struct sleep_samples *sleeps, const struct record *record,
				 const struct perf_event_header **ret);

#endif

/* SPDX-License-Identifier: GPL-2.0 */
/*
 * A few samples of an entry of a histogram, chosen at random among all its samples, so that a user
 * can inspect the activity around them.
 */
#ifndef KTRACE_PROFILE_HISTOGRAM_ENTRY_SAMPLES_H
#define KTRACE_PROFILE_HISTOGRAM_ENTRY_SAMPLES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "record/event.h"
#include "record/sample.h"

struct entry_sample {
	const struct event *event;
	uint64_t time;			/* ns of the recording's clock */
	int32_t pid, tid, cpu;
};

struct entry_samples {
	struct entry_sample *items;	/* in no order */
	size_t nr, alloc;
};

/*
 * Add sample number @count of the entry, counted from 1, so that each of them is among the
 * @max samples with the same probability.  The same samples give the same choice.  false: out of
 * memory.
 */
bool entry_samples_add(struct entry_samples *samples, size_t max, uint64_t count,
		       const struct event *event, const struct sample *sample);

/* Add samples of another entry while there is room; false: out of memory. */
bool entry_samples_merge(struct entry_samples *samples, size_t max,
			 const struct entry_samples *from);

/* Sort them by time. */
void entry_samples_sort(struct entry_samples *samples);

#endif

/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The rows of a table of histograms, of one event or of several side by side.  They are a list, or
 * a hierarchy where each key has its own level.
 */
#ifndef KTRACE_PROFILE_HISTOGRAM_HISTOGRAM_ROWS_H
#define KTRACE_PROFILE_HISTOGRAM_HISTOGRAM_ROWS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "lib/cleanup.h"
#include "profile/histogram/histogram.h"

struct histogram_sums {
	uint64_t children, period, system, user, samples, latency;
};

struct histogram_row {
	const struct histogram_entry *entry;	/* one with the keys of the row */
	const struct histogram_entry *leaf;	/* of the first event, for its graph; NULL: none */
	struct histogram_sums *sums;		/* by event */
	size_t level;		/* in the hierarchy: position in its levels */
	size_t end;		/* in the hierarchy: position behind the last row below it */
};

/* The input for rows; all pointers are borrowed. */
struct histogram_group {
	const struct histogram_options *options;
	const struct histogram *const *events;	/* sorted; an event without samples is NULL */
	size_t nr;
	size_t sort_event;	/* position of the primary event for sorting */
	const uint8_t *levels;	/* of the hierarchy: positions in options->keys; NULL: a list */
	size_t nr_levels;
};

struct histogram_rows {
	struct histogram_row *items;	/* in display order */
	size_t nr, alloc;
	struct histogram_sums **blocks;	/* the memory of the sums */
	size_t nr_blocks, alloc_blocks, left;
};

/* The only possible error is lack of memory.  @ret has to be released in any case. */
struct error *histogram_rows_make(const struct histogram_group *group,
				  struct histogram_rows *ret);
void histogram_rows_deinit(struct histogram_rows *rows);

/* The sum for a column of this metric. */
uint64_t histogram_sum(const struct histogram_sums *sums, enum histogram_metric metric);

#endif

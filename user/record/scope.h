/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The part of a recording that the reader wants.  Its source gets this in advance and may skip the
 * rest, but it may also give more.
 */
#ifndef KTRACE_RECORD_SCOPE_H
#define KTRACE_RECORD_SCOPE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "lib/array.h"
#include "lib/cpumap.h"

/* A range that includes both of its ends; 0: open. */
struct time_range {
	uint64_t start, end;
};

struct record_scope {
	const struct time_range *times;	/* records within any of them; nr 0: always */
	size_t nr_times;
	bool times_ordered;		/* ascending and without overlap */
	const struct cpumap *cpus;	/* NULL: all */
	uint64_t events;		/* bit n % 64: the event with index n; ~0: all */
	/*
	 * A sample is unwanted if its record has no number from this list, as 32 bits at a multiple
	 * of 4 from its beginning; nr 0: all are wanted.
	 */
	const uint32_t *words;
	size_t nr_words;
	bool samples_only;		/* other records are unwanted: they were read before */
};

/* The number of ranges, which are in order, that end before @time. */
static inline size_t time_ranges_skip(const struct time_range *ranges, size_t nr, uint64_t time)
{
	return array_count_while(nr, i, ranges[i].end && ranges[i].end < time);
}

#endif

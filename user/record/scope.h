/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The part of a recording that the reader wants.  Its source gets this beforehand, so that it
 * need not read the rest, but it may give more than was asked for.
 */
#ifndef KTRACE_RECORD_SCOPE_H
#define KTRACE_RECORD_SCOPE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "lib/cpumap.h"

/* A range that includes both of its ends; 0: open. */
struct time_range {
	uint64_t start, end;
};

struct record_scope {
	const struct time_range *times;	/* records within any of them; nr 0: always */
	size_t nr_times;
	bool times_ordered;		/* ascending; none begins before the one ahead ends */
	const struct cpumap *cpus;	/* NULL: all */
	uint64_t events;		/* bit n % 64: the event with index n; ~0: all */
	/*
	 * Samples in whose records none of these numbers is found, as 32 bits at a multiple of 4
	 * from their beginning, are not wanted; nr 0: all are.
	 */
	const uint32_t *words;
	size_t nr_words;
	bool samples_only;		/* other records are not wanted, as they were read before */
};

/* How many of the ranges, which are in order, end before @time. */
static inline size_t time_ranges_skip(const struct time_range *ranges, size_t nr, uint64_t time)
{
	size_t from = 0, to = nr;

	while (from < to) {
		size_t at = from + (to - from) / 2;

		if (ranges[at].end && ranges[at].end < time)
			from = at + 1;
		else
			to = at;
	}
	return from;
}

#endif

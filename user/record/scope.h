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
	const struct cpumap *cpus;	/* NULL: all */
	uint64_t events;		/* bit n % 64: the event with index n; ~0: all */
	bool samples_only;		/* other records are not wanted, as they were read before */
};

#endif

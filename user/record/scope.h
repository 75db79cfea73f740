/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Which part of a recording somebody wants, told to its source beforehand so
 * that it need not read the rest.  A source may give more than that.
 */
#ifndef KTRACE_RECORD_SCOPE_H
#define KTRACE_RECORD_SCOPE_H

#include <stddef.h>
#include <stdint.h>

#include "lib/cpumap.h"

/* Both ends belong to it; 0: open. */
struct time_range {
	uint64_t start, end;
};

struct record_scope {
	const struct time_range *times;	/* any of them; nr 0: always */
	size_t nr_times;
	const struct cpumap *cpus;	/* NULL: all */
	uint64_t events;		/* bit n % 64: the event with index n; ~0: all */
};

#endif

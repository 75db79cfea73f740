/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What an event costs the task that fires it: out of the times of a command with
 * and without capture, as long as they tell more than their own noise.
 */
#ifndef KTRACE_CHECK_COST_H
#define KTRACE_CHECK_COST_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "lib/strbuf.h"

#define COST_ROUNDS 5

/* CPU time of a command, in ns, of so many runs. */
struct cost_times {
	uint64_t ns[COST_ROUNDS];
	size_t nr;
};

/* ns per firing. */
struct cost {
	bool is_known;		/* false: noise is as large as the difference */
	double ns, noise;	/* it is ns, give or take noise; noise alone where not known */
};

/*
 * The fastest run of each is what it takes; how far the middle one is from that
 * is noise.
 */
struct cost cost_of(const struct cost_times *without, const struct cost_times *with,
		    double firings);

struct cost_row {
	char *event;		/* "system:name"; owned */
	const char *way;	/* of capture; borrowed */
	const char *why;	/* there are no numbers; NULL: there are; borrowed */
	double firings;		/* of one run */
	struct cost recorded, rejected;
	double bytes;		/* of a record in the ring, its header and all */
};

struct costs {
	struct cost_row *items;
	size_t nr, alloc;
};

void costs_deinit(struct costs *costs);

/* The rows as a table, lines for people. */
void costs_print(const struct costs *costs, struct strbuf *out);

#endif

/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Measures the cost of an event for the task that fires it: the difference of a command's times
 * with and without capture, if it exceeds their noise.
 */
#ifndef KTRACE_CHECK_COST_H
#define KTRACE_CHECK_COST_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "lib/error.h"
#include "lib/strbuf.h"

#define COST_ROUNDS 5

/* The CPU times of several runs of a command, in ns. */
struct cost_times {
	uint64_t ns[COST_ROUNDS];
	size_t nr;
};

/* A cost in ns per firing. */
struct cost {
	bool is_known;		/* false: noise is as large as the difference */
	double ns, noise;	/* the cost is ns ± noise; if unknown, only noise is set */
};

/* Uses the fastest run of each.  The noise is the distance of the median run from it. */
struct cost cost_of(const struct cost_times *without, const struct cost_times *with,
		    double firings);

/* The difference between runs with these times, in ns, that hides a cost. */
double costs_blur_of(const struct cost_times *times);

/* The number of firings in a run with which that difference is less than @ns for each. */
double costs_firings_needed(double blur, double ns);

struct cost_row {
	char *event;		/* "system:name"; owned */
	const char *way;	/* method of capture; borrowed */
	const char *why;	/* why the numbers are missing; NULL: they are there; borrowed */
	double firings;		/* of one run */
	struct cost recorded, rejected;
	double bytes;		/* size of a record in the ring, with its header */
};

struct costs {
	struct cost_row *items;
	size_t nr, alloc;
};

void costs_deinit(struct costs *costs);

/* Append the rows as a table, in lines for people. */
void costs_print(const struct costs *costs, struct strbuf *out);

struct result;

/*
 * Append a filter that rejects all records of @result's event, to measure the cost of firings for a
 * task whose records are filtered out.  Like most filters, it tests a number among the event's own
 * fields, so that template probes reject the firing before they build a record.  If the event has
 * no number, it tests a common field.
 */
struct error *rejecting_filter_add(const struct result *result, struct strbuf *ret);

#endif

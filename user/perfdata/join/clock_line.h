/* SPDX-License-Identifier: GPL-2.0 */
/*
 * How the time of one clock follows from that of another: a straight line, which messages
 * between the two bound.
 *
 * A message is received after it was sent.  So each one that leaves by a clock bounds the other
 * clock from above, and each one that arrives bounds it from below.  All lines between these
 * bounds are possible; the one that is chosen lies in the middle of them, and how far the others
 * are from it is its error.
 */
#ifndef KTRACE_PERFDATA_JOIN_CLOCK_LINE_H
#define KTRACE_PERFDATA_JOIN_CLOCK_LINE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "lib/error.h"

/* Two clocks are taken to drift apart by at most this: 1 ms in a second. */
#define CLOCK_DRIFT_MAX	1e-3

struct clock_line {
	uint64_t from;		/* the time at which the clocks differ by @offset, ns */
	int64_t offset;		/* what is added there, ns */
	double drift;		/* how much more is added for each ns from there */
};

/* The time of the other clock; what is in order stays in order. */
uint64_t clock_line_at(const struct clock_line *line, uint64_t time);

/* Whether all times stay what they are. */
static inline bool clock_line_is_same(const struct clock_line *line)
{
	return !line->offset && line->drift == 0;
}

/* The line that leads to where @next leads from where @line leads to. */
struct clock_line clock_line_join(const struct clock_line *line, const struct clock_line *next);

/* At @time the other clock was later by @difference, by more, or by less, ns. */
struct clock_bound {
	uint64_t time;
	int64_t difference;
};

struct clock_bounds {
	struct clock_bound *items;
	size_t nr, alloc;
};

struct clock_fit {
	struct clock_line line;		/* from the first of the times */
	double error;			/* ns: no possible line is farther off at any time */
	double drift_error;		/* nor has it a drift that is farther off */
	/* If there is no line: the bound that no line keeps to which the others allow. */
	struct clock_bound conflict;
	bool found;
};

/*
 * Find the line above all of @lower and below all of @upper, neither of which is empty, for times
 * from @first to @last (0: not known) and those of the bounds.  It is an error only to be out of
 * memory.
 */
struct error *clock_line_fit(const struct clock_bounds *lower, const struct clock_bounds *upper,
			     uint64_t first, uint64_t last, struct clock_fit *ret);

#endif

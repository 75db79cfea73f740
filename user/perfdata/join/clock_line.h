/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Converts the time of one clock to that of another by a straight line, which messages between the
 * two hosts bound.
 *
 * A message is received after it was sent.  So each message that leaves by a clock bounds the other
 * clock from above, and each one that arrives bounds it from below.  All lines between these bounds
 * are possible.  The chosen line is in the middle of them; the distance to the farthest is its
 * error.
 */
#ifndef KTRACE_PERFDATA_JOIN_CLOCK_LINE_H
#define KTRACE_PERFDATA_JOIN_CLOCK_LINE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "lib/error.h"

/* The largest drift between two clocks that is considered possible: 1 ms in a second. */
#define CLOCK_DRIFT_MAX	1e-3

struct clock_line {
	uint64_t from;		/* the time at which the difference is @offset, ns */
	int64_t offset;		/* added to that time, ns */
	double drift;		/* added on top for each ns after it */
};

/* The time of the other clock.  The order of times is kept. */
uint64_t clock_line_at(const struct clock_line *line, uint64_t time);

/* Whether the line changes no time. */
static inline bool clock_line_is_same(const struct clock_line *line)
{
	return !line->offset && line->drift == 0;
}

/* The line that applies @line first and then @next. */
struct clock_line clock_line_join(const struct clock_line *line, const struct clock_line *next);

/*
 * A message proves that the other clock was later by at least, or at most, @difference ns at @time.
 */
struct clock_bound {
	uint64_t time;
	int64_t difference;
};

struct clock_bounds {
	struct clock_bound *items;
	size_t nr, alloc;
};

struct clock_fit {
	struct clock_line line;		/* its `from` is the first of the times */
	double error;			/* ns: the largest distance of a possible line at any
					 * time */
	double drift_error;		/* the largest difference of a possible line's drift */
	/*
	 * If no line is possible: the first bound that excludes all lines left by the bounds before
	 * it.
	 */
	struct clock_bound conflict;
	bool found;
};

/*
 * Find the line above all of @lower and below all of @upper, which are not empty.  It is for
 * times from @first to @last (0: not known) and the times of the bounds.  The only possible error
 * is lack of memory.
 */
struct error *clock_line_fit(const struct clock_bounds *lower, const struct clock_bounds *upper,
			     uint64_t first, uint64_t last, struct clock_fit *ret);

#endif

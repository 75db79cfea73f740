/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Whether quantities differ between two groups of measurements, such as the instructions of ten
 * runs before a change and of ten runs after it, and how certain that is.
 *
 * The means are compared by Welch's t.  If many quantities are compared at once, some of them seem
 * to differ by chance, so each gets a q value: if all quantities with this q value or a smaller one
 * are called different, then at most that fraction of them is expected to be so by chance.  It is
 * the larger one of two estimates, one from Student's distribution and one from relabeling.  For
 * relabeling, the measurements are assigned randomly to the two groups, in the same way for all
 * quantities, and the number of quantities that reach the same t is counted.  The same input always
 * gives the same results.
 */
#ifndef KTRACE_PROFILE_COMPARE_DIFFERENCE_H
#define KTRACE_PROFILE_COMPARE_DIFFERENCE_H

#include <stddef.h>

#include "lib/error.h"

enum difference_verdict {
	DIFFERENCE_UNKNOWN,	/* can't tell: a relevant change might not have shown */
	DIFFERENCE_NONE,	/* unchanged: a relevant change would have shown */
	DIFFERENCE_MORE,	/* the second group has more */
	DIFFERENCE_LESS,
};

/* The parameters of verdicts; 0 means the value in parentheses. */
struct difference_options {
	double level;		/* the largest q value of a difference (0.05) */
	double interest;	/* the smallest relevant change, relative to `before` (0.05) */
};

struct difference {
	double before, after;	/* the means of the two groups */
	double change;		/* after - before */
	/*
	 * The 95 % confidence interval of the change; NAN: a group has fewer than two measurements,
	 * so that their noise is unknown.
	 */
	double low, high;
	/*
	 * Four of five such comparisons detect a change of this size; smaller ones may not show.
	 * NAN as above.
	 */
	double detectable;
	double t;		/* change / its standard error */
	double p, q;		/* 1 if they are not known */
	enum difference_verdict verdict;
};

/* Compare one quantity: @nr_before measurements with @nr_after others. */
void difference_of(const double *before, size_t nr_before, const double *after, size_t nr_after,
		   const struct difference_options *options, struct difference *ret);

/*
 * Compare @rows quantities.  Each row of @values has @nr_before + @nr_after measurements; those of
 * one column were made together.  @ret has room for @rows differences.  The only possible error is
 * lack of memory.
 */
struct error *differences_of(const double *values, size_t rows, size_t nr_before,
			     size_t nr_after, const struct difference_options *options,
			     struct difference *ret);

/* "slower", "faster", "unchanged" or "can't tell", for quantities where more means slower. */
const char *difference_word(enum difference_verdict verdict);

#endif

/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Whether functions differ between a few runs of one program and a few of another: three of each
 * do not tell how much a function varies, but all functions together do.
 *
 * Compared are ratios, that is logarithms of shares.  The variance of one is that of a count of so
 * many samples, and a part that all functions share, times a factor of its own.  That factor is
 * drawn to the one that is usual among all functions, the more the less these differ in it (the
 * moderated t of Smyth, Statistical Applications in Genetics and Molecular Biology 3, 2004).  For
 * costs, the ratio of the runs' totals is added, and its variance, which only the runs tell.
 */
#ifndef KTRACE_PROFILE_COMPARE_RUN_DIFFERENCE_H
#define KTRACE_PROFILE_COMPARE_RUN_DIFFERENCE_H

#include <stdbool.h>

#include "profile/compare/difference.h"

/* Arrays of rows have @before + @after values for each. */
struct run_counts {
	const double *costs;	/* of each row in each run */
	const double *samples;	/* that these are of */
	const double *totals;	/* cost of each run, with what is in no row */
	size_t rows, before, after;	/* at least two runs of each side */
	bool absolute;		/* costs differ, not their shares */
};

/*
 * The means, the change and what is detectable are shares or, with @absolute, parts of the mean
 * total of the first side.  @ret has room for a difference for each row.  The only error is to be
 * out of memory.
 */
struct error *run_differences_of(const struct run_counts *counts,
				 const struct difference_options *options,
				 struct difference *ret);

#endif

/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Whether functions differ between a few runs of one program and a few of another.  Three runs of
 * each do not show how much a single function varies, but all functions together do.
 *
 * Ratios are compared, that is logarithms of shares.  The variance of a logarithm is that of a
 * count of so many samples, plus a part that all functions share, times a factor of its own.  That
 * factor is shrunk towards the usual one of all functions, more strongly the less their factors
 * differ (the moderated t of Smyth, Statistical Applications in Genetics and Molecular Biology 3,
 * 2004).  For costs, the ratio of the runs' totals is added, with its variance, which only the runs
 * show.
 */
#ifndef KTRACE_PROFILE_COMPARE_RUN_DIFFERENCE_H
#define KTRACE_PROFILE_COMPARE_RUN_DIFFERENCE_H

#include <stdbool.h>

#include "profile/compare/difference.h"

/* Arrays of rows have @before + @after values for each row. */
struct run_counts {
	const double *costs;	/* of each row in each run */
	const double *samples;	/* numbers of samples behind these costs */
	const double *totals;	/* cost of each run, including costs outside of rows */
	size_t rows, before, after;	/* at least two runs on each side */
	bool absolute;		/* compare costs, not their shares */
};

/*
 * The means, the change and the detectable change are shares or, with @absolute, fractions of the
 * mean total of the first side.  @ret has room for a difference for each row.  The only possible
 * error is lack of memory.
 */
struct error *run_differences_of(const struct run_counts *counts,
				 const struct difference_options *options,
				 struct difference *ret);

#endif

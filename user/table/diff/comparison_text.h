/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Prints comparisons as perf diff does, with a verdict in each row.
 */
#ifndef KTRACE_TABLE_DIFF_COMPARISON_TEXT_H
#define KTRACE_TABLE_DIFF_COMPARISON_TEXT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "lib/strbuf.h"
#include "profile/compare/comparison.h"

/* The quantity that is computed from a row's two periods, by perf's names. */
enum comparison_compute {
	COMPUTE_DELTA_ABS,
	COMPUTE_DELTA,
	COMPUTE_RATIO,
	COMPUTE_WDIFF,
};

/* One recording, or several runs of the same thing. */
struct comparison_column {
	struct comparison_side side;
	const char *name;
};

struct comparison_text_options {
	const struct comparison_options *comparison;
	const struct comparison_column *columns;	/* the first is the baseline */
	size_t nr_columns;
	enum comparison_compute compute;
	int64_t weights[2];		/* of COMPUTE_WDIFF: of the baseline and the other */
	unsigned int order;		/* sort by this column; 0: the baseline */
	bool baseline_only;		/* only rows that all columns have */
	bool periods, formula, quiet;
	const char *separator;		/* between cells; NULL: a table */
	bool verdicts, absolute;
	struct difference_options difference;
	unsigned int width;		/* of the terminal; 0: nothing is cut */
};

/* Append the table of an event.  The only error is a lack of memory. */
struct error *comparison_text_add(const struct comparison_event *event,
				  const struct comparison_text_options *options,
				  struct strbuf *ret);

#endif

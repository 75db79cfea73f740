/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Prints histograms as perf report --stdio does.
 */
#ifndef KTRACE_OUTPUT_HISTOGRAM_TEXT_H
#define KTRACE_OUTPUT_HISTOGRAM_TEXT_H

#include "analysis/histogram.h"
#include "lib/strbuf.h"

#define REPORT_DEFAULT_KEYS	"comm,dso,sym"

/* What `ktrace report` is asked for. */
struct report_options {
	struct histogram_options histogram;
	double limit;		/* entries below this percentage are left out */
	bool after_header;	/* the recording's header stands above, with perf's --header */
	unsigned int columns;	/* that a line may have; 0: nothing is cut */
};

/* Append the table of one event with its head. */
void histogram_text_add(const struct histogram *histogram, const struct report_options *report,
			struct strbuf *ret);

/*
 * Append lines like "# comm: ls" for keys that have no column, because only one value was
 * asked for.
 */
void histogram_text_add_only(const struct histogram_options *options, struct strbuf *ret);

#endif

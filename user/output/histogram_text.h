/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Prints histograms as perf report --stdio does.
 */
#ifndef KTRACE_OUTPUT_HISTOGRAM_TEXT_H
#define KTRACE_OUTPUT_HISTOGRAM_TEXT_H

#include "analysis/histogram.h"
#include "lib/strbuf.h"

/* Append the table of one event with its head; entries below @limit percent are left out. */
void histogram_text_add(const struct histogram *histogram, const struct histogram_options *options,
			double limit, struct strbuf *ret);

/*
 * Append lines like "# comm: ls" for keys that have no column, because only one value was
 * asked for.
 */
void histogram_text_add_only(const struct histogram_options *options, struct strbuf *ret);

#endif

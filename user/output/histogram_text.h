/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Histograms as perf report --stdio prints them.
 */
#ifndef KTRACE_OUTPUT_HISTOGRAM_TEXT_H
#define KTRACE_OUTPUT_HISTOGRAM_TEXT_H

#include "lib/strbuf.h"
#include "output/histogram.h"

/* The table of one event with its head; entries below @limit percent are left out. */
void histogram_text_add(const struct histogram *histogram, const struct histogram_options *options,
			double limit, struct strbuf *ret);

/* "# comm: ls" for what has no column, because it is all that was asked for. */
void histogram_text_add_only(const struct histogram_options *options, struct strbuf *ret);

#endif

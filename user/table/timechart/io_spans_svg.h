/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The spans of tasks' input and output as a picture in SVG: a bar for each task over time.
 */
#ifndef KTRACE_TABLE_TIMECHART_IO_SPANS_SVG_H
#define KTRACE_TABLE_TIMECHART_IO_SPANS_SVG_H

#include <stdbool.h>
#include <stdint.h>

#include "lib/strbuf.h"
#include "table/timechart/io_spans.h"

/* Everything is borrowed. */
struct io_spans_svg_options {
	unsigned int width;	/* of the picture, in pixels, as for timechart_svg_add() */
	const char *recording;	/* what it is called */
	bool skip_again;	/* leave out what failed with EAGAIN */
	const char *marked;	/* as in struct timechart_svg_options */
	uint64_t marked_ns;
};

/*
 * Append the document.  @spans has samples, and its tasks are chosen.  The only error is to be
 * out of memory.
 */
struct error *io_spans_svg_add(const struct io_spans *spans,
			       const struct io_spans_svg_options *options, struct strbuf *out);

#endif

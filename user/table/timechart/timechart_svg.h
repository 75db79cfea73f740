/* SPDX-License-Identifier: GPL-2.0 */
/*
 * A chart as a picture in SVG: a bar for each CPU and each task over time.
 */
#ifndef KTRACE_TABLE_TIMECHART_TIMECHART_SVG_H
#define KTRACE_TABLE_TIMECHART_TIMECHART_SVG_H

#include <stdbool.h>
#include <stdint.h>

#include "lib/strbuf.h"
#include "record/header.h"
#include "table/timechart/io_spans.h"
#include "table/timechart/timechart.h"

#define TIMECHART_WIDTH_MIN	500
#define TIMECHART_WIDTH_MAX	100000

/* Everything is borrowed. */
struct timechart_svg_options {
	unsigned int width;	/* of the picture, in pixels, within the limits above */
	const char *recording;	/* its name */
	const struct header *header;	/* of the recording */
	bool no_power;		/* leave out idle states and frequencies */
	bool by_topology;	/* CPUs by socket and core, if the header has them */
	const char *marked;	/* tasks, see timechart_is_named(), in another colour; NULL: none */
	uint64_t marked_ns;	/* the same for longer spans; 0: of any length */
};

/*
 * Append the document.  @chart has samples, and its tasks are chosen.  The only error is a lack of
 * memory.
 */
struct error *timechart_svg_add(const struct timechart *chart,
				const struct timechart_svg_options *options, struct strbuf *out);

/*
 * The spans of tasks' input and output as a picture in SVG: a bar for each task over time.
 */

/* Everything is borrowed. */
struct io_spans_svg_options {
	unsigned int width;	/* of the picture, in pixels, as for timechart_svg_add() */
	const char *recording;	/* its name */
	bool skip_again;	/* leave out calls that failed with EAGAIN */
	const char *marked;	/* as in struct timechart_svg_options */
	uint64_t marked_ns;
};

/*
 * Append the document.  @spans has samples, and its tasks are chosen.  The only error is a lack of
 * memory.
 */
struct error *io_spans_svg_add(const struct io_spans *spans,
			       const struct io_spans_svg_options *options, struct strbuf *out);

#endif

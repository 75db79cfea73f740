/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Shared code of pictures of rows over time: a title, a legend, a grid of times, rows with names on
 * their left, and notes.  All numbers are in pixels, unless a name says otherwise.
 */
#ifndef KTRACE_TABLE_TIMECHART_SVG_CHART_H
#define KTRACE_TABLE_TIMECHART_SVG_CHART_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "lib/cleanup.h"
#include "lib/error.h"
#include "lib/strbuf.h"
#include "table/timechart/svg.h"

/*
 * A lane of a picture: a bar over time, in which each instant has one kind or none.  Spans shorter
 * than a pixel are not drawn one by one, so that the size of a picture does not depend on their
 * number.  In each column of pixels, the height of each kind is its share of the time.
 */
#define SVG_LANE_KINDS	12

struct svg_lane {
	const struct svg_scale *scale;	/* borrowed */
	double y, height;
	float (*shares)[SVG_LANE_KINDS];	/* for each column; owned */
	struct {
		uint64_t nr, ns;
	} short_ones[SVG_LANE_KINDS];
};

/* Begin another lane on the same scale. */
void svg_lane_begin(struct svg_lane *lane, double y, double height);

/* Add a span if it is short.  Returns false if it is not: then the caller draws it. */
bool svg_lane_take(struct svg_lane *lane, unsigned int kind, uint64_t begin, uint64_t end);

#define CHART_LEFT	216	/* width of the names */
#define CHART_RIGHT	18
#define CHART_TOP	26	/* the first line's */
#define CHART_LINE	18
#define CHART_TASK	20	/* distance between rows of tasks */
#define CHART_TASK_BAR	12

struct svg_chart {
	struct strbuf body;	/* all but the head, which has the height */
	struct svg_scale scale;
	struct svg_lane lane;	/* of the current row */
	unsigned int width;
	double y;		/* of the next part */
	bool any_short;		/* a lane had spans that are shorter than a pixel */
};

/* A picture of the time from @begin to @end, in ns.  The only error is a lack of memory. */
struct error *svg_chart_init(struct svg_chart *c, unsigned int width, uint64_t begin,
			     uint64_t end);
void svg_chart_deinit(struct svg_chart *c);

/* Append the document to @out.  The only error is a lack of memory. */
struct error *svg_chart_finish(const struct svg_chart *c, struct strbuf *out);

/* Append " for 1.2 ms, from 12.000000001 s on". */
void svg_chart_add_span(struct strbuf *out, uint64_t begin, uint64_t end);

/* Draw a line of text, and advance to the next one. */
void svg_chart_line(struct svg_chart *c, const char *class, const char *text);

/* If a lane had spans shorter than a pixel, draw the line that explains how they are drawn. */
void svg_chart_note_short(struct svg_chart *c);

/*
 * Add an entry to a legend, at *@x, which is advanced.  *@ret_left is the left side of its picture,
 * a box of this height.
 */
void svg_chart_legend(struct svg_chart *c, double *x, const char *class, double height,
		      const char *text, double *ret_left);

/* Draw lines through all rows down to @bottom, labelled with the times since the beginning. */
void svg_chart_grid(struct svg_chart *c, double bottom);

/* Draw the background of a row. */
void svg_chart_row(struct svg_chart *c, double y, double height);

/* Draw the name of a row on the left, and a number right of it. */
void svg_chart_label(struct svg_chart *c, double y, const char *name, const char *number);

/* Draw a span that is at least a pixel wide; @name (may be NULL) is inside if it fits. */
void svg_chart_box(struct svg_chart *c, const char *class, uint64_t begin, uint64_t end, double y,
		   double height, const char *title, const char *name);

/*
 * Draw the added spans of the lane, the first kind at the bottom; kinds without a class are left
 * out.  The tooltips have the number of spans, and "@names[kind]".
 */
void svg_chart_lane(struct svg_chart *c, const char *const classes[SVG_LANE_KINDS],
		    const char *const names[SVG_LANE_KINDS]);

#endif

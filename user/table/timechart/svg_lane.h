/* SPDX-License-Identifier: GPL-2.0 */
/*
 * A lane of a picture: a bar over time, in which each instant has one kind or none.  Spans shorter
 * than a pixel are not drawn one by one, so that the size of a picture does not depend on their
 * number.  In each column of pixels, the height of each kind is its share of the time.
 */
#ifndef KTRACE_TABLE_TIMECHART_SVG_LANE_H
#define KTRACE_TABLE_TIMECHART_SVG_LANE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "lib/error.h"
#include "lib/strbuf.h"
#include "table/timechart/svg.h"

#define SVG_LANE_KINDS	12

struct svg_lane {
	const struct svg_scale *scale;	/* borrowed */
	double y, height;
	float (*shares)[SVG_LANE_KINDS];	/* for each column; owned */
	struct {
		uint64_t nr, ns;
	} short_ones[SVG_LANE_KINDS];
};

/* The only error is a lack of memory. */
struct error *svg_lane_init(struct svg_lane *lane, const struct svg_scale *scale);
void svg_lane_deinit(struct svg_lane *lane);

/* Begin another lane on the same scale. */
void svg_lane_begin(struct svg_lane *lane, double y, double height);

/* Add a span if it is short.  Returns false if it is not: then the caller draws it. */
bool svg_lane_take(struct svg_lane *lane, unsigned int kind, uint64_t begin, uint64_t end);

/*
 * Append the added spans, the first kind at the bottom; kinds without a class are left out.  The
 * tooltips have the number of spans, and "@names[kind]".
 */
void svg_lane_add(const struct svg_lane *lane, const char *const classes[SVG_LANE_KINDS],
		  const char *const names[SVG_LANE_KINDS], struct strbuf *out);

#endif

/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Parts of pictures in SVG whose x axis is time.  All numbers are in pixels, unless a name says
 * otherwise.  Appended text has no line end.
 */
#ifndef KTRACE_TABLE_TIMECHART_SVG_H
#define KTRACE_TABLE_TIMECHART_SVG_H

#include <stdint.h>

#include "lib/strbuf.h"

/* The scale of the time axis. */
struct svg_scale {
	uint64_t begin, end;	/* ns; @end is later */
	unsigned int left, width;
};

struct svg_box {
	double x, y, width, height;
};

/* The position of an instant. */
double svg_x(const struct svg_scale *scale, uint64_t time);

/* The time of a pixel, in ns. */
double svg_pixel(const struct svg_scale *scale);

/* Append a number with at most three digits behind the point, in any locale. */
void svg_add_number(struct strbuf *out, double number);

/* Append a rectangle with the styles of @class; @title is its tooltip, NULL: none. */
void svg_add_box(struct strbuf *out, const char *class, const struct svg_box *box,
		 const char *title);

/* Append text with its baseline at @y; it is escaped here. */
void svg_add_text(struct strbuf *out, const char *class, double x, double y, const char *text);

/* Append a duration with three digits behind the point, except for ns: "12.340 ms", "7 ns". */
void svg_add_duration(struct strbuf *out, uint64_t ns);

/* Append a time since the beginning of a span of @total ns, in a unit that suits @total. */
void svg_add_time(struct strbuf *out, uint64_t ns, uint64_t total);

#endif

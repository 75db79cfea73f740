// SPDX-License-Identifier: GPL-2.0
#include "table/timechart/svg_lane.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>

/* Heights are rounded to such parts of a pixel, so that neighbours are alike more often. */
#define SVG_LANE_STEPS	4

struct error *svg_lane_init(struct svg_lane *lane, const struct svg_scale *scale)
{
	*lane = (struct svg_lane){
		.scale = scale, .shares = calloc(scale->width, sizeof(*lane->shares)),
	};
	return lane->shares ? NULL : &error_no_memory;
}

void svg_lane_deinit(struct svg_lane *lane)
{
	free(lane->shares);
}

void svg_lane_begin(struct svg_lane *lane, double y, double height)
{
	lane->y = y;
	lane->height = height;
	memset(lane->shares, 0, lane->scale->width * sizeof(*lane->shares));
	memset(lane->short_ones, 0, sizeof(lane->short_ones));
}

bool svg_lane_take(struct svg_lane *lane, unsigned int kind, uint64_t begin, uint64_t end)
{
	double from = svg_x(lane->scale, begin) - lane->scale->left;
	double to = svg_x(lane->scale, end) - lane->scale->left, border;
	unsigned int column = from;

	if (end - begin >= svg_pixel(lane->scale))
		return false;
	lane->short_ones[kind].nr++;
	lane->short_ones[kind].ns += end - begin;
	if (column >= lane->scale->width)
		return true;
	border = to < column + 1 ? to : column + 1;
	lane->shares[column][kind] += border - from;
	if (to > border && column + 1 < lane->scale->width)
		lane->shares[column + 1][kind] += to - border;
	return true;
}

/* The height of all kinds below @kind. */
static double svg_lane_height(const struct svg_lane *lane, unsigned int column, unsigned int kind)
{
	double share = 0;

	for (unsigned int i = 0; i < kind; i++)
		share += lane->shares[column][i];
	return round((share < 1 ? share : 1) * lane->height * SVG_LANE_STEPS) / SVG_LANE_STEPS;
}

/* A kind with any share is at least a step high. */
static double svg_lane_top(const struct svg_lane *lane, unsigned int column, unsigned int kind,
			   double bottom)
{
	double top = svg_lane_height(lane, column, kind + 1);

	if (lane->shares[column][kind] > 0 && top <= bottom)
		return bottom + 1.0 / SVG_LANE_STEPS;
	return top;
}

static void svg_lane_add_path(const struct svg_lane *lane, unsigned int kind, struct strbuf *out)
{
	unsigned int width = lane->scale->width, column = 0, end;

	for (; column < width; column = end) {
		double bottom = svg_lane_height(lane, column, kind);
		double top = svg_lane_top(lane, column, kind, bottom);

		for (end = column + 1; end < width; end++)
			if (svg_lane_height(lane, end, kind) != bottom ||
			    svg_lane_top(lane, end, kind, bottom) != top)
				break;
		if (top <= bottom)
			continue;
		strbuf_addf(out, "M%u ", lane->scale->left + column);
		svg_add_number(out, lane->y + lane->height - bottom);
		strbuf_addf(out, "h%uv", end - column);
		svg_add_number(out, bottom - top);
		strbuf_addf(out, "h-%uz", end - column);
	}
}

void svg_lane_add(const struct svg_lane *lane, const char *const classes[SVG_LANE_KINDS],
		  const char *const names[SVG_LANE_KINDS], struct strbuf *out)
{
	for (unsigned int kind = 0; kind < SVG_LANE_KINDS; kind++) {
		if (!lane->short_ones[kind].ns || !classes[kind])
			continue;
		strbuf_addf(out, "<path class=\"%s\" d=\"", classes[kind]);
		svg_lane_add_path(lane, kind, out);
		strbuf_addf(out, "\"><title>%" PRIu64 " times less than a pixel: %s, ",
			    lane->short_ones[kind].nr, names[kind]);
		svg_add_duration(out, lane->short_ones[kind].ns);
		strbuf_addstr(out, " in all</title></path>\n");
	}
}

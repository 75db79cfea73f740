// SPDX-License-Identifier: GPL-2.0
#include "table/timechart/svg_chart.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>

#include "terminal/terminal.h"

/* Heights are rounded to such parts of a pixel, so that neighbours are alike more often. */
#define SVG_LANE_STEPS	4

static struct error *svg_lane_init(struct svg_lane *lane, const struct svg_scale *scale)
{
	*lane = (struct svg_lane){
		.scale = scale, .shares = calloc(scale->width, sizeof(*lane->shares)),
	};
	return lane->shares ? NULL : &error_no_memory;
}

static void svg_lane_deinit(struct svg_lane *lane)
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

static void svg_lane_add(const struct svg_lane *lane, const char *const classes[SVG_LANE_KINDS],
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

/* All in pixels. */
#define CHART_TICKS	90	/* at least, from tick to tick */
#define CHART_LETTER	6.1	/* the approximate width of a character of small text */

#define CHART_NAME	22	/* characters of a task's name */

static const char svg_chart_style[] =
	"text{font-family:sans-serif;font-size:12px;fill:#1b1f26}"
	".t{font-size:15px;font-weight:bold}.b{font-weight:bold}"
	".q{font-size:11px;fill:#59606b}.e{font-size:11px;fill:#59606b;text-anchor:end}"
	".c{font-size:11px;fill:#59606b;text-anchor:middle}"
	".n{font-size:10px;fill:#fff;pointer-events:none}"
	".back{fill:#fff}.row{fill:#f5f6f8}.grid{stroke:#dde0e5;fill:none}"
	".r{fill:#3471b8}.m{fill:#b3286e}.w{fill:#f0a02c}.s{fill:#cfd4db}.d{fill:#d4574a}"
	".i0{fill:#dff0ea}.i1{fill:#cae6dc}.i2{fill:#b5dccd}.i3{fill:#a0d2bf}.i4{fill:#8bc7b0}"
	".i5{fill:#77bba1}.i6{fill:#64ae92}.i7{fill:#53a083}.i8{fill:#449275}"
	".rd{fill:#3471b8}.wr{fill:#79a6d8}.rx{fill:#2f7d4f}.tx{fill:#7fbf95}.sy{fill:#a58b00}"
	".po{fill:#cfd4db}.er{fill:#d4574a}"
	".f{fill:none;stroke:#8a5a12;stroke-width:1.2}"
	".k{fill:none;stroke:#2f7d4f;stroke-opacity:.55}"
	".k:hover{stroke:#0b3d20;stroke-opacity:1;stroke-width:2}"
	"rect:hover,path.r:hover,path.w:hover{fill-opacity:.75}";

struct error *svg_chart_init(struct svg_chart *c, unsigned int width, uint64_t begin, uint64_t end)
{
	*c = (struct svg_chart){
		.body = STRBUF_INIT, .width = width, .y = CHART_TOP,
		.scale = {
			.begin = begin,
			.end = end > begin ? end : begin + 1,
			.left = CHART_LEFT,
			.width = width - CHART_LEFT - CHART_RIGHT,
		},
	};
	return svg_lane_init(&c->lane, &c->scale);
}

void svg_chart_deinit(struct svg_chart *c)
{
	svg_lane_deinit(&c->lane);
	strbuf_deinit(&c->body);
}

void svg_chart_add_span(struct strbuf *out, uint64_t begin, uint64_t end)
{
	strbuf_addstr(out, " for ");
	svg_add_duration(out, end - begin);
	strbuf_addf(out, ", from %" PRIu64 ".%09" PRIu64 " s on", begin / 1000000000,
		    begin % 1000000000);
}

void svg_chart_line(struct svg_chart *c, const char *class, const char *text)
{
	svg_add_text(&c->body, class, 12, c->y, text);
	strbuf_addch(&c->body, '\n');
	c->y += CHART_LINE;
}

void svg_chart_label(struct svg_chart *c, double y, const char *name, const char *number)
{
	_cleanup_(strbuf) struct strbuf cut = STRBUF_INIT;

	terminal_add_cut(&cut, name, CHART_NAME);
	svg_add_text(&c->body, "l", 12, y, strbuf_str(&cut));
	svg_add_text(&c->body, "e", CHART_LEFT - 8, y, number);
	strbuf_addch(&c->body, '\n');
}

void svg_chart_box(struct svg_chart *c, const char *class, uint64_t begin, uint64_t end, double y,
		   double height, const char *title, const char *name)
{
	const struct svg_box box = {
		.x = svg_x(&c->scale, begin), .y = y, .height = height,
		.width = svg_x(&c->scale, end) - svg_x(&c->scale, begin),
	};

	svg_add_box(&c->body, class, &box, title);
	if (name && terminal_width(name) * CHART_LETTER + 6 < box.width)
		svg_add_text(&c->body, "n", box.x + 3, y + height - 4.5, name);
	strbuf_addch(&c->body, '\n');
}

void svg_chart_row(struct svg_chart *c, double y, double height)
{
	const struct svg_box box = { CHART_LEFT, y, c->scale.width, height };

	svg_add_box(&c->body, "row", &box, NULL);
	strbuf_addch(&c->body, '\n');
}

static uint64_t svg_chart_step(const struct svg_scale *scale)
{
	double least = svg_pixel(scale) * CHART_TICKS;
	uint64_t step = 1;

	for (;;) {
		if (step >= least)
			return step;
		if (2 * step >= least)
			return 2 * step;
		if (5 * step >= least)
			return 5 * step;
		step *= 10;
	}
}

void svg_chart_grid(struct svg_chart *c, double bottom)
{
	uint64_t total = c->scale.end - c->scale.begin, step = svg_chart_step(&c->scale);

	for (uint64_t i = 0; i <= total / step; i++) {
		uint64_t at = i * step;
		double x = svg_x(&c->scale, c->scale.begin + at);
		_cleanup_(strbuf) struct strbuf text = STRBUF_INIT;

		strbuf_addstr(&c->body, "<path class=\"grid\" d=\"M");
		svg_add_number(&c->body, x);
		strbuf_addch(&c->body, ' ');
		svg_add_number(&c->body, c->y + 4);
		strbuf_addch(&c->body, 'V');
		svg_add_number(&c->body, bottom);
		strbuf_addstr(&c->body, "\"/>");
		svg_add_time(&text, at, total);
		svg_add_text(&c->body, "c", x, c->y, strbuf_str(&text));
		svg_add_text(&c->body, "c", x, bottom + 13, strbuf_str(&text));
		strbuf_addch(&c->body, '\n');
	}
}

void svg_chart_legend(struct svg_chart *c, double *x, const char *class, double height,
		      const char *text, double *ret_left)
{
	struct svg_box box = { .width = 18, .height = height };
	double width = 24 + terminal_width(text) * CHART_LETTER + 10;

	if (*x + width > c->width) {
		*x = 12;
		c->y += CHART_LINE;
	}
	box.x = *ret_left = *x;
	box.y = c->y - 4 - height / 2;
	svg_add_box(&c->body, class, &box, NULL);
	svg_add_text(&c->body, "q", *x + 24, c->y, text);
	strbuf_addch(&c->body, '\n');
	*x += width;
}

static void svg_chart_head(const struct svg_chart *c, double height, struct strbuf *out)
{
	const struct svg_box all = { 0, 0, c->width, height };

	strbuf_addf(out, "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"
		    "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%u\" height=\"", c->width);
	svg_add_number(out, height);
	strbuf_addf(out, "\" viewBox=\"0 0 %u ", c->width);
	svg_add_number(out, height);
	strbuf_addf(out, "\">\n<style>%s</style>\n", svg_chart_style);
	svg_add_box(out, "back", &all, NULL);
	strbuf_addch(out, '\n');
}

void svg_chart_lane(struct svg_chart *c, const char *const classes[SVG_LANE_KINDS],
		    const char *const names[SVG_LANE_KINDS])
{
	for (size_t i = 0; i < SVG_LANE_KINDS; i++)
		c->any_short |= c->lane.short_ones[i].ns > 0;
	svg_lane_add(&c->lane, classes, names, &c->body);
}

void svg_chart_note_short(struct svg_chart *c)
{
	_cleanup_(strbuf) struct strbuf text = STRBUF_INIT;

	if (!c->any_short)
		return;
	strbuf_addstr(&text, "Spans that are shorter than a pixel (");
	svg_add_duration(&text, svg_pixel(&c->scale));
	strbuf_addstr(&text, ") are drawn together: the height of a part is its share of the time.");
	svg_chart_line(c, "q", strbuf_str(&text));
}

struct error *svg_chart_finish(const struct svg_chart *c, struct strbuf *out)
{
	svg_chart_head(c, c->y, out);
	strbuf_add(out, strbuf_str(&c->body), c->body.len);
	strbuf_addstr(out, "</svg>\n");
	return out->failed || c->body.failed ? &error_no_memory : NULL;
}

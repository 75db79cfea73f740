// SPDX-License-Identifier: GPL-2.0
/*
 * A line is given by its differences at the first and at the last time.  With these two as
 * coordinates, the lines that one bound allows are a half plane.  The lines that all bounds allow
 * are a convex polygon, and each bound cuts a part off it.
 */
#include "perfdata/join/clock_line.h"

#include <stdlib.h>

#include "lib/array.h"

#define MOST_NS 9e18

static int64_t round_ns(double ns)
{
	/* Times of damaged recordings can be too far apart for an int64_t. */
	if (!(ns > -MOST_NS && ns < MOST_NS))
		return 0;
	return (int64_t)(ns < 0 ? ns - 0.5 : ns + 0.5);
}

uint64_t clock_line_at(const struct clock_line *line, uint64_t time)
{
	double apart = (double)(int64_t)(time - line->from);

	return time + line->offset + round_ns(line->drift * apart);
}

struct clock_line clock_line_join(const struct clock_line *line, const struct clock_line *next)
{
	uint64_t between = line->from + line->offset;

	return (struct clock_line){
		.from = line->from,
		.offset = (int64_t)(clock_line_at(next, between) - line->from),
		.drift = (1 + line->drift) * (1 + next->drift) - 1,
	};
}

/* The differences at both ends, relative to that of @base, ns. */
struct line_ends {
	double first, last;
};

struct line_polygon {
	struct line_ends *items;
	size_t nr, alloc;
};

struct line_fitter {
	uint64_t first, last;
	int64_t base;
	struct line_polygon lines, cut;
};

/* Keep the lines for which first * a + last * b >= least. */
static struct error *cut_polygon(struct line_fitter *fitter, double a, double b, double least)
{
	struct line_polygon *from = &fitter->lines, *to = &fitter->cut, swap;
	bool all = true;

	for (size_t i = 0; all && i < from->nr; i++)
		all = from->items[i].first * a + from->items[i].last * b >= least;
	if (all)
		return NULL;
	to->nr = 0;
	for (size_t i = 0; i < from->nr; i++) {
		struct line_ends x = from->items[i], y = from->items[(i + 1) % from->nr];
		double of_x = x.first * a + x.last * b - least;
		double of_y = y.first * a + y.last * b - least;
		double part = of_x / (of_x - of_y);
		struct line_ends middle = { x.first + part * (y.first - x.first),
					    x.last + part * (y.last - x.last) };

		if (of_x >= 0 && !array_push(to, x))
			return &error_no_memory;
		if ((of_x > 0 && of_y < 0) || (of_x < 0 && of_y > 0))
			if (!array_push(to, middle))
				return &error_no_memory;
	}
	swap = *from;
	*from = *to;
	*to = swap;
	return NULL;
}

static double less_base(const struct line_fitter *fitter, int64_t difference)
{
	return (double)(int64_t)((uint64_t)difference - (uint64_t)fitter->base);
}

static double share_of_last(const struct line_fitter *fitter, uint64_t time)
{
	return (double)(time - fitter->first) / (double)(fitter->last - fitter->first);
}

/* @sign is 1 for lower bounds, -1 for upper ones. */
static struct error *cut_by_bounds(struct line_fitter *fitter, const struct clock_bounds *bounds,
				   int sign, struct clock_fit *ret)
{
	for (size_t i = 0; i < bounds->nr && fitter->lines.nr; i++) {
		const struct clock_bound *bound = &bounds->items[i];
		double share = share_of_last(fitter, bound->time);
		struct error *err = cut_polygon(fitter, sign * (1 - share), sign * share,
						sign * less_base(fitter, bound->difference));

		if (err)
			return err;
		ret->conflict = *bound;
	}
	return NULL;
}

static void include_times(struct line_fitter *fitter, const struct clock_bounds *bounds)
{
	for (size_t i = 0; i < bounds->nr; i++) {
		uint64_t time = bounds->items[i].time;

		if (!fitter->first || time < fitter->first)
			fitter->first = time;
		if (time > fitter->last)
			fitter->last = time;
	}
}

static void include_differences(const struct line_fitter *fitter, const struct clock_bounds *bounds,
				double *low, double *high)
{
	for (size_t i = 0; i < bounds->nr; i++) {
		double apart = less_base(fitter, bounds->items[i].difference);

		if (apart < *low)
			*low = apart;
		if (apart > *high)
			*high = apart;
	}
}

/* Begin with all lines near the bounds that drift by no more than clocks do. */
static struct error *begin_polygon(struct line_fitter *fitter, const struct clock_bounds *lower,
				   const struct clock_bounds *upper)
{
	double turn = CLOCK_DRIFT_MAX * (double)(fitter->last - fitter->first);
	double low = 0, high = 0;
	struct error *err;

	include_differences(fitter, lower, &low, &high);
	include_differences(fitter, upper, &low, &high);
	low -= turn + 1;
	high += turn + 1;
	if (!array_push(&fitter->lines, ((struct line_ends){ low, low })) ||
	    !array_push(&fitter->lines, ((struct line_ends){ high, low })) ||
	    !array_push(&fitter->lines, ((struct line_ends){ high, high })) ||
	    !array_push(&fitter->lines, ((struct line_ends){ low, high })))
		return &error_no_memory;
	err = cut_polygon(fitter, -1, 1, -turn);
	return err ? err : cut_polygon(fitter, 1, -1, -turn);
}

static double farther(double a, double b, double most)
{
	double apart = a > b ? a - b : b - a;

	return apart > most ? apart : most;
}

/* The centroid of all possible lines, or of the corners if all are at the same point. */
static struct line_ends polygon_centre(const struct line_polygon *lines)
{
	struct line_ends of_area = { 0 }, of_corners = { 0 }, origin = lines->items[0];
	double area = 0;

	for (size_t i = 0; i < lines->nr; i++) {
		struct line_ends x = lines->items[i], y = lines->items[(i + 1) % lines->nr];
		double part;

		x.first -= origin.first;
		x.last -= origin.last;
		y.first -= origin.first;
		y.last -= origin.last;
		part = x.first * y.last - y.first * x.last;
		area += part;
		of_area.first += part * (x.first + y.first) / 3;
		of_area.last += part * (x.last + y.last) / 3;
		of_corners.first += x.first / (double)lines->nr;
		of_corners.last += x.last / (double)lines->nr;
	}
	if (area < 1)
		return (struct line_ends){ origin.first + of_corners.first,
					   origin.last + of_corners.last };
	return (struct line_ends){ origin.first + of_area.first / area,
				   origin.last + of_area.last / area };
}

/* The possible line that is farthest from the chosen one is a corner. */
static void choose_line(const struct line_fitter *fitter, struct clock_fit *ret)
{
	const struct line_polygon *lines = &fitter->lines;
	double length = (double)(fitter->last - fitter->first);
	struct line_ends middle = polygon_centre(lines);

	ret->line = (struct clock_line){
		.from = fitter->first,
		.offset = (int64_t)((uint64_t)fitter->base + (uint64_t)round_ns(middle.first)),
		.drift = (middle.last - middle.first) / length,
	};
	ret->error = ret->drift_error = 0;
	for (size_t i = 0; i < lines->nr; i++) {
		const struct line_ends *line = &lines->items[i];

		ret->error = farther(line->first, middle.first, ret->error);
		ret->error = farther(line->last, middle.last, ret->error);
		ret->drift_error = farther((line->last - line->first) / length, ret->line.drift,
					   ret->drift_error);
	}
}

struct error *clock_line_fit(const struct clock_bounds *lower, const struct clock_bounds *upper,
			     uint64_t first, uint64_t last, struct clock_fit *ret)
{
	struct line_fitter fitter = {
		.first = first, .last = last, .base = lower->items[0].difference,
	};
	struct error *err;

	include_times(&fitter, lower);
	include_times(&fitter, upper);
	if (fitter.last <= fitter.first)
		fitter.last = fitter.first + 1;
	err = begin_polygon(&fitter, lower, upper);
	if (!err)
		err = cut_by_bounds(&fitter, lower, 1, ret);
	if (!err)
		err = cut_by_bounds(&fitter, upper, -1, ret);
	ret->found = !err && fitter.lines.nr;
	if (ret->found)
		choose_line(&fitter, ret);
	free(fitter.lines.items);
	free(fitter.cut.items);
	return err;
}

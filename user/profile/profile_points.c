// SPDX-License-Identifier: GPL-2.0
/*
 * The samples of a recording as points, if there are not too many.
 */
#include "lib/array.h"
#include "profile/profiler.h"

#include <stdlib.h>

DEFINE_COMPARISON(compare_points, struct profile_point, array_order(x->time, y->time) ?:
		  array_order(x->node, y->node))

/* Samples are in order of time, except for those whose time began before. */
static void sort_points(struct profile_point *points, size_t nr)
{
	for (size_t i = 1; i < nr; i++)
		if (compare_points(&points[i - 1], &points[i]) > 0) {
			qsort(points, nr, sizeof(*points), compare_points);
			return;
		}
}

struct error *profiler_make_points(struct profiler *profiler)
{
	struct profile *profile = &profiler->profile;
	size_t nr = profiler->samples.nr, at = 0;
	_cleanup_free_ size_t *next = calloc(profile->lanes.nr + 1, sizeof(*next));

	if (!next)
		return &error_no_memory;
	if (!profiler->options.points || nr > profiler->options.limits.points)
		return NULL;
	profile->points.items = malloc((nr + 1) * sizeof(*profile->points.items));
	if (!profile->points.items)
		return &error_no_memory;
	profile->points.nr = nr;
	for (size_t i = 0; i < nr; i++)
		profile->lanes.items[profiler->samples.items[i].lane].points++;
	for (size_t i = 0; i < profile->lanes.nr; i++)
		next[i + 1] = next[i] + profile->lanes.items[i].points;
	for (size_t i = 0; i < nr; i++) {
		const struct profiler_sample *sample = &profiler->samples.items[i];

		profile->points.items[next[sample->lane]++] = (struct profile_point){
			.time = sample->time, .period = sample->period, .node = sample->node,
		};
	}
	for (size_t i = 0; i < profile->lanes.nr; i++) {
		sort_points(&profile->points.items[at], profile->lanes.items[i].points);
		at += profile->lanes.items[i].points;
	}
	return NULL;
}

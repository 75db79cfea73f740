// SPDX-License-Identifier: GPL-2.0
#include "profile/profiler.h"

#include <stdlib.h>

#include "lib/array.h"

static void find_profile_times(struct profiler *profiler)
{
	struct profile *profile = &profiler->profile;

	profile->start = profiler->samples.nr ? UINT64_MAX : 0;
	for (size_t i = 0; i < profiler->samples.nr; i++) {
		uint64_t time = profiler->samples.items[i].time;

		if (time < profile->start)
			profile->start = time;
		if (time >= profile->end)
			profile->end = time + (time < UINT64_MAX);
	}
}

/* Have the time in at most @stretches. */
static void set_profile_stretches(struct profile *profile, uint32_t stretches)
{
	uint64_t all = profile->end - profile->start;

	profile->width = all / stretches + 1;
	profile->stretches = all / profile->width + 1;
}

static uint32_t stretch_of(const struct profile *profile, uint64_t time)
{
	return (time - profile->start) / profile->width;
}

static int compare_cells(const void *x, const void *y)
{
	const struct profile_cell *a = x, *b = y;

	if (a->stretch != b->stretch)
		return a->stretch < b->stretch ? -1 : 1;
	return a->node < b->node ? -1 : a->node > b->node;
}

/* Join cells of the same stretch and node, from @first on.  Returns how many are left. */
static size_t join_cells(struct profile_cell *cells, size_t nr)
{
	size_t left = 0;

	qsort(cells, nr, sizeof(*cells), compare_cells);
	for (size_t i = 0; i < nr; i++) {
		if (left && !compare_cells(&cells[left - 1], &cells[i])) {
			cells[left - 1].samples += cells[i].samples;
			cells[left - 1].period += cells[i].period;
		} else {
			cells[left++] = cells[i];
		}
	}
	return left;
}

/* Join the cells of each lane, whose number of cells changes. */
static void join_lanes(struct profile *profile)
{
	size_t from = 0, to = 0;

	for (size_t i = 0; i < profile->lanes.nr; i++) {
		struct profile_lane *lane = &profile->lanes.items[i];
		size_t left = join_cells(&profile->cells.items[from], lane->cells);

		for (size_t k = 0; k < left && from != to; k++)
			profile->cells.items[to + k] = profile->cells.items[from + k];
		from += lane->cells;
		to += left;
		lane->cells = left;
	}
	profile->cells.nr = to;
}

/* Make a cell of each sample, by lane. */
static bool fill_cells(struct profiler *profiler)
{
	struct profile *profile = &profiler->profile;
	size_t *next = calloc(profile->lanes.nr + 1, sizeof(*next));

	profile->cells.items = malloc((profiler->samples.nr + 1) * sizeof(*profile->cells.items));
	if (!next || !profile->cells.items) {
		free(next);
		return false;
	}
	for (size_t i = 0; i < profiler->samples.nr; i++)
		profile->lanes.items[profiler->samples.items[i].lane].cells++;
	for (size_t i = 0; i < profile->lanes.nr; i++)
		next[i + 1] = next[i] + profile->lanes.items[i].cells;
	for (size_t i = 0; i < profiler->samples.nr; i++) {
		const struct profiler_sample *sample = &profiler->samples.items[i];

		profile->cells.items[next[sample->lane]++] = (struct profile_cell){
			.stretch = stretch_of(profile, sample->time), .node = sample->node,
			.samples = 1, .period = sample->period,
		};
	}
	free(next);
	profile->cells.nr = profile->cells.alloc = profiler->samples.nr;
	return true;
}

struct error *profiler_make_cells(struct profiler *profiler)
{
	const struct profile_limits *limits = &profiler->options.limits;
	struct profile *profile = &profiler->profile;

	find_profile_times(profiler);
	set_profile_stretches(profile, limits->stretches);
	if (!fill_cells(profiler))
		return &error_no_memory;
	free(take_ptr(profiler->samples.items));
	profiler->samples.nr = profiler->samples.alloc = 0;
	join_lanes(profile);
	while (profile->cells.nr > limits->cells && profile->stretches > 1) {
		profile->width *= profile->width <= UINT64_MAX / 2 ? 2 : 1;
		profile->stretches = (profile->stretches + 1) / 2;
		for (size_t i = 0; i < profile->cells.nr; i++)
			profile->cells.items[i].stretch /= 2;
		join_lanes(profile);
	}
	return NULL;
}

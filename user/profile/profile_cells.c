// SPDX-License-Identifier: GPL-2.0
#include "profile/profiler.h"

#include <stdlib.h>

#include "lib/array.h"

/* The end of the time that a sample covers; its own time if it covers an instant. */
static uint64_t end_of_sample(const struct profiler *profiler, const struct profiler_sample *sample)
{
	const struct profile *profile = &profiler->profile;

	if (!profile->events.items[profile->lanes.items[sample->lane].event].timed)
		return sample->time;
	return sample->period > UINT64_MAX - sample->time ? UINT64_MAX :
							    sample->time + sample->period;
}

static void find_profile_times(struct profiler *profiler)
{
	struct profile *profile = &profiler->profile;

	for (size_t i = 0; i < profile->events.nr; i++)
		profile->events.items[i].timed = profiler->options.spread &&
			(i + 1 == profiler->timed_event || i >= profile->waits);
	profile->start = profiler->samples.nr ? UINT64_MAX : 0;
	for (size_t i = 0; i < profiler->samples.nr; i++) {
		const struct profiler_sample *sample = &profiler->samples.items[i];
		uint64_t end = end_of_sample(profiler, sample);

		if (sample->time < profile->start)
			profile->start = sample->time;
		if (end == sample->time)
			end += end < UINT64_MAX;
		if (end > profile->end)
			profile->end = end;
	}
}

/* Divide the time into at most @stretches. */
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

DEFINE_COMPARISON(compare_cells, struct profile_cell, array_order(x->stretch, y->stretch) ?:
		  array_order(x->node, y->node))

/* Merge cells of the same stretch and node, from @first on.  Returns the remaining number. */
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

/* Merge the cells of each lane, and update its number of cells. */
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

/* The number of stretches that a sample covers. */
static size_t stretches_of(const struct profiler *profiler, const struct profiler_sample *sample)
{
	uint64_t end = end_of_sample(profiler, sample);

	if (end <= sample->time + 1)
		return 1;
	return stretch_of(&profiler->profile, end - 1) -
	       stretch_of(&profiler->profile, sample->time) + 1;
}

/* Use longer stretches if samples would be in very many of them, as overlapping times are. */
static void limit_spread(struct profiler *profiler)
{
	struct profile *profile = &profiler->profile;
	size_t nr;

	do {
		nr = 0;
		for (size_t i = 0; i < profiler->samples.nr; i++)
			nr += stretches_of(profiler, &profiler->samples.items[i]);
		if (nr <= profiler->samples.nr + profiler->options.limits.cells)
			return;
		set_profile_stretches(profile, (profile->stretches + 1) / 2);
	} while (profile->stretches > 1);
}

/* Add the cells of a sample at @at. */
static void add_sample_cells(const struct profiler *profiler, const struct profiler_sample *sample,
			     struct profile_cell *at)
{
	const struct profile *profile = &profiler->profile;
	size_t nr = stretches_of(profiler, sample);
	uint64_t from = sample->time, end = sample->time + sample->period;
	uint32_t stretch = stretch_of(profile, from);

	for (size_t i = 0; i < nr; i++) {
		uint64_t next = profile->start + (stretch + i + 1) * profile->width;
		uint64_t until = i + 1 == nr ? end : next;

		*at++ = (struct profile_cell){
			.stretch = stretch + i, .node = sample->node,
			.samples = !i, .period = until - from,
		};
		from = until;
	}
}

/* Create the cells of all samples, by lane. */
static bool fill_cells(struct profiler *profiler)
{
	struct profile *profile = &profiler->profile;
	size_t *next = calloc(profile->lanes.nr + 1, sizeof(*next)), nr = 0;

	if (!next)
		return false;
	for (size_t i = 0; i < profiler->samples.nr; i++) {
		const struct profiler_sample *sample = &profiler->samples.items[i];
		struct profile_lane *lane = &profile->lanes.items[sample->lane];
		size_t stretches = stretches_of(profiler, sample);

		lane->cells += stretches;
		nr += stretches;
		if (stretches > 1)
			profile->events.items[lane->event].each = 0;
	}
	for (size_t i = 0; i < profile->lanes.nr; i++)
		next[i + 1] = next[i] + profile->lanes.items[i].cells;
	profile->cells.items = malloc((nr + 1) * sizeof(*profile->cells.items));
	for (size_t i = 0; profile->cells.items && i < profiler->samples.nr; i++) {
		const struct profiler_sample *sample = &profiler->samples.items[i];

		add_sample_cells(profiler, sample, &profile->cells.items[next[sample->lane]]);
		next[sample->lane] += stretches_of(profiler, sample);
	}
	free(next);
	profile->cells.nr = profile->cells.alloc = nr;
	return profile->cells.items;
}

/*
 * Merge stretches until there are at most @cells or @stretches.  Halving the number of stretches
 * leaves at least half of the cells, so cells are merged only when that may be enough.
 */
static void limit_cells(struct profile *profile, size_t cells, uint32_t stretches)
{
	while (profile->cells.nr > cells && profile->stretches > stretches) {
		size_t nr = profile->cells.nr;
		unsigned int halvings = 0;

		for (; nr > cells && profile->stretches > stretches; nr /= 2, halvings++) {
			profile->width *= profile->width <= UINT64_MAX / 2 ? 2 : 1;
			profile->stretches = (profile->stretches + 1) / 2;
		}
		for (size_t i = 0; i < profile->cells.nr; i++)
			profile->cells.items[i].stretch >>= halvings;
		join_lanes(profile);
	}
}

struct error *profiler_make_cells(struct profiler *profiler)
{
	const struct profile_limits *limits = &profiler->options.limits;
	struct profile *profile = &profiler->profile;
	bool fine = profiler->samples.nr > limits->fine_cells / 2;

	find_profile_times(profiler);
	set_profile_stretches(profile, limits->stretches * (fine ? limits->fine : 1));
	limit_spread(profiler);
	if (!fill_cells(profiler))
		return &error_no_memory;
	free(take_ptr(profiler->samples.items));
	profiler->samples.nr = profiler->samples.alloc = 0;
	join_lanes(profile);
	if (fine)
		limit_cells(profile, limits->fine_cells, limits->stretches);
	limit_cells(profile, limits->cells, 1);
	return NULL;
}

// SPDX-License-Identifier: GPL-2.0
/*
 * The cells of a page: the time is in fewer and wider stretches until they are as few as wanted.
 */
#include <stdlib.h>

#include "lib/array.h"
#include "profile/profiler.h"
#include "tap.h"

#define SAMPLES 100

static void check_cells(uint32_t stretches, size_t cells, uint32_t fine, size_t fine_cells,
			uint32_t want_stretches, size_t want_cells)
{
	const struct profile_options options = {
		.limits = {
			.cells = cells, .stretches = stretches,
			.fine = fine, .fine_cells = fine_cells,
		},
	};
	const struct profile_lane lane = { .cpu = 0 };
	const struct profile_event event = { .samples = SAMPLES };
	uint64_t samples = 0, outside = 0;
	struct profiler *profiler;
	const struct profile *profile;

	about("%u stretches, %zu cells, %u and %zu", stretches, cells, fine, fine_cells);
	if (profiler_create(&options, &profiler))
		exit(1);
	if (!array_push(&profiler->profile.lanes, lane) ||
	    !array_push(&profiler->profile.events, event))
		exit(1);
	for (size_t i = 0; i < SAMPLES; i++) {
		const struct profiler_sample sample = { .time = 1000 + 10 * i, .period = 1 };

		if (!array_push(&profiler->samples, sample))
			exit(1);
	}
	no_error(profiler_make_cells(profiler), "the cells are made");
	profile = &profiler->profile;
	is_u64(profile->stretches, want_stretches, "so many stretches are left");
	is_u64(profile->cells.nr, want_cells, "so many cells are left");
	for (size_t i = 0; i < profile->cells.nr; i++) {
		outside += profile->cells.items[i].stretch >= profile->stretches;
		samples += profile->cells.items[i].samples;
	}
	is_u64(outside, 0, "each is in a stretch that there is");
	is_u64(samples, SAMPLES, "they have all samples");
	ok(profile->width * profile->stretches >= profile->end - profile->start,
	   "the stretches are all of the time");
	profiler_destroy(profiler);
}

int main(void)
{
	check_cells(10, 10, 0, 0, 10, 10);
	check_cells(10, 9, 0, 0, 5, 5);
	check_cells(7, 4, 0, 0, 4, 4);
	check_cells(7, 3, 0, 0, 2, 2);
	check_cells(7, 1, 0, 0, 1, 1);
	/* Four times as many stretches, where samples are many and cells are not too many. */
	check_cells(10, 100, 4, 50, 40, 40);
	check_cells(10, 100, 4, 40, 40, 40);
	check_cells(10, 100, 4, 39, 20, 20);
	check_cells(10, 100, 4, 9, 10, 10);
	check_cells(10, 5, 4, 9, 5, 5);
	check_cells(10, 100, 4, 300, 10, 10);
	return tap_done();
}

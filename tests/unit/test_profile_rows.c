// SPDX-License-Identifier: GPL-2.0
/*
 * The single events that go into a page: their number is limited, and each event keeps one.
 */
#include <stdlib.h>
#include <unistd.h>

#include "lib/array.h"
#include "profile/profiler.h"
#include "tap.h"

#define MOST	20000

/* Limits that cannot be kept have made this endless. */
#define SECONDS	30

static struct profiler *profiler;

static bool add_row(size_t event)
{
	struct event of = { .index = event };
	const struct session_record r = { .event = &of };
	const struct profiler_sample sample = { .time = profiler->samples.nr };

	return array_push(&profiler->samples, sample) && !profiler_add_row(profiler, &r);
}

/* Add @nr_events events in turn, each @times times. */
static void check_rows(size_t nr_events, size_t times, size_t at_least, size_t at_most)
{
	const struct profile_options options = { .states = false };
	size_t without = 0;
	bool good = true;

	if (profiler_create(&options, &profiler))
		exit(1);
	for (size_t i = 0; i < nr_events * times && good; i++)
		good = add_row(i % nr_events);
	ok(good, "rows are taken");
	for (size_t i = 0; i < profiler->rows.nr; i++)
		without += !profiler->rows.items[i].nr;
	is_u64(profiler->rows.nr, nr_events, "every event has a list");
	is_u64(without, 0, "every event has a row");
	ok(profiler->nr_rows >= at_least && profiler->nr_rows <= at_most,
	   "there are as many rows as fit");
	is_u64(profiler_settle_rows(profiler) == NULL, 1, "they are brought into their order");
	is_u64(profiler->profile.rows.nr, profiler->nr_rows, "none gets lost");
	profiler_destroy(profiler);
}

int main(void)
{
	alarm(SECONDS);
	about("few rows");
	check_rows(3, 100, 300, 300);
	about("many rows of few events");
	check_rows(3, MOST, MOST / 4, MOST);
	about("more events than rows fit");
	check_rows(3 * MOST, 1, 3 * MOST, 3 * MOST);
	about("more events than rows fit, again and again");
	check_rows(MOST + 5000, 2, MOST + 5000, 2 * MOST);
	return tap_done();
}

// SPDX-License-Identifier: GPL-2.0
/*
 * The states of tasks that go into a page: their number is limited, and no time gets lost.
 */
#include <stdlib.h>

#include "lib/array.h"
#include "profile/profiler.h"
#include "tap.h"

#define TASKS	3
#define MANY	3000000
#define MOST	200000

static struct profiler *profiler;
static uint64_t spent[TASKS][PROFILE_STATES];

/* Have tasks go through their states, of some hundred ns each. */
static bool add_stays(size_t nr)
{
	uint64_t since[TASKS] = { 1000, 1000, 1000 };

	for (size_t i = 0; i < nr; i++) {
		size_t number = i % TASKS;
		struct sched_task task = {
			.index = number, .since = since[number],
			.state = TASK_RUNNING + i / TASKS % PROFILE_STATES,
		};
		uint64_t length = 100 + i * 7919 % 1000;

		since[number] += length;
		spent[number][task.state - TASK_RUNNING] += length;
		if (profiler_add_stay(profiler, &task, since[number]))
			return false;
	}
	return true;
}

static void check_stays(size_t at_least, size_t at_most)
{
	const struct profile *profile = &profiler->profile;
	size_t nr = 0, wrong_sums = 0, overlaps = 0;

	is_u64(profile->states.nr, TASKS, "every task with a name has its states");
	for (size_t i = 0; i < profile->states.nr; i++) {
		const struct profile_states *states = &profile->states.items[i];
		uint64_t sums[PROFILE_STATES] = { 0 }, last = 0;

		nr += states->nr;
		for (size_t k = 0; k < states->nr; k++) {
			overlaps += states->stays[k].since < last;
			last = states->stays[k].until;
			for (size_t state = 0; state < PROFILE_STATES; state++)
				sums[state] += states->stays[k].in[state];
		}
		wrong_sums += memcmp(sums, spent[states->task], sizeof(sums)) != 0;
	}
	ok(nr >= at_least && nr <= at_most, "there are as many stays as fit");
	is_u64(wrong_sums, 0, "each task has all of its time in each state");
	is_u64(overlaps, 0, "stays follow each other");
}

static void check_number(size_t nr, size_t at_least, size_t at_most)
{
	const struct profile_options options = { .states = true };

	memset(spent, 0, sizeof(spent));
	if (profiler_create(&options, &profiler))
		exit(1);
	for (uint32_t i = 0; i < TASKS; i++) {
		const struct profiler_sleeper sleeper = { .task = i, .named = true };

		if (!array_push(&profiler->sleepers, sleeper))
			exit(1);
	}
	ok(add_stays(nr), "stays are taken");
	is_u64(profiler_settle_stays(profiler) == NULL, 1, "they are brought into their number");
	check_stays(at_least, at_most);
	is_u64(profiler->profile.joined_stays > 0, nr > MOST, "whether any were joined is known");
	profiler_destroy(profiler);
}

int main(void)
{
	about("few stays");
	check_number(300, 300, 300);
	about("millions of stays");
	check_number(MANY, MOST / 4, MOST);
	return tap_done();
}

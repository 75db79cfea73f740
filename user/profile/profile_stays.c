// SPDX-License-Identifier: GPL-2.0
/*
 * The states of each task over time, as intervals.  Their number is limited: when there are too
 * many, short neighbours are merged into one, which has the time of each state.
 */
#include "profile/profiler.h"

#include <stdlib.h>

#include "lib/array.h"

#define MAX_STAYS	200000

/* The initial length up to which intervals are merged, ns. */
#define SHORTEST_STAY	1000

static bool is_short_pair(const struct profile_stay *last, const struct profile_stay *stay,
			  uint64_t shortest)
{
	return stay->since >= last->until && stay->until - last->since < shortest;
}

/* Merge the intervals of one task; returns the remaining number. */
static size_t join_stays(struct profile_stay *stays, size_t nr, uint64_t shortest)
{
	size_t left = 0;

	for (size_t i = 0; i < nr; i++) {
		struct profile_stay *last = left ? &stays[left - 1] : NULL;

		if (last && is_short_pair(last, &stays[i], shortest)) {
			last->until = stays[i].until;
			for (size_t k = 0; k < PROFILE_STATES; k++)
				last->in[k] += stays[i].in[k];
		} else {
			stays[left++] = stays[i];
		}
	}
	return left;
}

/* Merge until at most @max are left, or each task has only one. */
static void limit_stays(struct profiler *profiler, size_t max)
{
	uint64_t shortest = profiler->profile.joined_stays;

	while (profiler->nr_stays > max && shortest <= UINT64_MAX / 2) {
		shortest = shortest ? 2 * shortest : SHORTEST_STAY;
		profiler->nr_stays = 0;
		for (size_t i = 0; i < profiler->stays.nr; i++) {
			struct profiler_stays *list = &profiler->stays.items[i];

			if (list->nr)
				list->nr = join_stays(list->items, list->nr, shortest);
			profiler->nr_stays += list->nr;
		}
		profiler->profile.joined_stays = shortest;
	}
}

struct error *profiler_add_stay(struct profiler *profiler, const struct sched_task *task,
				uint64_t until)
{
	static const enum profile_state states[TASK_STATES] = {
		[TASK_RUNNING] = PROFILE_RUNNING, [TASK_RUNNABLE] = PROFILE_RUNNABLE,
		[TASK_BLOCKED] = PROFILE_BLOCKED,
	};
	struct profile_stay stay = { .since = task->since, .until = until };

	if (task->state != TASK_RUNNING && task->state != TASK_RUNNABLE &&
	    task->state != TASK_BLOCKED)
		return NULL;
	if (!array_at(&profiler->stays, task->index, 0))
		return &error_no_memory;
	stay.in[states[task->state]] = until - task->since;
	stay.at_least = task->at_least;
	stay.cpu = task->state == TASK_RUNNING ? task->cpu : -1;
	if (!array_push(&profiler->stays.items[task->index], stay))
		return &error_no_memory;
	/* Merging takes time for each interval, so it is done for many at once. */
	if (++profiler->nr_stays > 8 * MAX_STAYS)
		limit_stays(profiler, 2 * MAX_STAYS);
	return NULL;
}

/*
 * Events of other CPUs came before it was known that earlier records were lost.  Merged intervals
 * are too short to matter.
 */
static void cut_stays(const struct task_states *states, struct profiler_stays *list)
{
	for (size_t i = 0; i < list->nr; i++) {
		struct profile_stay *stay = &list->items[i];
		uint64_t length = stay->until - stay->since;
		struct lost_span lost;

		if (!length || !lost_spans_between(&states->lost, stay->cpu, stay->since,
						   stay->until, &lost))
			continue;
		stay->until = stay->at_least ? stay->since : lost.since;
		for (size_t k = 0; k < PROFILE_STATES; k++)
			if (stay->in[k])
				stay->in[k] = stay->in[k] == length ? stay->until - stay->since : 0;
	}
}

struct error *profiler_settle_stays(struct profiler *profiler)
{
	struct profile *profile = &profiler->profile;

	for (size_t i = 0; profiler->states.lost.any && i < profiler->stays.nr; i++)
		cut_stays(&profiler->states, &profiler->stays.items[i]);
	limit_stays(profiler, MAX_STAYS);
	for (size_t i = 0; i < profiler->stays.nr && i < profiler->sleepers.nr; i++) {
		const struct profiler_stays *list = &profiler->stays.items[i];
		const struct profile_states states = {
			.task = profiler->sleepers.items[i].task,
			.stays = list->items, .nr = list->nr,
		};

		/* A task without a name was never switched away from. */
		if (list->nr && profiler->sleepers.items[i].named &&
		    !array_push(&profile->states, states))
			return &error_no_memory;
	}
	return NULL;
}

void profiler_deinit_stays(struct profiler *profiler)
{
	array_free_each(&profiler->stays, .items);
	free(profiler->profile.states.items);
}

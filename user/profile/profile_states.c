// SPDX-License-Identifier: GPL-2.0
/*
 * The data of the scheduler's events in a profile: the tasks that ran on each CPU, wakeups, and, as
 * two artificial events, the waits of tasks by function.
 */
#include "profile/profiler.h"

#include <inttypes.h>
#include <stdlib.h>

#include "lib/array.h"
#include "lib/log.h"

/* The limits of runs and wakeups; beyond these, short ones are merged or left out. */
#define MAX_RUNS	200000
#define MAX_WAKES	50000
#define MAX_UNKNOWN	20000

/* The initial length up to which runs are merged, ns; it is doubled as needed. */
#define SHORTEST_RUN	1000

/* The data about a scheduler's task. */
static struct profiler_sleeper *find_sleeper(struct profiler *profiler,
					     const struct sched_task *task)
{
	return array_at(&profiler->sleepers, task->index, 0);
}

/* Add the wait of a task as a sample of an artificial event. */
static struct error *add_profile_wait(struct profiler *profiler, const struct sched_task *task,
				      const struct profiler_sleeper *sleeper, uint64_t until)
{
	bool blocked = task->state == TASK_BLOCKED;
	const struct profile_lane lane = {
		.event = blocked ? PROFILE_EVENT_BLOCKED : PROFILE_EVENT_RUNNABLE,
		.task = sleeper->task, .cpu = sleeper->cpu,
	};
	struct profile_event *event = &profiler->waits[blocked ? 0 : 1];
	struct profiler_sample sample = {
		.time = task->since, .period = until - task->since, .node = sleeper->node,
	};
	struct error *err = profiler_find_lane(profiler, &lane, &sample.lane);

	if (err)
		return err;
	event->samples++;
	event->period += sample.period;
	return array_push(&profiler->samples, sample) ? NULL : &error_no_memory;
}

static struct error *add_profile_run(struct profiler *profiler, const struct sched_task *task,
				     const struct profiler_sleeper *sleeper, uint64_t until)
{
	const struct profile_run run = {
		.since = task->since, .until = until, .task = sleeper->task, .cpu = task->cpu,
	};

	if (!sleeper->named || task->cpu < 0)
		return NULL;
	return array_push(&profiler->profile.runs, run) ? NULL : &error_no_memory;
}

static struct error *add_profile_wake(struct profiler *profiler, const struct sched_task *task,
				      const struct profiler_sleeper *sleeper, uint64_t until)
{
	const struct profile_wake wake = {
		.woken = task->woken, .runs = until, .waker = task->waker, .task = sleeper->task,
	};

	/* A task that was preempted was woken long before. */
	if (!sleeper->named || !task->woken || task->woken > until || task->leave.runnable)
		return NULL;
	return array_push(&profiler->profile.wakes, wake) ? NULL : &error_no_memory;
}

static struct error *take_stay(struct task_listener *listener, const struct sched_task *task,
			       uint64_t until, enum task_state next,
			       const struct sched_event *event)
{
	struct profiler *profiler = container_of(listener, struct profiler, listener);
	struct profiler_sleeper *sleeper = find_sleeper(profiler, task);
	struct error *err = NULL;

	if (!sleeper)
		return &error_no_memory;
	if (event && event->kind == SCHED_EVENT_SWITCH && task->tid == event->tid &&
	    task->tid == event->sample->sample.tid) {
		*sleeper = profiler->current;
		sleeper->named = sleeper->sleeps = true;
	}
	if (until < task->since)
		return NULL;
	err = profiler_add_stay(profiler, task, until);
	if (err)
		return err;
	if (task->state == TASK_RUNNING)
		err = add_profile_run(profiler, task, sleeper, until);
	else if (sleeper->sleeps && (task->state == TASK_BLOCKED || task->state == TASK_RUNNABLE))
		err = add_profile_wait(profiler, task, sleeper, until);
	if (!err && task->state == TASK_RUNNABLE && next == TASK_RUNNING && event)
		err = add_profile_wake(profiler, task, sleeper, until);
	/* Its location behind a loss is unknown. */
	if ((next == TASK_RUNNING || next == TASK_UNKNOWN) && event)
		sleeper->sleeps = false;
	return err;
}

struct error *profiler_take_states(struct profiler *profiler, const struct session_record *r,
				   const struct profiler_sample *sample)
{
	const struct profile_lane *lane = &profiler->profile.lanes.items[sample->lane];
	struct sched_event event;
	struct error *err;

	if (!profiler->options.states || !r->format)
		return NULL;
	err = sched_event_read(&profiler->sched_events, r, &event);
	if (err || !event.kind)
		return err;
	profiler->processes = r->processes;
	profiler->states.listener = &profiler->listener;
	profiler->listener.stay = take_stay;
	profiler->current = (struct profiler_sleeper){
		.node = sample->node, .task = lane->task, .cpu = lane->cpu,
	};
	return task_states_apply(&profiler->states, &event);
}

/* If only chosen tasks were recorded, the switches do not show when these get a CPU. */
static void say_how_many_begin_unseen(const struct task_states *states)
{
	if (states->strangers * 10 > states->switches)
		log_notice("%" PRIu64 " of %" PRIu64 " switches are away from threads that were not "
			   "seen to begin, so some time that is shown as waiting was running. "
			   "Recordings of all tasks (-a), or with --switch-events, tell both apart.",
			   states->strangers, states->switches);
}

struct error *profiler_finish_states(struct profiler *profiler)
{
	if (!profiler->processes)
		return NULL;
	say_how_many_begin_unseen(&profiler->states);
	return task_states_finish(&profiler->states, profiler->processes);
}

void profiler_deinit_states(struct profiler *profiler)
{
	free(profiler->sleepers.items);
	free(profiler->profile.runs.items);
	free(profiler->profile.wakes.items);
	free(profiler->profile.unknown.items);
	profiler_deinit_stays(profiler);
	sched_events_deinit(&profiler->sched_events);
	task_states_deinit(&profiler->states);
}

/* Give the events of waiting an index behind those of the recording. */
static struct error *number_waits(struct profiler *profiler)
{
	struct profile *profile = &profiler->profile;

	profile->waits = SIZE_MAX;
	if (!profiler->waits[0].samples && !profiler->waits[1].samples)
		return NULL;
	if (profiler->nr_events && !array_at(&profile->events, profiler->nr_events - 1, 0))
		return &error_no_memory;
	profile->waits = profile->events.nr;
	for (size_t i = 0; i < 2; i++)
		if (!array_push(&profile->events, profiler->waits[i]))
			return &error_no_memory;
	for (size_t i = 0; i < profile->lanes.nr; i++) {
		struct profile_lane *lane = &profile->lanes.items[i];

		if (lane->event == PROFILE_EVENT_BLOCKED)
			lane->event = profile->waits;
		else if (lane->event == PROFILE_EVENT_RUNNABLE)
			lane->event = profile->waits + 1;
	}
	return NULL;
}

DEFINE_COMPARISON(compare_runs, struct profile_run, array_order(x->cpu, y->cpu) ?:
		  array_order(x->since, y->since))

/* Merge neighbours that are shorter than @shortest and as close to each other. */
static void join_runs(struct profile *profile, uint64_t shortest)
{
	struct profile_run *runs = profile->runs.items;
	size_t left = 0;

	for (size_t i = 0; i < profile->runs.nr; i++) {
		struct profile_run *last = left ? &runs[left - 1] : NULL;

		if (last && last->cpu == runs[i].cpu && runs[i].until - last->since < shortest) {
			if (last->task != runs[i].task)
				last->task = PROFILE_SEVERAL;
			last->until = runs[i].until > last->until ? runs[i].until : last->until;
		} else {
			runs[left++] = runs[i];
		}
	}
	profile->runs.nr = left;
}

/* The longest waits come first. */
DEFINE_COMPARISON(compare_wakes, struct profile_wake,
		  array_descending(x->runs - x->woken, y->runs - y->woken))

/* A wait counts up to the first loss that may have ended it. */
static void cut_waits(struct profiler *profiler)
{
	for (size_t i = 0; i < profiler->samples.nr; i++) {
		struct profiler_sample *sample = &profiler->samples.items[i];
		uint32_t event = profiler->profile.lanes.items[sample->lane].event;
		struct lost_span lost;

		if ((event != PROFILE_EVENT_BLOCKED && event != PROFILE_EVENT_RUNNABLE) ||
		    !lost_spans_between(&profiler->states.lost, LOST_SPANS_ANY_CPU, sample->time,
					sample->time + sample->period, &lost))
			continue;
		profiler->waits[event == PROFILE_EVENT_RUNNABLE].period -=
			sample->period - (lost.since - sample->time);
		sample->period = lost.since - sample->time;
	}
}

DEFINE_COMPARISON(compare_unknown, struct profile_unknown,
		  array_descending(x->until - x->since, y->until - y->since))

/* Cut intervals at losses, and keep the losses. */
static struct error *settle_losses(struct profiler *profiler)
{
	struct profile *profile = &profiler->profile;
	const struct lost_spans *lost = &profiler->states.lost;

	cut_waits(profiler);
	for (size_t i = 0; i < profile->runs.nr; i++) {
		struct profile_run *run = &profile->runs.items[i];
		struct lost_span span;

		/* It was seen on another CPU later, before the losses of this one were known. */
		if (task_states_lost(&profiler->states, TASK_RUNNING, run->cpu, run->since,
				     run->until, &span))
			run->until = span.since;
	}
	for (size_t i = 0; i < lost->cpus.nr; i++)
		for (size_t k = 0; k < lost->cpus.items[i].nr; k++) {
			const struct lost_span *span = &lost->cpus.items[i].items[k];
			const struct profile_unknown unknown = {
				span->since, span->until, (int32_t)i - 1,
			};

			if (!array_push(&profile->unknown, unknown))
				return &error_no_memory;
		}
	if (profile->unknown.nr > MAX_UNKNOWN) {
		array_sort(&profile->unknown, compare_unknown);
		profile->unknown.nr = MAX_UNKNOWN;
	}
	return NULL;
}

struct error *profiler_settle_states(struct profiler *profiler)
{
	struct profile *profile = &profiler->profile;
	struct error *err = profiler->states.lost.any ? settle_losses(profiler) : NULL;

	if (!err)
		err = number_waits(profiler);

	array_sort(&profile->runs, compare_runs);
	for (uint64_t shortest = SHORTEST_RUN; profile->runs.nr > MAX_RUNS && shortest;
	     shortest *= 2) {
		join_runs(profile, shortest);
		profile->joined = shortest;
	}
	array_sort(&profile->wakes, compare_wakes);
	if (profile->wakes.nr > MAX_WAKES)
		profile->wakes.nr = MAX_WAKES;
	return err ? err : profiler_settle_stays(profiler);
}

// SPDX-License-Identifier: GPL-2.0
#include "cmd/sched/sched_window_state.h"

/* Whether it is known how long a task waits, if it has not been seen to do anything itself. */
static bool window_tells_of(const struct sched_window *w, int32_t tid)
{
	return !w->of_command || recorded_tasks_has(&w->recorded, tid);
}

/* One of the tasks that an event in the window, or in a delay that has begun there, is about. */
static struct error *window_take_part(struct sched_window *w, const struct sched_event *e,
				      int32_t tid, struct window_task **ret)
{
	struct error *err = tid > 0 ? window_task_need(w, tid) : NULL;

	*ret = !err && tid > 0 ? window_task_find(w, tid) : NULL;
	if (*ret && (!(*ret)->first || e->time < (*ret)->first))
		(*ret)->first = e->time;
	return err;
}

static bool sched_event_wakes(const struct sched_event *e)
{
	return e->kind == SCHED_EVENT_WAKING || e->kind == SCHED_EVENT_WAKEUP ||
	       e->kind == SCHED_EVENT_WAKEUP_NEW;
}

/* A task begins to run, or stops without waiting for a CPU; samples come in any order. */
static void window_end_wait(struct window_task *task, uint64_t time)
{
	if (time > task->switched)
		task->switched = time;
	if (time > task->waits && (!task->ended || time < task->ended))
		task->ended = time;
}

static void window_begin_wait(struct window_task *task, uint64_t time)
{
	if (time <= task->waits)
		return;
	task->waits = time;
	if (task->ended <= time)
		task->ended = task->switched > time ? task->switched : 0;
}

static struct error *window_take_delay_switch(struct sched_window *w, const struct sched_event *e)
{
	bool has_cpu = e->cpu >= 0 && (size_t)e->cpu < w->nr_cpus;
	struct window_task *task;
	struct error *err;

	task = NULL;
	err = window_tells_of(w, e->next_tid) ? window_take_part(w, e, e->next_tid, &task) : NULL;
	if (task)
		window_end_wait(task, e->time);
	if (has_cpu && (!w->cpus[e->cpu].inside || e->time < w->cpus[e->cpu].inside))
		w->cpus[e->cpu].inside = e->time;
	if (!err)
		err = window_take_part(w, e, e->tid, &task);
	/* If it waits already, as its last switch is lost, to stop does not end that. */
	if (task && !e->leave.runnable)
		window_end_wait(task, e->time);
	if (task && window_has(w, e->time) &&
	    (e->leave.runnable || (w->off_cpu && !e->leave.dead)))
		window_begin_wait(task, e->time);
	return err;
}

/*
 * What a delay is depends on all tasks that do anything meanwhile.  A task that runs already when
 * it is woken does not wait: it stops without having begun to run.
 */
struct error *window_take_delay(struct sched_window *w, const struct sched_event *e)
{
	struct window_task *task;
	struct error *err;

	if (e->kind == SCHED_EVENT_SWITCH)
		return window_take_delay_switch(w, e);
	task = NULL;
	err = window_tells_of(w, e->tid) ? window_take_part(w, e, e->tid, &task) : NULL;
	if (err || !sched_event_wakes(e))
		return err;
	if (task && window_has(w, e->time))
		window_begin_wait(task, e->time);
	return window_take_part(w, e, e->sample->sample.tid, &task);
}

static bool window_has_waiting(const struct sched_window *w)
{
	for (size_t i = 0; i < w->tasks.nr; i++)
		if (w->tasks.items[i].waits && !w->tasks.items[i].ended)
			return true;
	return false;
}

struct error *window_follow_delays(struct sched_window *w)
{
	uint64_t step = WINDOW_FIRST_STEP;
	struct error *err = NULL;

	while (!err && w->until < w->last && window_has_waiting(w)) {
		window_step_on(w, w->until + 1, step);
		w->until = w->step.end;
		err = window_read(w, NULL);
		step *= 2;
	}
	return err;
}

struct error *window_find_begin(struct sched_window *w)
{
	uint64_t step = WINDOW_FIRST_STEP, from = w->first;
	struct error *err = NULL;

	w->seeks_begin = true;
	while (!err && !w->begin && from <= w->last) {
		window_step_on(w, from, step);
		err = window_read(w, NULL);
		from = w->step.end + 1;
		step *= 2;
	}
	w->seeks_begin = false;
	return err;
}

bool window_has_unseen_sleeps(const struct sched_window *w)
{
	return w->off_cpu && w->window->start <= w->begin;
}

uint64_t window_end_of_delays(const struct sched_window *w)
{
	uint64_t end = w->window->end;

	if (!end || window_has_waiting(w))
		return w->until;
	for (size_t i = 0; i < w->tasks.nr; i++)
		if (w->tasks.items[i].waits && w->tasks.items[i].ended > end)
			end = w->tasks.items[i].ended;
	return end;
}

uint64_t window_end_of_needs(const struct sched_window *w)
{
	uint64_t end = window_end_of_delays(w);

	for (size_t i = 0; i < w->nr_cpus; i++)
		if (w->cpus[i].inside > end)
			end = w->cpus[i].inside;
	return end;
}

uint64_t window_start_of_interrupts(const struct sched_window *w)
{
	const struct event_list *events = reader_events(w->reader);
	uint64_t start = w->window->start;
	bool has = false;

	for (size_t i = 0; i < events->nr; i++)
		has |= selection_names_event("irq:*,irq_vectors:*", events->items[i]);
	for (size_t i = 0; has && i < w->nr_cpus; i++) {
		uint64_t before = w->cpus[i].before ? w->cpus[i].before : w->first;

		if (before < start)
			start = before;
	}
	return start;
}

// SPDX-License-Identifier: GPL-2.0
#include <string.h>

#include "cmd/sched/sched_window_state.h"
#include "lib/array.h"
#include "lib/hash.h"
#include "record/body.h"

bool window_has(const struct sched_window *w, uint64_t time)
{
	return time >= w->window->start && (!w->window->end || time <= w->window->end);
}

struct window_task *window_task_find(struct sched_window *w, int64_t key)
{
	uint32_t *recent = &w->recent[key & (WINDOW_RECENT - 1)];
	size_t at;

	if (*recent && w->tasks.items[*recent - 1].key == key)
		return &w->tasks.items[*recent - 1];
	for (bool more = hash_table_first(&w->by_key, hash_key_number(key), &at); more;
	     more = hash_table_next(&w->by_key, &at)) {
		struct window_task *task = &w->tasks.items[hash_table_value(&w->by_key, at)];

		if (task->key != key)
			continue;
		*recent = hash_table_value(&w->by_key, at) + 1;
		return task;
	}
	return NULL;
}

struct error *window_task_need(struct sched_window *w, int64_t key)
{
	const struct window_task task = { .key = key };

	if (window_task_find(w, key))
		return NULL;
	if (!array_push(&w->tasks, task) ||
	    !hash_table_add(&w->by_key, hash_key_number(key), w->tasks.nr - 1))
		return &error_no_memory;
	return NULL;
}

static int64_t window_key(const struct sched_event *e, int32_t tid)
{
	return tid ? tid : -(int64_t)e->cpu - 1;
}

/* An event in the window.  The table shows of a task how long it waited when it stops. */
static struct error *window_take_inside(struct sched_window *w, const struct sched_event *e)
{
	return e->kind == SCHED_EVENT_SWITCH ? window_task_need(w, window_key(e, e->tid)) : NULL;
}

/* The first switch of a CPU behind the window. */
static struct error *window_take_straddler(struct sched_window *w, const struct sched_event *e)
{
	struct error *err = window_take_inside(w, e);
	struct window_task *task = err || e->kind != SCHED_EVENT_SWITCH ? NULL :
				   window_task_find(w, window_key(e, e->tid));

	if (task && e->time > task->straddles)
		task->straddles = e->time;
	return err;
}

/* The last switch of a task tells its state, with what has woken or moved it since then. */
static struct error *window_take_past(struct sched_window *w, const struct sched_event *e)
{
	const int32_t tids[] = { e->tid, e->next_tid };
	size_t nr = e->kind == SCHED_EVENT_SWITCH ? 2 : e->kind == SCHED_EVENT_RUNTIME ? 0 : 1;

	for (size_t i = 0; i < nr; i++) {
		struct window_task *task = tids[i] > 0 ? window_task_find(w, tids[i]) : NULL;
		struct window_waking waking = { .time = e->time };

		if (!task || task->done)
			continue;
		waking.task = task - w->tasks.items;
		if (nr == 1 && !array_push(&w->wakings, waking))
			return &error_no_memory;
		if (nr == 2 && e->time > task->stopped)
			task->stopped = e->time;
	}
	if (nr == 2 && e->cpu >= 0 && (size_t)e->cpu < w->nr_cpus &&
	    e->time > w->cpus[e->cpu].before)
		w->cpus[e->cpu].before = e->time;
	return NULL;
}

static struct error *window_take_before(struct sched_window *w, const struct sched_event *e)
{
	struct window_task *task = window_task_find(w, window_key(e, e->tid));
	struct window_waking waking = { .time = e->time };
	bool has_cpu = e->cpu >= 0 && (size_t)e->cpu < w->nr_cpus;

	if (e->kind == SCHED_EVENT_SWITCH) {
		if (task && !task->done && e->time > task->stopped)
			task->stopped = e->time;
		if (has_cpu && e->time > w->cpus[e->cpu].before)
			w->cpus[e->cpu].before = e->time;
		return NULL;
	}
	if (!task || task->done || e->kind == SCHED_EVENT_MIGRATE ||
	    e->kind == SCHED_EVENT_RUNTIME)
		return NULL;
	waking.task = task - w->tasks.items;
	return array_push(&w->wakings, waking) ? NULL : &error_no_memory;
}

/* Of each CPU, the earliest switch counts, which need not come first. */
static void window_take_behind(struct sched_window *w, const struct sched_event *e)
{
	struct window_cpu *cpu;

	if (e->kind != SCHED_EVENT_SWITCH || e->cpu < 0 || (size_t)e->cpu >= w->nr_cpus)
		return;
	cpu = &w->cpus[e->cpu];
	if (!cpu->behind || e->time < cpu->behind)
		cpu->behind = e->time;
}

/* If switches are lost, a task that straddles may have been seen on another CPU in between. */
static struct error *window_take_between(struct sched_window *w, const struct sched_event *e)
{
	const int32_t tids[] = { e->tid, e->next_tid };
	size_t nr = e->kind == SCHED_EVENT_SWITCH ? 2 : e->kind == SCHED_EVENT_RUNTIME ? 0 : 1;
	bool is_told = false;

	for (size_t i = 0; i < nr; i++) {
		const struct window_task *task = tids[i] > 0 ? window_task_find(w, tids[i]) : NULL;

		is_told |= task && task->straddles > e->time;
	}
	return is_told && !array_push(&w->between, e->time) ? &error_no_memory : NULL;
}

/*
 * Of the first 64 events, the kinds are remembered, so that samples of which nothing would be taken
 * are not decoded.  A task that was seen to have run for longer was neither switched nor woken.
 */
static bool window_may_skip(const struct sched_window *w, const struct record *record)
{
	uint64_t useless = w->of_kind[SCHED_EVENT_OTHER];

	if (record->event->index >= 64)
		return false;
	if (!w->seeks_begin)
		useless |= w->of_kind[SCHED_EVENT_RUNTIME];
	if (!w->seeks_begin && !w->seeks_between && !w->delays) {
		useless |= w->of_kind[SCHED_EVENT_MIGRATE];
		if (record->time >= w->window->start)
			useless |= w->of_kind[SCHED_EVENT_WAKING] |
				   w->of_kind[SCHED_EVENT_WAKEUP] |
				   w->of_kind[SCHED_EVENT_WAKEUP_NEW];
	}
	return useless & 1ULL << record->event->index;
}

static void window_learn(struct sched_window *w, const struct event *event,
			 enum sched_event_kind kind)
{
	if (event->index < 64)
		w->of_kind[kind] |= 1ULL << event->index;
}

struct error *window_take_sample(struct sched_window *w, const struct record *record)
{
	struct session_record r = {
		.record = *record, .event = record->event, .events = reader_events(w->reader),
	};
	struct event *event = reader_events(w->reader)->items[record->event->index];
	struct sched_event e = { 0 };
	struct error *err;

	if (event->attr.type != PERF_TYPE_TRACEPOINT || window_may_skip(w, record))
		return NULL;
	if (!event->format)
		event->format = formats_find(reader_formats(w->reader), event->attr.config);
	r.format = event->format;
	if (!r.format || strcmp(r.format->system, "sched")) {
		window_learn(w, event, SCHED_EVENT_OTHER);
		return NULL;
	}
	if (!sample_decode(record->event, record->header, &r.sample))
		return NULL;
	err = sched_event_read(&w->events, &r, &e);
	if (!err)
		window_learn(w, event, e.kind);
	if (err || !e.kind)
		return err;
	if (w->seeks_begin) {
		if (!w->begin || e.time < w->begin)
			w->begin = e.time;
		return NULL;
	}
	if (w->seeks_straddlers)
		return window_take_straddler(w, &e);
	if (w->seeks_between)
		return window_take_between(w, &e);
	if (w->window->start && e.time < w->window->start)
		return w->delays ? window_take_past(w, &e) : window_take_before(w, &e);
	if (e.time <= w->until)
		return w->delays ? window_take_delay(w, &e) : window_take_inside(w, &e);
	window_take_behind(w, &e);
	return NULL;
}

struct error *window_take_fork(struct sched_window *w, const struct record *record)
{
	const struct body_task *body = body_of(record->header, struct body_task);
	struct window_fork fork = { .time = record->time };

	if (!body || !record->time || (record->time > w->window->start && !w->delays) ||
	    record->header->misc & PERF_RECORD_MISC_FORK_EXEC)
		return NULL;
	fork.tid = body->tid;
	return array_push(&w->forks, fork) ? NULL : &error_no_memory;
}

void window_apply_forks(struct sched_window *w)
{
	for (size_t i = 0; i < w->forks.nr; i++) {
		struct window_task *task = window_task_find(w, w->forks.items[i].tid);

		if (!task)
			continue;
		/* What begins in the window has no past. */
		if (w->forks.items[i].time > w->window->start)
			task->forked_inside |= w->forks.items[i].time <= task->first;
		else if (w->forks.items[i].time > task->forked)
			task->forked = w->forks.items[i].time;
	}
}

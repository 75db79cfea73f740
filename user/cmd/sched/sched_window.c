// SPDX-License-Identifier: GPL-2.0
/*
 * The search for the samples that define a window.  Its parts are read, then the samples behind and
 * before it, in steps that double, until the state of each task at the window's ends is known.
 */
#include "cmd/sched/sched_window.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "cmd/recording.h"
#include "lib/array.h"
#include "lib/cpumap.h"
#include "lib/hash.h"
#include "lib/hash_table.h"
#include "perfdata/reader.h"
#include "record/body.h"
#include "record/header.h"
#include "states/recorded_tasks.h"
#include "states/sched_event.h"

/* Before the window something is nearly always to be looked for. */
#define FIRST_STEP_BEFORE	(8 * WINDOW_FIRST_STEP)

/* A FORK may come that much later than the first event of its task, if clocks differ. */
#define FORK_SLACK	1000000000ULL

/* The first step away from the window, in ns; each further one is twice as long. */
#define WINDOW_FIRST_STEP	1000000ULL

/* Size of the table that remembers where tasks were last found. */
#define WINDOW_RECENT	256

/* So few tasks are looked for by their numbers; with more, most parts have one of them. */
#define WINDOW_WORDS	8

/* A task whose state at the beginning of the window is needed. */
struct window_task {
	int64_t key;		/* its tid; of the idle task of CPU n: -n - 1 */
	uint64_t forked;	/* it has no events before; 0: unknown */
	/* When it last stopped running, or for delays also began to, before that; 0: not found. */
	uint64_t stopped;
	uint64_t woken;		/* when it was first woken since then; 0: it was not */
	bool done;		/* all of its past that counts has been read */
	uint64_t straddles;	/* when it stops running behind the window; 0: it does not */

	/* For delays only. */
	uint64_t first;		/* its first event in the window */
	bool forked_inside;	/* before that event */
	uint64_t waits;		/* since then, unless it was switched later; 0: it does not */
	uint64_t switched;	/* when it last began to run, or stopped without waiting */
	uint64_t ended;		/* the first such time since @waits; 0: not found */
};

struct window_fork {
	int32_t tid;
	uint64_t time;
};

struct window_waking {
	size_t task;		/* index */
	uint64_t time;
};

/* The switches that are next to the window; 0: not found. */
struct window_cpu {
	uint64_t before, behind;
	uint64_t inside;	/* for delays: the first one in the window, until they end */
};

struct sched_window {
	struct reader *reader;
	const struct time_range *window;
	uint64_t until;			/* the window's end; of delays, that of the last one */
	bool delays;			/* for `ktrace why`, not for timehist */
	bool off_cpu;			/* they begin when tasks go to sleep */
	bool seeks_begin;		/* the current reading is only to find @begin */
	bool seeks_straddlers;		/* ... has the switches behind the window */
	bool seeks_between;		/* ... is only to find @between */
	uint64_t begin;			/* the first event of the scheduler; 0: not looked for */
	struct time_range step;		/* the current reading; both ends are included */
	struct sched_events events;
	uint64_t of_kind[SCHED_EVENT_KINDS];	/* bits 1 << index: the events of each kind */
	bool of_command;		/* delays of other tasks than @recorded are unknown */
	struct recorded_tasks recorded;
	ARRAY_OF(struct window_task) tasks;
	struct hash_table by_key;
	uint32_t recent[WINDOW_RECENT];		/* by the low bits of the key: index + 1; 0: none */
	ARRAY_OF(struct window_waking) wakings;
	ARRAY_OF(struct window_fork) forks;
	ARRAY_OF(uint64_t) between;	/* when straddling tasks do more than straddle */
	struct window_cpu *cpus;
	size_t nr_cpus;
	struct cpumap lacking;		/* CPUs whose switch is still missing */
	uint64_t first, last;		/* times of samples, by the index */
	bool has_state;			/* records that are no samples were read */
	/* A task is not needed if its first event is later: reading ends before. */
	uint64_t needed_until;
	uint32_t words[WINDOW_WORDS];	/* the numbers of tasks whose past is still to be read */
	size_t nr_words;
	bool has_words;			/* scheduler events have their tasks as 32-bit words */
};

static bool window_has(const struct sched_window *w, uint64_t time)
{
	return time >= w->window->start && (!w->window->end || time <= w->window->end);
}

static struct window_task *window_task_find(struct sched_window *w, int64_t key)
{
	uint32_t *recent = &w->recent[key & (WINDOW_RECENT - 1)];

	if (*recent && w->tasks.items[*recent - 1].key == key)
		return &w->tasks.items[*recent - 1];
	hash_table_each(&w->by_key, hash_key_number(key), n) {
		struct window_task *task = &w->tasks.items[n];

		if (task->key != key)
			continue;
		*recent = n + 1;
		return task;
	}
	return NULL;
}

/* From now on, the state of the task with this key is needed.  The error is to be out of memory. */
static struct error *window_task_need(struct sched_window *w, int64_t key)
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

/* The last switch of a task defines its state, with its wakeups and moves since then. */
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

/* The earliest switch of each CPU counts, which need not be read first. */
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
 * A delay depends on all tasks with an event in it.  A task that already runs when it is woken does
 * not wait: it stops without a recorded start.
 */
static struct error *window_take_delay(struct sched_window *w, const struct sched_event *e)
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

/*
 * The kinds of the first 64 events are remembered, so that samples that would be ignored are not
 * decoded.  A task that was seen to have run for longer was neither switched nor woken.
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

static struct error *window_take_sample(struct sched_window *w, const struct record *record)
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

static struct error *window_take_fork(struct sched_window *w, const struct record *record)
{
	const struct body_task *body = body_of(record->header, struct body_task);
	struct window_fork fork = { .time = record->time };

	if (!body || !record->time || (record->time > w->window->start && !w->delays) ||
	    record->header->misc & PERF_RECORD_MISC_FORK_EXEC)
		return NULL;
	fork.tid = body->tid;
	return array_push(&w->forks, fork) ? NULL : &error_no_memory;
}

/* When all is read, set the times at which tasks were forked. */
static void window_apply_forks(struct sched_window *w)
{
	for (size_t i = 0; i < w->forks.nr; i++) {
		struct window_task *task = window_task_find(w, w->forks.items[i].tid);

		if (!task)
			continue;
		/* A task that is forked in the window has no past. */
		if (w->forks.items[i].time > w->window->start)
			task->forked_inside |= w->forks.items[i].time <= task->first;
		else if (w->forks.items[i].time > task->forked)
			task->forked = w->forks.items[i].time;
	}
}
/* Read the samples of w->step of @cpus (NULL: all), and samples with one of w->words. */
static struct error *window_read(struct sched_window *w, const struct cpumap *cpus)
{
	const struct record_scope scope = {
		.times = &w->step, .nr_times = 1, .cpus = cpus, .events = UINT64_MAX,
		.words = w->words, .nr_words = w->nr_words, .samples_only = w->has_state,
	};
	struct error *err = reader_narrow(w->reader, &scope);
	enum record_status status = RECORD_OK;
	struct record record;

	while (!err) {
		status = record_source_next(reader_source(w->reader), &record, &err);
		if (status != RECORD_OK)
			break;
		if (record.header->type != PERF_RECORD_SAMPLE && w->of_command)
			err = recorded_tasks_take(&w->recorded, record.header);
		if (err)
			break;
		if (record.header->type == PERF_RECORD_FORK)
			err = window_take_fork(w, &record);
		else if (record.header->type == PERF_RECORD_SAMPLE && record.event &&
		    record.time >= w->step.start && record.time <= w->step.end)
			err = window_take_sample(w, &record);
	}
	w->has_state = true;
	return err;
}

/* Set w->step to @size ns from @from on, or less at the recording's end. */
static void window_step_on(struct sched_window *w, uint64_t from, uint64_t size)
{
	w->step.start = from;
	w->step.end = size && size - 1 < w->last - from ? from + size - 1 : w->last;
}

static bool window_has_waiting(const struct sched_window *w)
{
	return array_any(&w->tasks, it, it->waits && !it->ended);
}

static struct error *window_follow_delays(struct sched_window *w)
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

/* Find w->begin, the first event of the scheduler: unknown states of tasks begin there. */
static struct error *window_find_begin(struct sched_window *w)
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

/*
 * Whether there may be sleeps with a known end only.  They begin with the recording.  Sleeps that
 * end behind the window are known only from the samples there.
 */
static bool window_has_unseen_sleeps(const struct sched_window *w)
{
	return w->off_cpu && w->window->start <= w->begin;
}

/* The end of the delays.  Samples that were read to find it may be later. */
static uint64_t window_end_of_delays(const struct sched_window *w)
{
	uint64_t end = w->window->end;

	if (!end || window_has_waiting(w))
		return w->until;
	for (size_t i = 0; i < w->tasks.nr; i++)
		if (w->tasks.items[i].waits && w->tasks.items[i].ended > end)
			end = w->tasks.items[i].ended;
	return end;
}

/* Also read the switches behind the delays that end the runs of CPUs. */
static uint64_t window_end_of_needs(const struct sched_window *w)
{
	uint64_t end = window_end_of_delays(w);

	for (size_t i = 0; i < w->nr_cpus; i++)
		if (w->cpus[i].inside > end)
			end = w->cpus[i].inside;
	return end;
}

/* No interrupt goes on while a CPU switches, so those of the window begin behind that. */
static uint64_t window_start_of_interrupts(const struct sched_window *w)
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
DEFINE_COMPARISON(window_compare_times, struct time_range, array_order(x->start, y->start))

static struct error *window_add(struct time_ranges *ret, uint64_t time)
{
	const struct time_range at = { time, time };

	return !time || array_push(ret, at) ? NULL : &error_no_memory;
}

/* Sort the window among the single times.  Leave out times in the window, and duplicates. */
static struct error *window_tidy(struct time_ranges *ranges, const struct time_range *window)
{
	size_t nr = 0;

	for (size_t i = 0; i < ranges->nr; i++) {
		uint64_t time = ranges->items[i].start;

		if (time < window->start || (window->end && time > window->end))
			ranges->items[nr++] = ranges->items[i];
	}
	ranges->nr = nr;
	if (!array_push(ranges, *window))
		return &error_no_memory;
	array_sort(ranges, window_compare_times);
	nr = 0;
	for (size_t i = 0; i < ranges->nr; i++)
		if (!nr || ranges->items[nr - 1].start != ranges->items[i].start)
			ranges->items[nr++] = ranges->items[i];
	ranges->nr = nr;
	ranges->ordered = true;
	return NULL;
}

/* Only the first waking after a task has stopped counts. */
static void window_find_woken(struct sched_window *w)
{
	for (size_t i = 0; i < w->wakings.nr; i++) {
		const struct window_waking *waking = &w->wakings.items[i];
		struct window_task *task = &w->tasks.items[waking->task];

		if (waking->time >= task->stopped && (!task->woken || waking->time < task->woken))
			task->woken = waking->time;
	}
}

static struct error *window_collect_wakings(const struct sched_window *w, struct time_ranges *ret)
{
	struct error *err = NULL;

	for (size_t i = 0; w->delays && i < w->wakings.nr && !err; i++)
		if (w->wakings.items[i].time >= w->tasks.items[w->wakings.items[i].task].stopped)
			err = window_add(ret, w->wakings.items[i].time);
	return err;
}

static struct error *window_collect(struct sched_window *w, struct time_ranges *ret)
{
	struct time_range window = *w->window;
	struct error *err;

	window_find_woken(w);
	err = window_collect_wakings(w, ret);
	if (w->delays) {
		window.start = window_start_of_interrupts(w);
		window.end = window_end_of_delays(w);
		if (!err)
			err = window_add(ret, w->begin);
	}

	for (size_t i = 0; i < w->tasks.nr && !err; i++)
		err = window_add(ret, w->tasks.items[i].stopped);
	for (size_t i = 0; i < w->tasks.nr && !err; i++)
		err = window_add(ret, w->tasks.items[i].woken);
	for (size_t i = 0; i < w->between.nr && !err; i++)
		err = window_add(ret, w->between.items[i]);
	for (size_t i = 0; i < w->nr_cpus && !err; i++) {
		err = window_add(ret, w->cpus[i].before);
		if (!err && w->cpus[i].inside > window.end)
			err = window_add(ret, w->cpus[i].inside);
		if (!err)
			err = window_add(ret, w->cpus[i].behind);
	}
	return err ? err : window_tidy(ret, &window);
}
/* Find the CPUs whose switch is still missing; false: there are none. */
static bool window_lacks_cpus(struct sched_window *w, bool behind)
{
	w->lacking.nr = 0;
	for (size_t i = 0; i < w->nr_cpus; i++)
		if (!(behind ? w->cpus[i].behind || (w->delays && (w->cpus[i].before ||
								   w->cpus[i].inside)) :
			       w->cpus[i].before))
			w->lacking.cpus[w->lacking.nr++] = i;
	return w->lacking.nr;
}

/* Whether the past of some task is still unknown after everything behind @from was read. */
static bool window_lacks_tasks(struct sched_window *w, uint64_t from)
{
	bool lacks = false;

	for (size_t i = 0; i < w->tasks.nr; i++) {
		struct window_task *task = &w->tasks.items[i];

		task->done = task->stopped || task->forked_inside ||
			     (w->delays && task->first > w->needed_until) ||
			     (task->forked > FORK_SLACK && from <= task->forked - FORK_SLACK);
		lacks |= !task->done;
	}
	return lacks;
}

/* A task that stops behind the window has been running in it, so it is shown, too. */
static struct error *window_need_straddlers(struct sched_window *w)
{
	w->seeks_straddlers = true;
	for (size_t i = 0; i < w->nr_cpus; i++) {
		struct error *err;

		if (!w->cpus[i].behind)
			continue;
		w->step = (struct time_range){ w->cpus[i].behind, w->cpus[i].behind };
		err = window_read(w, &(struct cpumap){ &(uint32_t){ i }, 1 });
		if (err)
			return err;
	}
	w->seeks_straddlers = false;
	return NULL;
}

/* The idle task of a CPU runs on no other one. */
static struct error *window_look_between(struct sched_window *w)
{
	struct error *err;

	w->step = (struct time_range){ w->until + 1, w->until };
	w->nr_words = 0;
	for (size_t i = 0; i < w->tasks.nr; i++) {
		const struct window_task *task = &w->tasks.items[i];

		if (task->key < 0 || !task->straddles)
			continue;
		if (task->straddles - 1 > w->step.end)
			w->step.end = task->straddles - 1;
		if (w->nr_words < WINDOW_WORDS)
			w->words[w->nr_words] = task->key;
		w->nr_words++;
	}
	if (!w->has_words || w->nr_words > WINDOW_WORDS)
		w->nr_words = 0;
	if (w->step.end < w->step.start)
		return NULL;
	w->seeks_between = true;
	err = window_read(w, NULL);
	w->seeks_between = false;
	w->nr_words = 0;
	return err;
}

static struct error *window_look_behind(struct sched_window *w)
{
	uint64_t step = WINDOW_FIRST_STEP, from = w->until + 1;
	struct error *err = NULL;

	while (!err && from <= w->last && window_lacks_cpus(w, true)) {
		window_step_on(w, from, step);
		err = window_read(w, &w->lacking);
		from = w->step.end + 1;
		step *= 2;
	}
	if (!err && !w->delays)
		err = window_need_straddlers(w);
	return err || w->delays ? err : window_look_between(w);
}

/* Whether the tasks of an event are 32-bit words of its record. */
static void window_check_words(struct sched_window *w)
{
	const struct event_list *events = reader_events(w->reader);

	w->has_words = true;
	for (size_t i = 0; i < events->nr; i++) {
		const struct perf_event_attr *attr = &events->items[i]->attr;
		const struct event_format *format;

		if (attr->type != PERF_TYPE_TRACEPOINT)
			continue;
		format = formats_find(reader_formats(w->reader), attr->config);
		w->has_words &= !format || strcmp(format->system, "sched") ||
				sched_event_has_words(format);
	}
}

/* When few tasks are lacking, parts of the file without their numbers need not be looked at. */
static void window_choose_words(struct sched_window *w, bool lacks_cpus)
{
	w->nr_words = 0;
	for (size_t i = 0; w->has_words && !lacks_cpus && i < w->tasks.nr; i++) {
		const struct window_task *task = &w->tasks.items[i];

		if (task->done)
			continue;
		/* Any CPU's idle task has the number 0, which is everywhere. */
		if (w->nr_words == WINDOW_WORDS || task->key < 0) {
			w->nr_words = 0;
			return;
		}
		w->words[w->nr_words++] = task->key;
	}
}

static struct error *window_look_before(struct sched_window *w)
{
	uint64_t step = FIRST_STEP_BEFORE, until = w->window->start - 1;
	struct error *err = NULL;

	while (!err && until >= w->first) {
		bool lacks = window_lacks_tasks(w, until + 1);
		bool lacks_cpus = window_lacks_cpus(w, false);

		if (!lacks_cpus && !lacks)
			break;
		window_choose_words(w, lacks_cpus);
		w->step.end = until;
		w->step.start = step < until - w->first ? until - step + 1 : w->first;
		err = window_read(w, lacks ? NULL : &w->lacking);
		until = w->step.start - 1;
		step *= 2;
	}
	w->nr_words = 0;
	return err;
}

/* Tell users who read a part of a large recording that an index would help. */
static struct error *window_has_index(struct sched_window *w, bool *ret)
{
	const struct record_scope scope = {
		.times = w->window, .nr_times = 1, .events = UINT64_MAX,
	};
	const struct event_list *events = reader_events(w->reader);

	*ret = reader_index_span(w->reader, &w->first, &w->last);
	if (!*ret)
		return reader_narrow(w->reader, &scope);
	/* Records of switches define states, too, and are everywhere. */
	for (size_t i = 0; w->delays && i < events->nr; i++)
		*ret &= !events->items[i]->attr.context_switch;
	return NULL;
}

/*
 * Whether reading everything once costs less than the search and a second reading of the window.
 * These take about half as long, and as long per sample.
 */
static struct error *window_is_most(struct sched_window *w, bool *ret)
{
	struct record_scope scope = { .events = UINT64_MAX, .samples_only = true };
	struct error *err = reader_narrow(w->reader, &scope);
	uint64_t all;

	if (err)
		return err;
	all = reader_bytes_left(w->reader);
	scope.times = w->window;
	scope.nr_times = 1;
	err = reader_narrow(w->reader, &scope);
	*ret = !err && reader_bytes_left(w->reader) > all / 3 * 2;
	return err;
}

/* Read the window, and the samples at its ends that are needed before the search goes backwards. */
static struct error *window_read_inside(struct sched_window *w)
{
	struct error *err;

	w->until = w->window->end ? w->window->end : UINT64_MAX;
	w->step.start = w->window->start > w->first ? w->window->start : w->first;
	w->step.end = w->window->end && w->window->end < w->last ? w->window->end : w->last;
	err = window_read(w, NULL);
	if (!err && w->delays)
		return window_follow_delays(w);
	return !err && w->window->end ? window_look_behind(w) : err;
}

static struct error *window_run(struct sched_window *w, struct time_ranges *ret)
{
	const struct header *header = reader_header(w->reader);
	bool has_index, is_most = false;
	struct error *err;

	w->nr_cpus = header->nr_cpus_available;
	if (!w->nr_cpus || w->nr_cpus > HEADER_CPUS_MAX)
		return NULL;
	err = window_has_index(w, &has_index);
	if (!err && has_index)
		err = window_is_most(w, &is_most);
	if (err || !has_index || is_most)
		return err;
	w->cpus = calloc(w->nr_cpus, sizeof(*w->cpus));
	w->lacking.cpus = calloc(w->nr_cpus, sizeof(*w->lacking.cpus));
	if (!w->cpus || !w->lacking.cpus)
		return &error_no_memory;
	w->of_command = w->delays && recording_is_of_command(reader_events(w->reader));
	if (w->delays)
		err = window_find_begin(w);
	if (err || window_has_unseen_sleeps(w))
		return err;
	window_check_words(w);
	err = window_read_inside(w);
	window_apply_forks(w);
	w->needed_until = window_end_of_needs(w);
	if (!err && w->window->start)
		err = window_look_before(w);
	if (!err && w->delays)
		err = window_look_behind(w);
	return err ? err : window_collect(w, ret);
}

static struct error *sched_window_look(struct sched_window *w, const char *path,
				       struct time_ranges *ret)
{
	struct error *err = recording_open(path, &w->reader);

	if (!err)
		err = window_run(w, ret);
	recorded_tasks_deinit(&w->recorded);
	sched_events_deinit(&w->events);
	hash_table_deinit(&w->by_key);
	free(w->tasks.items);
	free(w->wakings.items);
	free(w->forks.items);
	free(w->between.items);
	free(w->cpus);
	cpumap_deinit(&w->lacking);
	reader_close(w->reader);
	return err;
}

struct error *sched_window_find(const char *path, const struct time_range *window,
				struct time_ranges *ret)
{
	struct sched_window w = { .window = window };

	return sched_window_look(&w, path, ret);
}

struct error *sched_window_find_delays(const char *path, const struct time_range *window,
				       bool off_cpu, struct time_ranges *ret)
{
	struct sched_window w = { .window = window, .delays = true, .off_cpu = off_cpu };

	return sched_window_look(&w, path, ret);
}

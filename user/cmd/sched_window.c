// SPDX-License-Identifier: GPL-2.0
#include "cmd/sched_window.h"

#include <stdlib.h>
#include <string.h>

#include "analysis/sched_event.h"
#include "cmd/recording.h"
#include "lib/array.h"
#include "lib/hash.h"
#include "lib/hash_table.h"
#include "perfdata/reader.h"
#include "record/body.h"

/* The first step away from the window, in ns; each further one is twice as long. */
#define FIRST_STEP	1000000ULL

/* A FORK may come that much later than the first event of its task, if clocks differ. */
#define FORK_SLACK	1000000000ULL

#define WINDOW_CPUS	65536

/* A task whose state at the beginning of the window is needed. */
struct window_task {
	int64_t key;		/* its tid; of the idle task of CPU n: -n - 1 */
	uint64_t forked;	/* nothing of it lies before; 0: unknown */
	uint64_t stopped;	/* when it stopped running last before the window; 0: not found */
	uint64_t woken;		/* when it was first woken since then; 0: it was not */
	bool done;		/* all of its past that counts has been read */
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
};

struct sched_window {
	struct reader *reader;
	const struct time_range *window;
	struct time_range step;		/* what is read now; both ends are included */
	struct sched_events events;
	struct {
		struct window_task *items;
		size_t nr, alloc;
	} tasks;
	struct hash_table by_key;
	struct {
		struct window_waking *items;
		size_t nr, alloc;
	} wakings;
	struct {
		struct window_fork *items;
		size_t nr, alloc;
	} forks;
	struct window_cpu *cpus;
	size_t nr_cpus;
	struct cpumap lacking;		/* CPUs of which a switch is still to be found */
	uint64_t first, last;		/* times of samples that the index tells of */
	bool has_state;			/* records that are no samples have been read */
};

static struct window_task *window_task_find(struct sched_window *w, int64_t key)
{
	size_t at;

	for (bool more = hash_table_first(&w->by_key, hash_key_number(key), &at); more;
	     more = hash_table_next(&w->by_key, &at)) {
		struct window_task *task = &w->tasks.items[hash_table_value(&w->by_key, at)];

		if (task->key == key)
			return task;
	}
	return NULL;
}

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

/*
 * An event in the window, or the first switch of a CPU behind it.  The table shows of a task how
 * long it waited when it stops.
 */
static struct error *window_take_inside(struct sched_window *w, const struct sched_event *e)
{
	return e->kind == SCHED_EVENT_SWITCH ? window_task_need(w, window_key(e, e->tid)) : NULL;
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

static struct error *window_take_sample(struct sched_window *w, const struct record *record)
{
	struct session_record r = { .record = *record, .event = record->event };
	struct event *event = reader_events(w->reader)->items[record->event->index];
	struct sched_event e = { 0 };
	struct error *err;

	if (event->attr.type != PERF_TYPE_TRACEPOINT)
		return NULL;
	if (!event->format)
		event->format = formats_find(reader_formats(w->reader), event->attr.config);
	r.format = event->format;
	if (!r.format || strcmp(r.format->system, "sched") ||
	    !sample_decode(record->event, record->header, &r.sample))
		return NULL;
	err = sched_event_read(&w->events, &r, &e);
	if (err || !e.kind)
		return err;
	if (w->window->start && e.time < w->window->start)
		return window_take_before(w, &e);
	if (!w->window->end || e.time <= w->window->end)
		return window_take_inside(w, &e);
	window_take_behind(w, &e);
	return NULL;
}

static struct error *window_take_fork(struct sched_window *w, const struct record *record)
{
	const struct body_task *body = body_of(record->header, struct body_task);
	struct window_fork fork = { .time = record->time };

	if (!body || !record->time || record->time > w->window->start ||
	    record->header->misc & PERF_RECORD_MISC_FORK_EXEC)
		return NULL;
	fork.tid = body->tid;
	return array_push(&w->forks, fork) ? NULL : &error_no_memory;
}

static void window_apply_forks(struct sched_window *w)
{
	for (size_t i = 0; i < w->forks.nr; i++) {
		struct window_task *task = window_task_find(w, w->forks.items[i].tid);

		if (task && w->forks.items[i].time > task->forked)
			task->forked = w->forks.items[i].time;
	}
}

/* Read the samples of w->step, which @cpus (NULL: all) have taken. */
static struct error *window_read(struct sched_window *w, const struct cpumap *cpus)
{
	const struct record_scope scope = {
		.times = &w->step, .nr_times = 1, .cpus = cpus, .events = UINT64_MAX,
		.samples_only = w->has_state,
	};
	struct error *err = reader_narrow(w->reader, &scope);
	enum record_status status = RECORD_OK;
	struct record record;

	while (!err) {
		status = record_source_next(reader_source(w->reader), &record, &err);
		if (status != RECORD_OK)
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

/* Find the CPUs of which a switch is still lacking; false: there are none. */
static bool window_lacks_cpus(struct sched_window *w, bool behind)
{
	w->lacking.nr = 0;
	for (size_t i = 0; i < w->nr_cpus; i++)
		if (!(behind ? w->cpus[i].behind : w->cpus[i].before))
			w->lacking.cpus[w->lacking.nr++] = i;
	return w->lacking.nr;
}

/* Whether the past of some task is still to be read, after what lies behind @from was. */
static bool window_lacks_tasks(struct sched_window *w, uint64_t from)
{
	bool lacks = false;

	for (size_t i = 0; i < w->tasks.nr; i++) {
		struct window_task *task = &w->tasks.items[i];

		task->done = task->stopped || (task->forked && task->forked > FORK_SLACK &&
					       from <= task->forked - FORK_SLACK);
		lacks |= !task->done;
	}
	return lacks;
}

/* What stops running behind the window has been running in it, so it is told of, too. */
static struct error *window_need_straddlers(struct sched_window *w)
{
	const struct time_range *window = w->window;
	struct error *err = NULL;

	for (size_t i = 0; i < w->nr_cpus && !err; i++) {
		const struct time_range at = { w->cpus[i].behind, w->cpus[i].behind };
		struct time_range all = { 0 };

		if (!at.start)
			continue;
		w->step = at;
		w->window = &all;
		err = window_read(w, &(struct cpumap){ &(uint32_t){ i }, 1 });
		w->window = window;
	}
	return err;
}

static struct error *window_look_behind(struct sched_window *w)
{
	uint64_t step = FIRST_STEP, from = w->window->end + 1;
	struct error *err = NULL;

	while (!err && from <= w->last && window_lacks_cpus(w, true)) {
		w->step.start = from;
		w->step.end = step < w->last - from ? from + step - 1 : w->last;
		err = window_read(w, &w->lacking);
		from = w->step.end + 1;
		step *= 2;
	}
	return err ? err : window_need_straddlers(w);
}

static struct error *window_look_before(struct sched_window *w)
{
	uint64_t step = FIRST_STEP, until = w->window->start - 1;
	struct error *err = NULL;

	while (!err && until >= w->first) {
		bool lacks = window_lacks_tasks(w, until + 1);

		if (!window_lacks_cpus(w, false) && !lacks)
			break;
		w->step.end = until;
		w->step.start = step < until - w->first ? until - step + 1 : w->first;
		err = window_read(w, lacks ? NULL : &w->lacking);
		until = w->step.start - 1;
		step *= 2;
	}
	return err;
}

static int window_compare_times(const void *a, const void *b)
{
	const uint64_t x = ((const struct time_range *)a)->start;
	const uint64_t y = ((const struct time_range *)b)->start;

	return x < y ? -1 : x > y;
}

static struct error *window_add(struct time_ranges *ret, uint64_t time)
{
	const struct time_range at = { time, time };

	return !time || array_push(ret, at) ? NULL : &error_no_memory;
}

/* Sort the single times, and leave out those that come twice. */
static void window_tidy(struct time_ranges *ranges)
{
	size_t nr = 0;

	if (ranges->nr)
		qsort(ranges->items, ranges->nr, sizeof(*ranges->items), window_compare_times);
	for (size_t i = 0; i < ranges->nr; i++)
		if (!nr || ranges->items[nr - 1].start != ranges->items[i].start)
			ranges->items[nr++] = ranges->items[i];
	ranges->nr = nr;
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

/* The window comes first, as most samples are in it. */
static struct error *window_collect(const struct sched_window *w, struct time_ranges *ret)
{
	struct error *err = NULL;

	for (size_t i = 0; i < w->tasks.nr && !err; i++)
		err = window_add(ret, w->tasks.items[i].stopped);
	for (size_t i = 0; i < w->tasks.nr && !err; i++)
		err = window_add(ret, w->tasks.items[i].woken);
	for (size_t i = 0; i < w->nr_cpus && !err; i++) {
		err = window_add(ret, w->cpus[i].before);
		if (!err)
			err = window_add(ret, w->cpus[i].behind);
	}
	if (err)
		return err;
	window_tidy(ret);
	if (!array_push(ret, *w->window))
		return &error_no_memory;
	ret->items[ret->nr - 1] = ret->items[0];
	ret->items[0] = *w->window;
	return NULL;
}

static struct error *window_run(struct sched_window *w, struct time_ranges *ret)
{
	const struct header *header = reader_header(w->reader);
	struct error *err;

	w->nr_cpus = header->nr_cpus_available;
	if (!w->nr_cpus || w->nr_cpus > WINDOW_CPUS ||
	    !reader_index_span(w->reader, &w->first, &w->last))
		return NULL;
	w->cpus = calloc(w->nr_cpus, sizeof(*w->cpus));
	w->lacking.cpus = calloc(w->nr_cpus, sizeof(*w->lacking.cpus));
	if (!w->cpus || !w->lacking.cpus)
		return &error_no_memory;
	w->step.start = w->window->start > w->first ? w->window->start : w->first;
	w->step.end = w->window->end && w->window->end < w->last ? w->window->end : w->last;
	err = window_read(w, NULL);
	if (!err && w->window->end)
		err = window_look_behind(w);
	window_apply_forks(w);
	if (!err && w->window->start)
		err = window_look_before(w);
	if (err)
		return err;
	window_find_woken(w);
	return window_collect(w, ret);
}

struct error *sched_window_find(const char *path, const struct time_range *window,
				struct time_ranges *ret)
{
	struct sched_window w = { .window = window };
	struct error *err = recording_open(path, &w.reader);

	if (!err)
		err = window_run(&w, ret);
	sched_events_deinit(&w.events);
	hash_table_deinit(&w.by_key);
	free(w.tasks.items);
	free(w.wakings.items);
	free(w.forks.items);
	free(w.cpus);
	cpumap_deinit(&w.lacking);
	reader_close(w.reader);
	return err;
}

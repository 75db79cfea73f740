// SPDX-License-Identifier: GPL-2.0
#include <stdlib.h>

#include "cmd/sched/sched_window_state.h"
#include "lib/array.h"

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

/* Sort the window among the single times, and leave out those in it and those that come twice. */
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
	qsort(ranges->items, ranges->nr, sizeof(*ranges->items), window_compare_times);
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

struct error *window_collect(struct sched_window *w, struct time_ranges *ret)
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

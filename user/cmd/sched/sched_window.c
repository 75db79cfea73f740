// SPDX-License-Identifier: GPL-2.0
#include "cmd/sched/sched_window.h"

#include <stdlib.h>
#include <string.h>

#include "cmd/recording.h"
#include "cmd/sched/sched_window_state.h"
#include "record/header.h"

/* Before the window something is nearly always to be looked for. */
#define FIRST_STEP_BEFORE	(8 * WINDOW_FIRST_STEP)

/* A FORK may come that much later than the first event of its task, if clocks differ. */
#define FORK_SLACK	1000000000ULL

struct error *window_read(struct sched_window *w, const struct cpumap *cpus)
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

/* Find the CPUs of which a switch is still lacking; false: there are none. */
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

/* Whether the past of some task is still to be read, after what lies behind @from was. */
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

/* What stops running behind the window has been running in it, so it is told of, too. */
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

void window_step_on(struct sched_window *w, uint64_t from, uint64_t size)
{
	w->step.start = from;
	w->step.end = size && size - 1 < w->last - from ? from + size - 1 : w->last;
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

/* Whether the tasks that an event is about are 32-bit words of its record. */
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

/* Who waits for a part of a large recording gets to know that an index would help. */
static struct error *window_has_index(struct sched_window *w, bool *ret)
{
	const struct record_scope scope = {
		.times = w->window, .nr_times = 1, .events = UINT64_MAX,
	};
	const struct event_list *events = reader_events(w->reader);

	*ret = reader_index_span(w->reader, &w->first, &w->last);
	if (!*ret)
		return reader_narrow(w->reader, &scope);
	/* The records of switches tell states, too, and lie everywhere. */
	for (size_t i = 0; w->delays && i < events->nr; i++)
		*ret &= !events->items[i]->attr.context_switch;
	return NULL;
}

/*
 * Whether to read everything once costs less than to look first, and then to read the window
 * again, which takes about half as long and as long as that per sample.
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

/* Read the window, and what of its ends has to be known before it is known what lies before. */
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

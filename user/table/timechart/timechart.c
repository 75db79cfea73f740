// SPDX-License-Identifier: GPL-2.0
#include "table/timechart/timechart.h"

#include <stdlib.h>
#include <string.h>

#include "lib/array.h"
#include "lib/number.h"
#include "record/header.h"
#include "terminal/options.h"

#define TIMECHART_THRESHOLD	10000000ULL	/* ns */

#define POWER_EXIT	UINT32_MAX	/* as a state: the CPU is not idle any more */

enum { POWER_IDLE = 1, POWER_FREQUENCY };

static const struct known_row power_rows[] = {
	{ "power", "cpu_idle", POWER_IDLE, { "state", "cpu_id" } },
	{ "power", "cpu_frequency", POWER_FREQUENCY, { "state", "cpu_id" } },
	{ 0 },
};

static void power_spans_init(struct power_spans *spans)
{
	*spans = (struct power_spans){ .events.rows = power_rows };
}

static void power_spans_deinit(struct power_spans *spans)
{
	for (size_t i = 0; i < spans->cpus.nr; i++) {
		free(spans->cpus.items[i].idle.items);
		free(spans->cpus.items[i].frequency.items);
	}
	free(spans->cpus.items);
	known_events_deinit(&spans->events);
	*spans = (struct power_spans){ 0 };
}

static void power_track_end(struct power_track *track, uint64_t time)
{
	struct power_span *last = track->is_open ? &track->items[track->nr - 1] : NULL;

	if (last)
		last->until = time < last->since ? last->since : time;
	track->is_open = false;
}

static struct error *power_track_begin(struct power_track *track, uint64_t time, uint32_t value)
{
	const struct power_span span = { .since = time, .until = time, .value = value };

	/* A governor can set the frequency that there is. */
	if (track->is_open && track->items[track->nr - 1].value == value)
		return NULL;
	power_track_end(track, time);
	if (!array_push(track, span))
		return &error_no_memory;
	track->is_open = true;
	return NULL;
}

/* Add a sample, which may be of any event.  The only error is a lack of memory. */
static struct error *power_spans_take(struct power_spans *spans, const struct session_record *r)
{
	struct known_event event;
	struct error *err = known_event_read(&spans->events, r, &event);
	uint32_t value = event.values[0], number = event.values[1];
	struct power_cpu *cpu;

	if (err || !event.kind || number >= HEADER_CPUS_MAX)
		return err;
	cpu = array_at(&spans->cpus, number, 0);
	if (!cpu)
		return &error_no_memory;
	if (event.kind == POWER_FREQUENCY)
		return power_track_begin(&cpu->frequency, r->sample.time, value);
	if (value != POWER_EXIT)
		return power_track_begin(&cpu->idle, r->sample.time, value);
	power_track_end(&cpu->idle, r->sample.time);
	return NULL;
}

/* Open spans last until @end. */
static void power_spans_finish(struct power_spans *spans, uint64_t end)
{
	for (size_t i = 0; i < spans->cpus.nr; i++) {
		power_track_end(&spans->cpus.items[i].idle, end);
		power_track_end(&spans->cpus.items[i].frequency, end);
	}
}

static struct error *timechart_sample(struct session_consumer *consumer,
				      const struct session_record *r)
{
	struct timechart *chart = container_of(consumer, struct timechart, consumer);
	struct session_consumer *stays = &chart->stays->consumer;
	struct error *err = stays->sample(stays, r);

	if (!chart->end || r->sample.time < chart->begin)
		chart->begin = r->sample.time;
	if (chart->end < r->sample.time)
		chart->end = r->sample.time;
	return err ? err : power_spans_take(&chart->power, r);
}

static struct error *timechart_other(struct session_consumer *consumer,
				     const struct session_record *r)
{
	struct timechart *chart = container_of(consumer, struct timechart, consumer);
	struct session_consumer *stays = &chart->stays->consumer;

	return stays->other(stays, r);
}

static struct error *timechart_finish(struct session_consumer *consumer)
{
	struct timechart *chart = container_of(consumer, struct timechart, consumer);
	struct session_consumer *stays = &chart->stays->consumer;

	power_spans_finish(&chart->power, chart->end);
	return stays->finish(stays);
}

struct error *timechart_create(struct timechart **ret)
{
	_cleanup_(timechart) struct timechart *chart = calloc(1, sizeof(*chart));
	struct error *err;

	if (!chart)
		return &error_no_memory;
	chart->consumer = (struct session_consumer){
		.sample = timechart_sample, .other = timechart_other, .finish = timechart_finish,
	};
	power_spans_init(&chart->power);
	err = task_stays_create(false, &chart->stays);
	if (!err)
		*ret = take_ptr(chart);
	return err;
}

void timechart_destroy(struct timechart *chart)
{
	if (!chart)
		return;
	task_stays_destroy(chart->stays);
	power_spans_deinit(&chart->power);
	free(chart->tasks.items);
	free(chart);
}

uint64_t timechart_stay_begin(const struct timechart *chart, const struct stayed_task *task,
			      size_t stay)
{
	return !stay && task->items[stay].at_least ? chart->begin : task->items[stay].since;
}

uint64_t timechart_stay_end(const struct timechart *chart, const struct stayed_task *task,
			    size_t stay)
{
	return stay + 1 < task->nr ? task->items[stay + 1].since : chart->end;
}

static uint64_t timechart_runtime(const struct timechart *chart, const struct stayed_task *task)
{
	uint64_t total = 0;

	for (size_t i = 0; i < task->nr; i++)
		if (task->items[i].state == TASK_RUNNING)
			total += timechart_stay_end(chart, task, i) -
				 timechart_stay_begin(chart, task, i);
	return total;
}

bool timechart_word_names(const char *word, const char *comm, int32_t pid, int32_t tid)
{
	unsigned long long number;

	if (!strcmp(comm, word))
		return true;
	return parse_u64(word, &number) && number <= INT32_MAX &&
	       (tid == (int32_t)number || pid == (int32_t)number);
}

bool timechart_is_named(const struct stayed_task *task, const char *word)
{
	return timechart_word_names(word, task->comm, task->pid, task->tid);
}

/* All words are tried, so that each one gets its result. */
static bool timechart_is_wanted(const struct stayed_task *task, struct timechart_word *words,
				size_t nr)
{
	bool wanted = false;

	for (size_t i = 0; i < nr; i++)
		if (timechart_is_named(task, words[i].text))
			wanted = words[i].found = true;
	return wanted;
}

static size_t timechart_count(const struct timechart *chart, uint64_t threshold)
{
	size_t nr = 0;

	for (size_t i = 0; i < chart->tasks.nr; i++)
		nr += chart->tasks.items[i].runtime >= threshold;
	return nr;
}

/* Drop tasks that ran for less. */
static void timechart_limit(struct timechart *chart, size_t least)
{
	uint64_t threshold = TIMECHART_THRESHOLD;
	size_t most = least > TIMECHART_ROWS ? least : TIMECHART_ROWS, nr = 0;

	while (threshold > 1 && timechart_count(chart, threshold) < least)
		threshold /= 10;
	/* Only damaged times add up to more than half of the number's range. */
	while (threshold <= UINT64_MAX / 2 && timechart_count(chart, threshold) > most)
		threshold *= 2;
	for (size_t i = 0; i < chart->tasks.nr; i++) {
		if (chart->tasks.items[i].runtime >= threshold)
			chart->tasks.items[nr++] = chart->tasks.items[i];
		else
			chart->left_out += chart->tasks.items[i].runtime > 0;
	}
	chart->tasks.nr = nr;
	chart->threshold = threshold;
}

static int timechart_compare(const void *a, const void *b)
{
	const struct timechart_task *x = a, *y = b;
	uint64_t x_since = x->task->items[0].since, y_since = y->task->items[0].since;

	if (x->process_since != y->process_since)
		return x->process_since < y->process_since ? -1 : 1;
	if (x->task->pid != y->task->pid)
		return x->task->pid < y->task->pid ? -1 : 1;
	if (x_since != y_since)
		return x_since < y_since ? -1 : 1;
	return x->task->tid < y->task->tid ? -1 : 1;
}

static void timechart_sort(struct timechart *chart)
{
	for (size_t i = 0; i < chart->tasks.nr; i++) {
		struct timechart_task *row = &chart->tasks.items[i];

		row->process_since = row->task->items[0].since;
		for (size_t j = 0; j < chart->tasks.nr && row->task->pid >= 0; j++) {
			const struct stayed_task *other = chart->tasks.items[j].task;

			if (other->pid == row->task->pid &&
			    other->items[0].since < row->process_since)
				row->process_since = other->items[0].since;
		}
	}
	array_sort(&chart->tasks, timechart_compare);
}

struct error *timechart_choose(struct timechart *chart, struct timechart_word *words, size_t nr,
			       size_t least)
{
	for (size_t i = 0; i < chart->stays->tasks.nr && least; i++) {
		const struct stayed_task *task = &chart->stays->tasks.items[i];
		struct timechart_task row = { .task = task };

		if (!task->nr || !task->comm)
			continue;
		row.runtime = timechart_runtime(chart, task);
		if (nr && !timechart_is_wanted(task, words, nr))
			chart->left_out += row.runtime > 0;
		else if (!array_push(&chart->tasks, row))
			return &error_no_memory;
	}
	if (!nr)
		timechart_limit(chart, least);
	timechart_sort(chart);
	return NULL;
}

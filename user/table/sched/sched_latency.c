// SPDX-License-Identifier: GPL-2.0
#include "table/sched/sched_latency.h"

#include <stdlib.h>
#include <string.h>

#include "lib/array.h"
#include "states/known_events.h"

#define NS_PER_US	UINT64_C(1000)
#define DELAY_STEP_NS	(100 * NS_PER_US)

/* Delays above 2^39 us, six days, are all in the last step. */
static const size_t delay_last_step[DELAY_STEP_KINDS] = {
	[DELAY_STEPS_LOG] = 40, [DELAY_STEPS_LINEAR] = DELAY_STEPS_NR - 1,
};

struct sched_latency {
	struct session_consumer consumer;
	struct task_listener listener;
	const struct sched_latency_options *options;
	struct sched_events events;
	struct task_states states;
	struct processes *processes;	/* the session's, once it has given a record */
	ARRAY_OF(struct latency_row) rows;	/* by the index of their task */
	struct strings {
		char **items;
		size_t nr, alloc;
	} comms;
	uint64_t wakeups;
	uint64_t steps[DELAY_STEP_KINDS][DELAY_STEPS_NR];
	bool no_runtime;
};

static struct latency_row *latency_row_of(struct sched_latency *latency,
					  const struct sched_task *task)
{
	return array_at(&latency->rows, task->index, 0);
}

static bool latency_wants_cpu(const struct sched_latency *latency, int32_t cpu)
{
	return !latency->options->cpus || (cpu >= 0 && cpumap_has(latency->options->cpus, cpu));
}

static size_t latency_step_of(enum delay_steps kind, uint64_t delay)
{
	size_t step = delay / DELAY_STEP_NS;

	if (kind == DELAY_STEPS_LOG)
		for (step = 0; delay >= NS_PER_US; delay /= 2)
			step++;
	return step < delay_last_step[kind] ? step : delay_last_step[kind];
}

static uint64_t latency_step_begin(enum delay_steps kind, size_t step)
{
	if (kind == DELAY_STEPS_LINEAR)
		return step * DELAY_STEP_NS;
	return step ? NS_PER_US << (step - 1) : 0;
}

static struct error *latency_begins_to_run(struct sched_latency *latency,
					   const struct sched_task *task, uint64_t until)
{
	uint64_t since = task->state == TASK_RUNNABLE ? task->since : until;
	struct latency_row *row = latency_row_of(latency, task);
	uint64_t delay = until > since ? until - since : 0;

	if (!row)
		return &error_no_memory;
	row->delays++;
	row->total += delay;
	for (size_t kind = 0; kind < DELAY_STEP_KINDS; kind++)
		latency->steps[kind][latency_step_of(kind, delay)]++;
	if (delay > row->max) {
		row->max = delay;
		row->max_start = since;
		row->max_end = until;
	}
	return NULL;
}

static struct error *latency_stay(struct task_listener *listener, const struct sched_task *task,
				  uint64_t until, enum task_state next,
				  const struct sched_event *event)
{
	struct sched_latency *latency = container_of(listener, struct sched_latency, listener);

	if (!event)
		return NULL;
	if (next == TASK_RUNNABLE && event->kind != SCHED_EVENT_SWITCH)
		latency->wakeups++;
	/*
	 * A task that is blocked and runs was woken by a missing event: the delay is unknown.  So
	 * is one in which records were lost.
	 */
	if (next != TASK_RUNNING || task->state == TASK_BLOCKED || task->state == TASK_DEAD ||
	    task->state == TASK_RUNNING || task->lost || !latency_wants_cpu(latency, event->cpu))
		return NULL;
	return latency_begins_to_run(latency, task, until);
}

static struct error *latency_add_runtime(struct sched_latency *latency, const struct sched_event *e)
{
	struct sched_task *task = task_states_find(&latency->states, e->tid);
	struct latency_row *row;

	if (!task || !latency_wants_cpu(latency, e->cpu))
		return NULL;
	row = latency_row_of(latency, task);
	if (!row)
		return &error_no_memory;
	row->runtime += e->runtime;
	return NULL;
}

static struct error *latency_sample(struct session_consumer *consumer,
				    const struct session_record *r)
{
	struct sched_latency *latency = container_of(consumer, struct sched_latency, consumer);
	struct sched_event event;
	struct error *err = sched_event_read(&latency->events, r, &event);

	if (err || !event.kind)
		return err;
	latency->processes = r->processes;
	latency->no_runtime = !event_is_recorded(r->events, "sched", "sched_stat_runtime");
	err = task_states_apply(&latency->states, &event);
	if (!err && event.kind == SCHED_EVENT_RUNTIME)
		err = latency_add_runtime(latency, &event);
	return err;
}

static struct error *latency_other(struct session_consumer *consumer,
				   const struct session_record *r)
{
	struct sched_latency *latency = container_of(consumer, struct sched_latency, consumer);

	return task_states_other(&latency->states, r);
}

/* The names are the session's, which ends now. */
static struct error *latency_finish(struct session_consumer *consumer)
{
	struct sched_latency *latency = container_of(consumer, struct sched_latency, consumer);
	struct error *err;

	if (!latency->processes)
		return NULL;
	err = task_states_finish(&latency->states, latency->processes);
	for (size_t i = 0; !err && i < latency->rows.nr; i++) {
		const struct sched_task *task = latency->states.tasks.items[i];
		struct latency_row *row = &latency->rows.items[i];
		char *comm = strdup(task->comm);

		if (!comm || !array_push(&latency->comms, comm)) {
			free(comm);
			return &error_no_memory;
		}
		row->comm = comm;
		row->tid = task->tid;
		row->tasks = 1;
	}
	return err;
}

struct error *sched_latency_create(const struct sched_latency_options *options,
				   struct sched_latency **ret)
{
	struct sched_latency *latency = calloc(1, sizeof(*latency));

	if (!latency)
		return &error_no_memory;
	latency->options = options;
	latency->listener.stay = latency_stay;
	latency->states.listener = &latency->listener;
	latency->consumer = (struct session_consumer){
		.sample = latency_sample, .other = latency_other, .finish = latency_finish,
	};
	*ret = latency;
	return NULL;
}

void sched_latency_destroy(struct sched_latency *latency)
{
	if (!latency)
		return;
	sched_events_deinit(&latency->events);
	task_states_deinit(&latency->states);
	array_free_each(&latency->comms);
	free(latency->rows.items);
	free(latency);
}

struct session_consumer *sched_latency_consumer(struct sched_latency *latency)
{
	return &latency->consumer;
}

DEFINE_COMPARISON(latency_by_tid, struct latency_row,
		  array_descending((uint32_t)x->tid, (uint32_t)y->tid))

static int latency_by_comm(const void *a, const void *b)
{
	const struct latency_row *x = a, *y = b;
	int order = strcmp(y->comm, x->comm);

	return order ? order : latency_by_tid(a, b);
}

static uint64_t latency_key_of(const struct latency_row *row, enum latency_key key)
{
	switch (key) {
	case LATENCY_BY_AVG:
		return row->delays ? row->total / row->delays : 0;
	case LATENCY_BY_MAX:
		return row->max;
	case LATENCY_BY_SWITCH:
		return row->delays;
	case LATENCY_BY_RUNTIME:
		return row->runtime;
	case LATENCY_BY_PID:
		return (uint32_t)row->tid;
	}
	return 0;
}

static int latency_by_keys(const void *a, const void *b, void *data)
{
	const struct sched_latency_options *options = data;
	const struct latency_row *x = a, *y = b;
	int order = 0;

	for (size_t i = 0; i < options->nr_keys && !order; i++)
		order = array_descending(latency_key_of(x, options->keys[i]),
					 latency_key_of(y, options->keys[i]));
	/* As in perf, equal rows are by their names or numbers, the last ones first. */
	return order ? order : options->by_task ? latency_by_tid(a, b) : latency_by_comm(a, b);
}

static void latency_join(struct latency_row *row, const struct latency_row *other)
{
	row->tasks++;
	row->runtime += other->runtime;
	row->delays += other->delays;
	row->total += other->total;
	if (other->max > row->max) {
		row->max = other->max;
		row->max_start = other->max_start;
		row->max_end = other->max_end;
	}
}

static size_t latency_join_names(struct latency_row *items, size_t nr)
{
	size_t kept = 0;

	qsort(items, nr, sizeof(*items), latency_by_comm);
	for (size_t i = 0; i < nr; i++) {
		if (kept && !strcmp(items[kept - 1].comm, items[i].comm))
			latency_join(&items[kept - 1], &items[i]);
		else
			items[kept++] = items[i];
	}
	return kept;
}

static bool latency_is_shown(const struct latency_row *row)
{
	return row->delays && strcmp(row->comm, "swapper") != 0;
}

struct error *sched_latency_table(const struct sched_latency *latency, struct latency_table *ret)
{
	struct latency_table table = {
		.no_runtime = latency->no_runtime,
		.wakeups = latency->wakeups,
		.switches = latency->states.switches,
		.strangers = latency->states.strangers,
	};
	size_t kept = 0;

	for (size_t i = 0; i < latency->rows.nr; i++)
		if (latency->rows.items[i].comm &&
		    !array_push(&table, latency->rows.items[i])) {
			latency_table_deinit(&table);
			return &error_no_memory;
		}
	if (!latency->options->by_task && table.nr)
		table.nr = latency_join_names(table.items, table.nr);
	for (size_t i = 0; i < table.nr; i++) {
		if (!latency_is_shown(&table.items[i]))
			continue;
		table.items[kept] = table.items[i];
		table.runtime += table.items[kept].runtime;
		table.delays += table.items[kept++].delays;
	}
	table.nr = kept;
	if (kept)
		qsort_r(table.items, kept, sizeof(*table.items), latency_by_keys,
			(void *)latency->options);
	*ret = table;
	return NULL;
}

size_t sched_latency_steps(const struct sched_latency *latency, enum delay_steps kind,
			   struct delay_step *ret)
{
	const uint64_t *steps = latency->steps[kind];
	size_t first = 0, end = DELAY_STEPS_NR;

	while (first < end && !steps[first])
		first++;
	while (end > first && !steps[end - 1])
		end--;
	for (size_t i = first; i < end; i++)
		ret[i - first] = (struct delay_step){
			.from = latency_step_begin(kind, i), .count = steps[i],
			.to = i < delay_last_step[kind] ? latency_step_begin(kind, i + 1) : 0,
		};
	return end - first;
}

void latency_table_deinit(struct latency_table *table)
{
	free(take_ptr(table->items));
	table->nr = table->alloc = 0;
}

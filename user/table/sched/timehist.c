// SPDX-License-Identifier: GPL-2.0
#include "table/sched/timehist.h"

#include <stdlib.h>
#include <string.h>

#include "lib/array.h"
#include "record/body.h"
#include "record/header.h"
#include "states/known_events.h"

/* The state of one CPU. */
struct timehist_cpu {
	uint64_t switched;	/* when it switched last; 0: not yet */
	int32_t last;		/* index of the task that ran before it became idle; -1: none */
};

struct timehist {
	struct session_consumer consumer;
	const struct timehist_options *options;
	struct timehist_sink *sink;
	struct sched_events events;
	struct task_states states;
	struct processes *processes;	/* the session's, once it has given a record */
	bool has_waking;	/* sched_wakeup is ignored then */
	const struct event_list *list;	/* for which has_waking holds */
	ARRAY_OF(struct timehist_sums) sums;	/* by the index of their task */
	ARRAY_OF(struct timehist_cpu) cpus;
	ARRAY_OF(struct timehist_sums) idle;	/* by CPU */
	ARRAY_OF(struct timehist_task) tasks;	/* once the session has ended */
	uint64_t first, last, skipped;
	uint64_t unseen;
};

/* The sums of a task; NULL: out of memory. */
static struct timehist_sums *timehist_sums_of(struct timehist *t, const struct sched_task *task)
{
	return array_at(&t->sums, task->index, 0);
}

static bool timehist_grow_cpus(struct timehist *t, int32_t cpu)
{
	while (t->cpus.nr <= (size_t)cpu)
		if (!array_push(&t->cpus, ((struct timehist_cpu){ .last = -1 })) ||
		    !array_push(&t->idle, ((struct timehist_sums){ 0 })))
			return false;
	return true;
}

static bool timehist_lists(const struct id_list *list, int32_t id)
{
	if (!list || !list->nr)
		return true;
	return array_any(list, it, *it == id);
}

static bool timehist_wants_task(const struct timehist *t, const struct timehist_name *name)
{
	return timehist_lists(t->options->pids, name->pid) &&
	       timehist_lists(t->options->tids, name->tid);
}

static bool timehist_wants_cpu(const struct timehist *t, int32_t cpu)
{
	return !t->options->cpus || cpumap_has(t->options->cpus, cpu);
}

static bool timehist_wants_prio(const struct timehist *t, const struct sched_event *e)
{
	return !t->options->prios || cpumap_has(t->options->prios, sched_event_prio(e));
}

static struct timehist_name timehist_name_of(struct timehist *t, int32_t tid)
{
	struct timehist_name name = { .tid = tid };

	name.comm = processes_comm(t->processes, -1, tid);
	name.pid = processes_pid(t->processes, tid);
	/* Even the name of a task without other events is unknown. */
	if (name.pid < 0)
		name.pid = 0;
	return name;
}

/* The task that fired an event; the idle task is called swapper then. */
static struct timehist_name timehist_actor(const struct session_record *r)
{
	return (struct timehist_name){ .comm = r->comm, .pid = r->pid, .tid = r->tid };
}

static void timehist_sums_add(struct timehist_sums *s, uint64_t run)
{
	double delta = run - s->mean;

	s->runs++;
	s->run += run;
	s->mean += delta / s->runs;
	s->squares += delta * (run - s->mean);
	if (run > s->longest)
		s->longest = run;
	if (s->runs == 1 || run < s->shortest)
		s->shortest = run;
}

/* Mark times that are unknown for a task that came to a CPU at @from, because records were lost. */
static void timehist_find_lost(const struct timehist *t, const struct timehist_sums *s,
			       uint64_t from, uint64_t until, struct timehist_row *row)
{
	uint64_t off = s->left ? s->left : s->woken;
	struct lost_span lost;

	if (!from)
		return;
	row->lost_run = task_states_lost(&t->states, TASK_RUNNING, row->cpu, from, until, &lost);
	/* A CPU that is not idle is seen by its own switches. */
	row->lost_off = row->lost_run ||
			(off && task_states_lost(&t->states, TASK_RUNNING,
						 row->task.tid ? LOST_SPANS_ANY_CPU : row->cpu,
						 off, from, &lost));
}

/* A task that ran from @from (0: unknown) until @until was switched away from its CPU. */
static void timehist_end_run(struct timehist_sums *s, uint64_t from, uint64_t until,
			     struct timehist_row *row)
{
	if (row->lost_run)
		return;
	if (from && row->lost_off) {
		row->run = until - from;
		timehist_sums_add(s, row->run);
		return;
	}
	if (from) {
		row->run = until - from;
		if (s->woken && s->woken <= from)
			row->delay = from - s->woken;
		if (s->left && s->left <= from)
			row->wait = from - s->left;
	}
	timehist_sums_add(s, row->run);
	s->delay += row->delay;
	if (!s->left)
		return;
	if (s->leave.runnable)
		s->preempted += row->wait;
	else if (s->leave.letter == 'D')
		s->iowait += row->wait;
	else
		s->sleep += row->wait;
}

/* Add the time that a CPU was idle to the task that had been running before. */
static void timehist_add_idle(struct timehist *t, struct timehist_cpu *cpu, uint64_t from,
			      uint64_t until)
{
	if (cpu->last < 0)
		return;
	timehist_sums_add(&t->sums.items[cpu->last], from ? until - from : 0);
	cpu->last = -1;
}

static struct error *timehist_give(struct timehist *t, const struct timehist_row *row)
{
	return t->sink->row ? t->sink->row(t->sink, row) : NULL;
}

/* Clip a run to the wanted time; false: nothing is left. */
static bool timehist_cut(const struct time_range *time, uint64_t *from, uint64_t *until)
{
	if (time->start && time->start > *until)
		return false;
	if (*from && time->start > *from)
		*from = time->start;
	if (!time->end)
		return true;
	if (!*from || *from > time->end)
		return false;
	if (*until > time->end)
		*until = time->end;
	return true;
}

static void timehist_span(struct timehist *t, uint64_t at)
{
	const struct time_range *time = &t->options->time;

	if (!t->first && at >= time->start)
		t->first = at;
	if (!time->end || at <= time->end)
		t->last = at;
}

/* @e: a switch; @s are the sums of the task that stops, and @task its index. */
static struct error *timehist_stop(struct timehist *t, const struct sched_event *e,
				   struct timehist_sums *s, int32_t task,
				   struct timehist_row *row, uint64_t *until)
{
	struct timehist_cpu *cpu = &t->cpus.items[e->cpu];
	bool idle = t->options->idle;
	uint64_t from = cpu->switched;

	if (idle && e->tid && e->next_tid)
		return NULL;
	if (timehist_cut(&t->options->time, &from, until)) {
		row->time = *until;
		timehist_find_lost(t, s, from, *until, row);
		if ((!idle || !e->tid) && timehist_wants_cpu(t, e->cpu))
			timehist_end_run(s, from, *until, row);
		if (idle && !e->tid && !row->lost_run)
			timehist_add_idle(t, cpu, from, *until);
		if (timehist_wants_cpu(t, e->cpu)) {
			struct error *err = timehist_give(t, row);

			if (err)
				return err;
		}
	}
	if (idle && e->tid)
		cpu->last = task;
	s->left = e->time;
	s->leave = e->leave;
	s->woken = 0;
	return NULL;
}

static struct error *timehist_switch(struct timehist *t, const struct sched_event *e)
{
	struct timehist_row row = { .kind = TIMEHIST_RAN, .cpu = e->cpu, .event = e };
	struct sched_task *task = e->tid ? task_states_find(&t->states, e->tid) : NULL;
	struct timehist_sums *s;
	uint64_t until = e->time;
	struct error *err = NULL;

	if (e->cpu < 0 || e->cpu >= HEADER_CPUS_MAX || (e->tid && !task))
		return NULL;
	if (!timehist_grow_cpus(t, e->cpu))
		return &error_no_memory;
	s = task ? timehist_sums_of(t, task) : &t->idle.items[e->cpu];
	if (!s)
		return &error_no_memory;
	if (task)
		row.task = timehist_name_of(t, e->tid);
	else
		row.task.comm = "<idle>";
	if (timehist_wants_task(t, &row.task) && timehist_wants_prio(t, e))
		err = timehist_stop(t, e, s, task ? (int32_t)task->index : -1, &row, &until);
	else
		t->skipped++;
	timehist_span(t, until);
	t->cpus.items[e->cpu].switched = e->time;
	return err;
}

static bool timehist_is_in_time(const struct timehist *t, uint64_t time)
{
	const struct time_range *wanted = &t->options->time;

	return time >= wanted->start && (!wanted->end || time <= wanted->end);
}

static struct error *timehist_other_row(struct timehist *t, const struct sched_event *e,
					enum timehist_kind kind)
{
	struct timehist_row row = {
		.kind = kind, .time = e->time, .cpu = e->cpu, .event = e,
		.task = timehist_actor(e->sample), .other = timehist_name_of(t, e->tid),
	};

	if (t->options->idle || !timehist_is_in_time(t, e->time) || !timehist_wants_prio(t, e) ||
	    (!timehist_wants_task(t, &row.task) && !timehist_wants_task(t, &row.other)))
		return NULL;
	return timehist_give(t, &row);
}

static struct error *timehist_wake(struct timehist *t, const struct sched_event *e)
{
	struct sched_task *task = task_states_find(&t->states, e->tid);
	struct timehist_sums *s;

	if (!task)
		return NULL;
	s = timehist_sums_of(t, task);
	if (!s)
		return &error_no_memory;
	if (!s->woken)
		s->woken = e->time;
	return timehist_other_row(t, e, TIMEHIST_WOKE);
}

static struct error *timehist_move(struct timehist *t, const struct sched_event *e)
{
	struct sched_task *task = task_states_find(&t->states, e->tid);
	struct timehist_sums *s = task ? timehist_sums_of(t, task) : NULL;

	if (task && !s)
		return &error_no_memory;
	if (s)
		s->migrations++;
	return timehist_other_row(t, e, TIMEHIST_MOVED);
}

static struct error *timehist_sample(struct session_consumer *consumer,
				     const struct session_record *r)
{
	struct timehist *t = container_of(consumer, struct timehist, consumer);
	struct sched_event event;
	struct error *err = sched_event_read(&t->events, r, &event);
	uint64_t strangers;

	if (err || !event.kind)
		return err;
	t->processes = r->processes;
	if (t->list != r->events) {
		t->list = r->events;
		t->has_waking = event_is_recorded(r->events, "sched", "sched_waking");
	}
	strangers = t->states.strangers;
	err = task_states_apply(&t->states, &event);
	if (err)
		return err;
	if (timehist_is_in_time(t, event.time))
		t->unseen += t->states.strangers - strangers;
	switch (event.kind) {
	case SCHED_EVENT_SWITCH:
		return timehist_switch(t, &event);
	case SCHED_EVENT_WAKEUP:
		return t->has_waking ? NULL : timehist_wake(t, &event);
	case SCHED_EVENT_WAKING:
	case SCHED_EVENT_WAKEUP_NEW:
		return timehist_wake(t, &event);
	case SCHED_EVENT_MIGRATE:
		return timehist_move(t, &event);
	case SCHED_EVENT_RUNTIME:
	case SCHED_EVENT_OTHER:
		break;
	}
	return NULL;
}

static struct error *timehist_other(struct session_consumer *consumer,
				    const struct session_record *r)
{
	struct timehist *t = container_of(consumer, struct timehist, consumer);
	const struct body_lost *lost = body_of(r->record.header, struct body_lost);

	struct error *err = task_states_other(&t->states, r);

	if (!err && r->record.header->type == PERF_RECORD_LOST && lost && t->sink->lost)
		err = t->sink->lost(t->sink, r->loss.since, r->sample.time, r->sample.cpu,
				    lost->lost);
	return err;
}

/* perf goes through a hash table of 256 slots. */
DEFINE_COMPARISON(timehist_by_slot, struct timehist_task,
		  array_order((uint32_t)x->name.tid % 256, (uint32_t)y->name.tid % 256) ?:
		  array_order((uint32_t)x->name.tid, (uint32_t)y->name.tid))

static struct error *timehist_add_task(struct timehist *t, const struct sched_task *task)
{
	struct timehist_task row = {
		.name = timehist_name_of(t, task->tid),
		.parent = processes_parent(t->processes, task->tid),
		.sums = t->sums.items[task->index],
	};
	char *comm;

	if (!row.sums.runs || !timehist_wants_task(t, &row.name))
		return NULL;
	comm = strdup(task->comm);
	row.name.comm = comm;
	if (comm && array_push(&t->tasks, row))
		return NULL;
	free(comm);
	return &error_no_memory;
}

/* The names are the session's, which ends now. */
static struct error *timehist_finish(struct session_consumer *consumer)
{
	struct timehist *t = container_of(consumer, struct timehist, consumer);
	struct error *err;

	if (!t->processes)
		return NULL;
	err = task_states_finish(&t->states, t->processes);
	for (size_t i = 0; !err && i < t->sums.nr; i++)
		err = timehist_add_task(t, t->states.tasks.items[i]);
	array_sort(&t->tasks, timehist_by_slot);
	return err;
}

struct error *timehist_create(const struct timehist_options *options, struct timehist_sink *sink,
			      struct timehist **ret)
{
	struct timehist *t = calloc(1, sizeof(*t));

	if (!t)
		return &error_no_memory;
	t->options = options;
	t->sink = sink;
	t->consumer = (struct session_consumer){
		.sample = timehist_sample, .other = timehist_other, .finish = timehist_finish,
	};
	*ret = t;
	return NULL;
}

void timehist_destroy(struct timehist *t)
{
	if (!t)
		return;
	sched_events_deinit(&t->events);
	task_states_deinit(&t->states);
	for (size_t i = 0; i < t->tasks.nr; i++)
		free((char *)t->tasks.items[i].name.comm);
	free(t->tasks.items);
	free(t->sums.items);
	free(t->cpus.items);
	free(t->idle.items);
	free(t);
}

struct session_consumer *timehist_consumer(struct timehist *timehist)
{
	return &timehist->consumer;
}

uint64_t timehist_unseen(const struct timehist *timehist)
{
	return timehist->unseen;
}

void timehist_summary(const struct timehist *t, struct timehist_summary *ret)
{
	*ret = (struct timehist_summary){
		.tasks = t->tasks.items, .nr_tasks = t->tasks.nr,
		.idle = t->idle.items, .nr_cpus = t->idle.nr,
		.span = t->last - t->first,
		.incomplete = t->skipped && !t->options->idle,
	};
}

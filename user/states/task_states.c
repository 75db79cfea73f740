// SPDX-License-Identifier: GPL-2.0
#include "states/task_states.h"

#include <stdlib.h>

#include "lib/array.h"
#include "lib/hash.h"
#include "record/header.h"

void task_states_deinit(struct task_states *states)
{
	array_free_each(&states->tasks);
	free(states->cpus.items);
	hash_table_deinit(&states->by_tid);
	lost_spans_deinit(&states->lost);
	*states = (struct task_states){ 0 };
}

struct sched_task *task_states_find(struct task_states *states, int32_t tid)
{
	struct sched_task *found = NULL;

	if (states->last && states->last->tid == tid)
		return states->last;
	hash_table_each(&states->by_tid, hash_key_number(tid), n) {
		struct sched_task *task = states->tasks.items[n];

		if (task->tid == tid && (!found || task->index > found->index))
			found = task;
	}
	if (found)
		states->last = found;
	return found;
}

/* NULL: out of memory. */
static struct sched_task *task_states_add(struct task_states *states, int32_t tid,
					  enum task_state state)
{
	struct sched_task *task = calloc(1, sizeof(*task));

	if (!task)
		return NULL;
	*task = (struct sched_task){
		.index = states->tasks.nr, .tid = tid, .cpu = -1, .waker = -1,
		.state = state, .since = states->begin, .at_least = true,
	};
	if (!array_push(&states->tasks, task)) {
		free(task);
		return NULL;
	}
	if (!hash_table_add(&states->by_tid, hash_key_number(tid), task->index)) {
		states->tasks.nr--;
		free(task);
		return NULL;
	}
	states->last = task;
	return task;
}

/* Add a task that begins now, or a little later. */
static struct sched_task *task_states_add_new(struct task_states *states, int32_t tid,
					      uint64_t time)
{
	struct sched_task *task = task_states_add(states, tid, TASK_UNKNOWN);

	if (!task)
		return NULL;
	task->at_least = false;
	if (task->since < time)
		task->since = time;
	return task;
}

static struct error *task_enter(struct task_states *states, struct sched_task *task,
				enum task_state next, const struct sched_event *event)
{
	struct error *err = NULL;

	if (states->listener)
		err = states->listener->stay(states->listener, task, event->time, next, event);
	task->state = next;
	task->since = event->time;
	task->at_least = task->lost = false;
	if (next == TASK_DEAD)
		task->exited = 0;
	return err;
}

bool task_states_lost(const struct task_states *states, enum task_state state, int32_t cpu,
		      uint64_t since, uint64_t until, struct lost_span *ret)
{
	/* It may have run on any CPU. */
	if (state != TASK_RUNNING || cpu < 0)
		cpu = LOST_SPANS_ANY_CPU;
	return lost_spans_between(&states->lost, cpu, since, until, ret);
}

/*
 * If records were lost since the task's last event, end its state there.  @e shows that it was in
 * @state before; UNKNOWN: the state before is unknown.
 */
static struct error *task_lose(struct task_states *states, struct sched_task *task,
			       enum task_state state, const struct sched_event *e)
{
	struct sched_event at = { .cpu = -1, .sample = e->sample };
	struct lost_span before, after;
	struct error *err;

	if (!states->lost.any || task->state == TASK_DEAD ||
	    !task_states_lost(states, task->state, task->cpu, task->since, e->time, &before))
		return NULL;
	at.time = before.since;
	err = task->state == TASK_UNKNOWN ? NULL :
	      task_enter(states, task, TASK_UNKNOWN, &at);
	task->lost = true;
	task->leave = (struct sched_leave){ 0 };
	task->waker = -1;
	task->woken = 0;
	if (err || state == TASK_UNKNOWN ||
	    !task_states_lost(states, state, e->cpu, task->since, e->time, &after))
		return err;
	at.time = after.until;
	err = task_enter(states, task, state, &at);
	task->at_least = true;
	return err;
}

/* Find or add the task with this number, which @e shows to have been in @state until then. */
static struct error *task_states_get(struct task_states *states, int32_t tid,
				     enum task_state state, const struct sched_event *e,
				     struct sched_task **ret)
{
	struct lost_span lost;

	*ret = task_states_find(states, tid);
	if (*ret)
		return task_lose(states, *ret, state, e);
	*ret = task_states_add(states, tid, state);
	if (!*ret)
		return &error_no_memory;
	if (task_states_lost(states, state, e->cpu, states->begin, e->time, &lost))
		(*ret)->since = lost.until;
	return NULL;
}

/* End a task by its exit, because no other event shows its end. */
static struct error *task_end(struct task_states *states, struct sched_task *task,
			      const struct session_record *r)
{
	const struct sched_event event = {
		.time = task->exited < task->since ? task->since : task->exited, .cpu = -1,
		.sample = r,
	};

	return task->exited ? task_enter(states, task, TASK_DEAD, &event) : NULL;
}

/* The entry of a CPU; NULL: its number is invalid, or memory is out. */
static int32_t *task_states_cpu(struct task_states *states, int32_t cpu)
{
	if (cpu < 0 || cpu >= HEADER_CPUS_MAX)
		return NULL;
	return array_at(&states->cpus, cpu, -1);
}

static struct error *task_switch_out(struct task_states *states, const struct sched_event *e)
{
	enum task_state next = e->leave.runnable ? TASK_RUNNABLE :
			       e->leave.dead ? TASK_DEAD : TASK_BLOCKED;
	struct sched_task *task;
	struct error *err;

	if (!e->tid)
		return NULL;
	err = task_states_get(states, e->tid, TASK_RUNNING, e, &task);
	if (err)
		return err;
	task->cpu = e->cpu;
	err = task_enter(states, task, next, e);
	task->leave = e->leave;
	if (next == TASK_DEAD)
		task->comm = processes_comm(e->sample->processes, -1, task->tid);
	if (next != TASK_RUNNABLE) {
		/* It may have been woken just before it left the CPU. */
		task->waker = -1;
		task->woken = 0;
	}
	return err;
}

static struct error *task_switch_in(struct task_states *states, const struct sched_event *e)
{
	struct sched_task *task;
	struct error *err;

	if (!e->next_tid)
		return NULL;
	err = task_states_get(states, e->next_tid, TASK_UNKNOWN, e, &task);
	if (err)
		return err;
	/* The listener still sees where it ran if its last switch was lost. */
	err = task_enter(states, task, TASK_RUNNING, e);
	task->cpu = e->cpu;
	return err;
}

static struct error *task_states_switch(struct task_states *states, const struct sched_event *e)
{
	int32_t *runs = task_states_cpu(states, e->cpu);
	struct error *err;

	states->switches++;
	if (runs && *runs >= 0 && *runs != e->tid)
		states->strangers++;
	err = task_switch_out(states, e);
	if (!err)
		err = task_switch_in(states, e);
	if (runs)
		*runs = e->next_tid;
	return err;
}

static struct error *task_states_wake(struct task_states *states, const struct sched_event *e)
{
	bool is_new = e->kind == SCHED_EVENT_WAKEUP_NEW;
	struct sched_task *task = e->tid ? task_states_find(states, e->tid) : NULL;
	struct error *err = task && is_new ? task_end(states, task, e->sample) : NULL;

	if (!e->tid || err)
		return err;
	if (is_new && (!task || task->state == TASK_DEAD)) {
		task = task_states_add_new(states, e->tid, e->time);
		err = task ? NULL : &error_no_memory;
	} else {
		err = task_states_get(states, e->tid, is_new ? TASK_UNKNOWN : TASK_BLOCKED, e,
				      &task);
	}
	if (err)
		return err;
	if (is_new && task->state == TASK_UNKNOWN)
		task->since = e->time;
	/* For a task that runs or waits for a CPU, a wakeup only prevents going to sleep. */
	if (task->state == TASK_RUNNING || task->state == TASK_RUNNABLE)
		return NULL;
	task->waker = e->sample->sample.tid;
	task->woken_by_interrupt = e->in_interrupt;
	task->woken = e->time;
	return task_enter(states, task, TASK_RUNNABLE, e);
}

struct error *task_states_apply(struct task_states *states, const struct sched_event *e)
{
	struct sched_task *task;

	if (!states->begin)
		states->begin = e->time;
	states->end = e->time;
	if (!lost_spans_note(&states->lost, e->cpu, e->time))
		return &error_no_memory;
	switch (e->kind) {
	case SCHED_EVENT_SWITCH:
		return task_states_switch(states, e);
	case SCHED_EVENT_WAKING:
	case SCHED_EVENT_WAKEUP:
	case SCHED_EVENT_WAKEUP_NEW:
		return task_states_wake(states, e);
	case SCHED_EVENT_MIGRATE:
		task = task_states_find(states, e->tid);
		if (task)
			task->cpu = e->cpu_to;
		return NULL;
	case SCHED_EVENT_RUNTIME:
		return e->tid ? task_states_get(states, e->tid, TASK_RUNNING, e, &task) : NULL;
	case SCHED_EVENT_OTHER:
		break;
	}
	return NULL;
}

/* In a command's recording, the switch to one of its tasks is no event of its tasks. */
static struct error *task_states_switched_in(struct task_states *states,
					     const struct session_record *r)
{
	const struct sched_event event = {
		.kind = SCHED_EVENT_SWITCH, .next_tid = r->tid, .cpu = r->sample.cpu,
		.time = r->sample.time, .sample = r,
	};
	struct sched_task *task = r->tid ? task_states_find(states, r->tid) : NULL;
	int32_t *runs = task_states_cpu(states, event.cpu);

	if (!task || task->state == TASK_RUNNING || task->state == TASK_DEAD)
		return NULL;
	if (runs)
		*runs = r->tid;
	states->end = event.time;
	return task_switch_in(states, &event);
}

/* The name of an ended task may later belong to another one. */
static struct sched_task *task_states_note_exit(struct task_states *states,
						const struct session_record *r)
{
	struct sched_task *task = task_states_find(states, r->tid);

	if (!task || task->state == TASK_DEAD)
		return NULL;
	task->exited = r->sample.time;
	task->comm = processes_comm(r->processes, -1, task->tid);
	return task;
}

/* After lost records, the tasks on the CPUs are known again at their next switches. */
static struct error *task_states_lose(struct task_states *states, const struct session_record *r)
{
	int32_t cpu = r->sample.cpu;

	if (!states->begin || !sched_event_is_lost(r))
		return NULL;
	for (size_t i = 0; i < states->cpus.nr; i++)
		if (cpu < 0 || i == (size_t)cpu)
			states->cpus.items[i] = -1;
	return lost_spans_take(&states->lost, r) ? NULL : &error_no_memory;
}

struct error *task_states_other(struct task_states *states, const struct session_record *r)
{
	const struct perf_event_header *header = r->record.header;
	struct sched_task *task;
	struct error *err;

	if (header->type == PERF_RECORD_LOST)
		return task_states_lose(states, r);
	if (header->type == PERF_RECORD_LOST_SAMPLES)
		return lost_spans_take(&states->lost, r) ? NULL : &error_no_memory;
	if (header->type == PERF_RECORD_EXIT)
		task_states_note_exit(states, r);
	if (header->type == PERF_RECORD_SWITCH && !(header->misc & PERF_RECORD_MISC_SWITCH_OUT))
		return task_states_switched_in(states, r);
	/* Records that describe tasks from before the recording are no forks. */
	if (header->type != PERF_RECORD_FORK || header->misc & PERF_RECORD_MISC_FORK_EXEC ||
	    !states->begin)
		return NULL;
	task = task_states_find(states, r->tid);
	err = task ? task_end(states, task, r) : NULL;
	/* A new task's first events may come before the record of its fork. */
	if (err || !task || task->state != TASK_DEAD)
		return err;
	return task_states_add_new(states, r->tid, r->sample.time) ? NULL : &error_no_memory;
}

struct error *task_states_exit(struct task_states *states, const struct session_record *r)
{
	struct sched_task *task = task_states_note_exit(states, r);

	return task ? task_end(states, task, r) : NULL;
}

struct error *task_states_finish(struct task_states *states, struct processes *processes)
{
	const struct session_record r = { .processes = processes };
	const struct sched_event end = { .time = states->end, .cpu = -1, .sample = &r };
	struct error *err = lost_spans_finish(&states->lost) ? NULL : &error_no_memory;

	for (size_t i = 0; i < states->tasks.nr && !err; i++) {
		struct sched_task *task = states->tasks.items[i];

		/* A thread that gets the number of an exited one by exec continues. */
		if (task->since <= task->exited)
			err = task_end(states, task, &r);
		if (!err)
			err = task_lose(states, task, TASK_UNKNOWN, &end);
		if (!task->comm || task->state != TASK_DEAD)
			task->comm = processes_comm(processes, -1, task->tid);
		if (states->listener && !err)
			err = states->listener->stay(states->listener, task, states->end,
						     task->state, NULL);
	}
	return err;
}

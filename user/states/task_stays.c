// SPDX-License-Identifier: GPL-2.0
#include "states/task_stays.h"

#include <stdlib.h>
#include <string.h>

#include "calls/chain_nodes.h"
#include "lib/array.h"
#include "lib/hash.h"
#include "session/callchain.h"

static int16_t stay_cpu(int32_t cpu)
{
	return cpu < 0 || cpu > INT16_MAX ? -1 : cpu;
}

static struct stayed_task *stays_task(struct task_stays *stays, const struct sched_task *task)
{
	return array_at(&stays->tasks, task->index, .pid = -1, .tid = -1);
}

static struct error *stays_begin_task(struct stayed_task *to, const struct sched_task *task)
{
	const struct task_stay first = {
		.since = task->since, .waker = -1, .cpu = -1, .waker_cpu = -1,
		.state = task->state, .at_least = task->at_least,
	};

	to->tid = task->tid;
	return array_push(to, first) ? NULL : &error_no_memory;
}

static struct error *stays_find_chain(struct task_stays *stays, const struct session_record *r,
				      uint32_t *ret)
{
	*ret = stays->root;
	return stays->chains ? chain_nodes_find(stays->chains, r, ret) : NULL;
}

static struct error *stays_add(struct task_stays *stays, struct stayed_task *to,
			       const struct sched_task *task, enum task_state next,
			       const struct sched_event *e)
{
	struct task_stay *last = &to->items[to->nr - 1];
	struct task_stay stay = {
		.since = e->time < last->since ? last->since : e->time,
		.waker = -1, .waker_cpu = -1, .cpu = stay_cpu(e->cpu), .state = next,
		.chain = stays->root,
	};
	struct error *err = NULL;

	if (!e->kind && next != TASK_DEAD) {
		stay.cpu = -1;
		stay.at_least = next != TASK_UNKNOWN;
	} else if (e->kind != SCHED_EVENT_SWITCH && next != TASK_DEAD) {
		stay.waker = task->waker;
		stay.by_interrupt = task->woken_by_interrupt;
		stay.waker_cpu = stay_cpu(e->cpu);
		stay.cpu = stay_cpu(e->cpu_to);
	} else if (e->kind == SCHED_EVENT_SWITCH && next != TASK_RUNNING) {
		stay.letter = e->leave.letter;
		/* Its CPU at the start of the recording was not recorded. */
		if (last->state == TASK_RUNNING && last->cpu < 0)
			last->cpu = stay.cpu;
		stays->unseen += last->state != TASK_RUNNING && e->time >= stays->counted.start &&
				 (!stays->counted.end || e->time <= stays->counted.end);
	} else if (last->state == TASK_RUNNABLE) {
		/* The CPU where it waited is certain only here. */
		last->cpu = stay.cpu;
	}
	/* The record of an exit is no sample. */
	if (next != TASK_RUNNING && e->kind)
		err = stays_find_chain(stays, e->sample, &stay.chain);
	if (!err && !array_push(to, stay))
		err = &error_no_memory;
	return err;
}

static struct error *stays_stay(struct task_listener *listener, const struct sched_task *task,
				uint64_t until, enum task_state next,
				const struct sched_event *event)
{
	struct task_stays *stays = container_of(listener, struct task_stays, listener);
	struct stayed_task *to = stays_task(stays, task);
	struct error *err = NULL;

	if (!to)
		return &error_no_memory;
	if (!to->nr)
		err = stays_begin_task(to, task);
	if (err)
		return err;
	if (event)
		return stays_add(stays, to, task, next, event);
	to->pid = processes_pid(stays->processes, task->tid);
	to->comm = strdup(task->comm);
	if (stays->end < until)
		stays->end = until;
	return to->comm ? NULL : &error_no_memory;
}

/* A task that waits for a CPU is migrated to another one. */
static struct error *stays_migrate(struct task_stays *stays, const struct sched_event *e)
{
	struct sched_task *task = task_states_find(&stays->states, e->tid);
	struct stayed_task *to = task && task->index < stays->tasks.nr ?
				 &stays->tasks.items[task->index] : NULL;
	struct task_stay *last = to && to->nr ? &to->items[to->nr - 1] : NULL;
	struct task_stay stay;

	if (!last || last->state != TASK_RUNNABLE)
		return NULL;
	/* The waker chooses the CPU of a task first. */
	if (last->waker == e->sample->sample.tid && last->waker_cpu == stay_cpu(e->cpu)) {
		last->cpu = stay_cpu(e->cpu_to);
		return NULL;
	}
	stay = *last;
	stay.since = e->time < last->since ? last->since : e->time;
	stay.cpu = stay_cpu(e->cpu_to);
	last->cpu = stay_cpu(e->cpu_from);
	return array_push(to, stay) ? NULL : &error_no_memory;
}

/* A woken task is now known to wait for this CPU. */
static void stays_woken(struct task_stays *stays, const struct sched_event *e)
{
	struct sched_task *task = task_states_find(&stays->states, e->tid);
	struct stayed_task *to = task && task->index < stays->tasks.nr ?
				 &stays->tasks.items[task->index] : NULL;

	if (to && to->nr && to->items[to->nr - 1].state == TASK_RUNNABLE)
		to->items[to->nr - 1].cpu = stay_cpu(e->cpu_to);
}

static size_t stays_number(struct task_stays *stays, int32_t tid)
{
	struct sched_task *task = tid ? task_states_find(&stays->states, tid) : NULL;

	return task ? task->index + 1 : 0;
}

/* Records of the CPU were lost since its last run began: @task ran after the loss. */
static struct error *stays_lose_run(struct cpu_runs *runs, const struct lost_span *lost,
				    size_t task)
{
	const struct cpu_run before = { lost->since, CPU_RUN_LOST };
	const struct cpu_run after = { lost->until, task };

	return array_push(runs, before) && array_push(runs, after) ? NULL : &error_no_memory;
}

static struct error *stays_switch(struct task_stays *stays, const struct sched_event *e)
{
	struct cpu_run run = { .since = stays->states.begin };
	struct lost_span lost;
	struct cpu_runs *runs;
	struct error *err;

	if (stay_cpu(e->cpu) < 0)
		return NULL;
	runs = array_at(&stays->cpus, e->cpu, 0);
	if (!runs)
		return &error_no_memory;
	run.task = stays_number(stays, e->tid);
	if (runs->nr)
		run.since = runs->items[runs->nr - 1].since;
	if (lost_spans_between(&stays->states.lost, e->cpu, run.since, e->time, &lost)) {
		err = stays_lose_run(runs, &lost, run.task);
		if (err)
			return err;
	}
	if (!runs->nr && !array_push(runs, run))
		return &error_no_memory;
	run.task = stays_number(stays, e->next_tid);
	run.since = e->time;
	if (run.since < runs->items[runs->nr - 1].since)
		run.since = runs->items[runs->nr - 1].since;
	return array_push(runs, run) ? NULL : &error_no_memory;
}

static struct error *stays_sample(struct session_consumer *consumer, const struct session_record *r)
{
	struct task_stays *stays = container_of(consumer, struct task_stays, consumer);
	struct sched_event event;
	struct error *err = sched_event_read(&stays->events, r, &event);

	if (err)
		return err;
	if (!event.kind)
		return interrupt_spans_take(&stays->interrupts, r);
	stays->processes = r->processes;
	err = task_states_apply(&stays->states, &event);
	if (err)
		return err;
	if (event.kind == SCHED_EVENT_SWITCH) {
		err = interrupt_spans_switch(&stays->interrupts, event.cpu, event.time);
		return err ? err : stays_switch(stays, &event);
	}
	if (event.kind == SCHED_EVENT_MIGRATE)
		return stays_migrate(stays, &event);
	if (event.kind == SCHED_EVENT_WAKEUP)
		stays_woken(stays, &event);
	return NULL;
}

static struct error *stays_other(struct session_consumer *consumer, const struct session_record *r)
{
	struct task_stays *stays = container_of(consumer, struct task_stays, consumer);
	struct error *err = recorded_tasks_take(&stays->recorded, r->record.header);

	if (!err && r->record.header->type == PERF_RECORD_LOST)
		err = interrupt_spans_lose(&stays->interrupts, r->sample.cpu, r->loss.since);
	return err ? err : task_states_other(&stays->states, r);
}

/* Whether the stay @next could only begin because the task was still in @state. */
static bool stay_tells(const struct task_stay *next, enum task_state state)
{
	return state == TASK_RUNNING ? next->letter :
	       state == TASK_BLOCKED && next->state == TASK_RUNNABLE && !next->letter;
}

/* Records were lost in the last stay of @to: add an unknown stay, and the rest after it. */
static bool stays_add_lost(struct task_stays *stays, struct stayed_task *to,
			   const struct lost_span *lost, const struct task_stay *next)
{
	const struct task_stay last = to->items[to->nr - 1];
	enum task_state state = last.state;
	struct task_stay stay = {
		.since = lost->since, .waker = -1, .chain = stays->root, .cpu = -1,
		.waker_cpu = -1, .state = TASK_UNKNOWN,
	};

	/* Only the end of the stay was recorded, and it is known only back to the loss. */
	if (last.at_least) {
		to->nr--;
		stay.since = last.since;
		stay.at_least = !to->nr;
	}
	if (!task_stay_is_lost(to, to->nr - 1) && !array_push(to, stay))
		return false;
	stay.at_least = false;
	if (!next || lost->until >= next->since || !stay_tells(next, state))
		return true;
	stay.since = lost->until;
	stay.state = state;
	stay.at_least = true;
	if (state == TASK_RUNNING)
		stay.cpu = next->cpu;
	return array_push(to, stay);
}

/* Events of other CPUs came before it was known that earlier records were lost. */
static struct error *stays_cut(struct task_stays *stays, struct stayed_task *task)
{
	struct stayed_task cut = { .nr = 0 };
	bool done = true;

	for (size_t i = 0; i < task->nr && done; i++) {
		const struct task_stay *stay = &task->items[i];
		struct lost_span lost;

		done = array_push(&cut, *stay);
		if (done && stay->state != TASK_UNKNOWN && stay->state != TASK_DEAD &&
		    task_states_lost(&stays->states, stay->state, stay->cpu, stay->since,
				     task_stay_end(stays, task, i), &lost))
			done = stays_add_lost(stays, &cut, &lost,
					      i + 1 < task->nr ? stay + 1 : NULL);
	}
	if (!done) {
		free(cut.items);
		return &error_no_memory;
	}
	free(task->items);
	task->items = cut.items;
	task->nr = cut.nr;
	task->alloc = cut.alloc;
	return NULL;
}

static struct error *stays_cut_all(struct task_stays *stays)
{
	struct error *err = NULL;
	struct lost_span lost;

	for (size_t i = 0; i < stays->tasks.nr && !err; i++)
		err = stays_cut(stays, &stays->tasks.items[i]);
	for (size_t i = 0; i < stays->cpus.nr && !err; i++) {
		struct cpu_runs *runs = &stays->cpus.items[i];

		if (runs->nr && lost_spans_between(&stays->states.lost, i,
						   runs->items[runs->nr - 1].since, stays->end,
						   &lost))
			err = stays_lose_run(runs, &lost, CPU_RUN_LOST);
	}
	return err;
}

static struct error *stays_finish(struct session_consumer *consumer)
{
	struct task_stays *stays = container_of(consumer, struct task_stays, consumer);
	struct error *err = NULL;

	if (stays->processes)
		err = task_states_finish(&stays->states, stays->processes);
	return err || !stays->states.lost.any ? err : stays_cut_all(stays);
}

struct error *task_stays_create(bool chains, struct task_stays **ret)
{
	_cleanup_(task_stays) struct task_stays *stays = calloc(1, sizeof(*stays));
	static const struct chain_options options = { .max_stack = CALLCHAIN_DEPTH };
	struct error *err = NULL;

	if (!stays)
		return &error_no_memory;
	stays->listener.stay = stays_stay;
	stays->states.listener = &stays->listener;
	stays->consumer = (struct session_consumer){
		.sample = stays_sample, .other = stays_other, .finish = stays_finish,
	};
	if (chains)
		err = call_tree_create(&stays->tree);
	if (chains && !err)
		err = chain_nodes_create(stays->tree, &options, &stays->chains);
	if (chains && !err)
		err = call_tree_add_root(stays->tree, 0, &stays->root);
	if (!err)
		*ret = take_ptr(stays);
	return err;
}

void task_stays_destroy(struct task_stays *stays)
{
	if (!stays)
		return;
	for (size_t i = 0; i < stays->tasks.nr; i++) {
		free(stays->tasks.items[i].items);
		free(stays->tasks.items[i].comm);
	}
	for (size_t i = 0; i < stays->cpus.nr; i++)
		free(stays->cpus.items[i].items);
	free(stays->tasks.items);
	free(stays->cpus.items);
	chain_nodes_destroy(stays->chains);
	call_tree_destroy(stays->tree);
	interrupt_spans_deinit(&stays->interrupts);
	recorded_tasks_deinit(&stays->recorded);
	sched_events_deinit(&stays->events);
	task_states_deinit(&stays->states);
	free(stays);
}

/*
 * Of two tasks with one number, the nearer one began last before @time; otherwise it is the one
 * that began first.  If both began at one time, their positions decide, because the hash table's
 * order differs from run to run.
 */
static bool stayed_task_is_nearer(const struct stayed_task *a, const struct stayed_task *b,
				  uint64_t time)
{
	uint64_t a_since = a->items[0].since, b_since = b->items[0].since;
	bool begun = a_since <= time;

	if (begun != (b_since <= time))
		return begun;
	if (a_since != b_since)
		return begun ? a_since > b_since : a_since < b_since;
	return begun ? a > b : a < b;
}

const struct stayed_task *task_stays_find(const struct task_stays *stays, int32_t tid,
					  uint64_t time)
{
	const struct stayed_task *found = NULL;
	const struct hash_table *table = &stays->states.by_tid;

	hash_table_each(table, hash_key_number(tid), index) {
		const struct stayed_task *task;

		if (index >= stays->tasks.nr)
			continue;
		task = &stays->tasks.items[index];
		if (task->tid != tid || !task->nr)
			continue;
		if (!found || stayed_task_is_nearer(task, found, time))
			found = task;
	}
	return found;
}

bool task_stay_before(const struct stayed_task *task, uint64_t time, size_t *ret)
{
	size_t nr = array_count_while(task->nr, i, task->items[i].since < time);

	*ret = nr - 1;
	return nr;
}

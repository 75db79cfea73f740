/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The whole activity of tasks in a recording: each state interval of each task, the tasks that ran
 * on each CPU, and the interrupts there.  Intervals that lost records may have changed are unknown.
 */
#ifndef KTRACE_STATES_TASK_STAYS_H
#define KTRACE_STATES_TASK_STAYS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "calls/call_tree.h"
#include "lib/array.h"
#include "lib/cleanup.h"
#include "record/scope.h"
#include "session/session.h"
#include "states/interrupt_spans.h"
#include "states/recorded_tasks.h"
#include "states/task_states.h"

/* A state interval.  It ends when the task's next one begins, or with the recording. */
struct task_stay {
	uint64_t since;		/* ns */
	int32_t waker;		/* tid of the waker of the sleep before; 0: idle; -1: unknown */
	uint32_t chain;		/* node: where the task stopped or, if it was woken, its waker */
	int16_t cpu;		/* where it runs or waits; -1: unknown */
	int16_t waker_cpu;
	uint8_t state;		/* enum task_state */
	char letter;		/* after it stopped: the reason, as the kernel prints it; else 0 */
	bool at_least;		/* it was in this state before, too */
	bool by_interrupt;	/* an interrupt woke it, not the waker itself */
};

/* A task; it has at least one state interval. */
struct stayed_task {
	struct task_stay *items;
	size_t nr, alloc;
	int32_t pid, tid;
	char *comm;
};

/* A task begins to run on a CPU. */
#define CPU_RUN_LOST	SIZE_MAX
struct cpu_run {
	uint64_t since;
	size_t task;		/* index + 1; 0: the CPU is idle; CPU_RUN_LOST: records were lost */
};

struct cpu_runs {
	struct cpu_run *items;
	size_t nr, alloc;
};

struct task_stays {
	struct session_consumer consumer;
	struct task_listener listener;
	struct sched_events events;
	struct task_states states;
	struct interrupt_spans interrupts;
	struct recorded_tasks recorded;
	struct processes *processes;	/* the session's, while it runs */
	struct call_tree *tree;		/* owned; NULL: without call chains */
	struct chain_nodes *chains;
	uint32_t root;			/* the node of samples without a chain */
	ARRAY_OF(struct stayed_task) tasks;
	ARRAY_OF(struct cpu_runs) cpus;
	/* The last event of the scheduler.  A later exit ends its own task only. */
	uint64_t end;
	struct time_range counted;	/* for @unseen; an end of 0 is open */
	uint64_t unseen;		/* stops in this time of tasks that no switch had started */
};

/* Pass &(*ret)->consumer to a session.  @chains: also keep where tasks stop and are woken. */
struct error *task_stays_create(bool chains, struct task_stays **ret);
void task_stays_destroy(struct task_stays *stays);
DEFINE_CLEANUP_PTR(task_stays, struct task_stays, task_stays_destroy)

/* The task that had this number at that time; NULL: unknown. */
const struct stayed_task *task_stays_find(const struct task_stays *stays, int32_t tid,
					  uint64_t time);

/* The end of a state interval. */
static inline uint64_t task_stay_end(const struct task_stays *stays, const struct stayed_task *task,
				     size_t stay)
{
	uint64_t since = task->items[stay].since;

	if (stay + 1 < task->nr)
		return task->items[stay + 1].since;
	return since < stays->end ? stays->end : since;
}

/* Whether a loss precedes the state interval of the task. */
static inline bool task_stay_is_lost(const struct stayed_task *task, size_t stay)
{
	return stay && stay < task->nr && task->items[stay].state == TASK_UNKNOWN;
}

/* The last state interval that began before @time; false: there is none. */
bool task_stay_before(const struct stayed_task *task, uint64_t time, size_t *ret);

#endif

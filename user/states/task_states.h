/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The state of each task at each instant, from the scheduler's tracepoints: it runs, waits for a
 * CPU, or is blocked.  Each state interval is passed to a listener when it ends.
 *
 * A task that existed before the first event has been in its state at least since then.
 *
 * After a loss of records, states are unknown.  A task that ran may have stopped if its CPU lost
 * records.  One that did not run may have been woken and have run on any CPU with losses.  It is
 * then in TASK_UNKNOWN until its next event.  If that event shows the state before, the unknown
 * interval is only as long as the loss.  The listener gets intervals that ended at a loss with
 * @next TASK_UNKNOWN and an @event without a kind.  A loss is known when its LOST record comes;
 * task_states_lost() can report it later.  Idle tasks are ignored.
 */
#ifndef KTRACE_STATES_TASK_STATES_H
#define KTRACE_STATES_TASK_STATES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "lib/array.h"
#include "lib/hash_table.h"
#include "states/lost_spans.h"
#include "states/sched_event.h"

enum task_state {
	TASK_UNKNOWN = 0,	/* off the CPU for an unknown reason; or records were lost */
	TASK_RUNNING,
	TASK_RUNNABLE,		/* woken, new, preempted, or it has yielded */
	TASK_BLOCKED,
	TASK_DEAD,
	TASK_STATES
};

/* A task; its index and its address do not change. */
struct sched_task {
	size_t index;		/* among all tasks; a number that is reused is another task */
	int32_t tid;
	int32_t cpu;		/* where it runs, ran last or was last put; -1: unknown */
	enum task_state state;
	bool at_least;		/* it was in this state before @since, too */
	bool lost;		/* the state is unknown because records were lost */
	uint64_t since;		/* ns */
	struct sched_leave leave;	/* how it stopped running; letter 0: not seen */
	/* The end of its last blocked interval; -1: unknown. */
	int32_t waker;		/* tid; 0: an interrupt on an idle CPU */
	bool woken_by_interrupt;	/* an interrupt woke it, not the waker itself */
	uint64_t woken;		/* time of the wakeup; 0: unknown */
	const char *comm;	/* the session's; set when it exits or dies, and at the end */
	uint64_t exited;	/* ns; 0: no recorded exit, or it is dead */
};

/*
 * Called when @task leaves its state, which it still has during the call, because of @event.
 * @event is NULL at the end of the recording.  @next is the new state.
 */
struct task_listener {
	struct error *(*stay)(struct task_listener *listener, const struct sched_task *task,
			      uint64_t until, enum task_state next,
			      const struct sched_event *event);
};

struct task_states {
	ARRAY_OF(struct sched_task *) tasks;	/* owned */
	struct hash_table by_tid;	/* of all tasks; the last one of a tid is the current one */
	ARRAY_OF(int32_t) cpus;	/* tid that runs on each CPU; 0: idle, -1: unknown */
	struct lost_spans lost;		/* of records about tasks */
	struct task_listener *listener;	/* borrowed; NULL: none */
	struct sched_task *last;	/* last one found */
	uint64_t begin, end;	/* times of the first and the last event; 0: none */
	uint64_t switches;
	uint64_t strangers;	/* switches away from a task that was not known to run there */
};

/*
 * Find the lost records between these times that might have ended the state @state of a task; for
 * TASK_RUNNING on @cpu.  *ret extends from the first to the last loss.  Returns false if none were
 * lost.
 */
bool task_states_lost(const struct task_states *states, enum task_state state, int32_t cpu,
		      uint64_t since, uint64_t until, struct lost_span *ret);

void task_states_deinit(struct task_states *states);

/* Apply an event.  Possible errors are lack of memory and the listener's. */
struct error *task_states_apply(struct task_states *states, const struct sched_event *event);

/*
 * Apply a record that is no sample.  LOST reports losses.  FORK may reuse the number of a task.  A
 * context switch shows that a task runs.  In a command's recording, the last switch of a task is no
 * event, so only its EXIT record shows the end.  That comes a little earlier, so it counts only if
 * no other event shows the end.  The listener then gets the end late: when the number is reused or
 * the recording ends.
 */
struct error *task_states_other(struct task_states *states, const struct session_record *r);

/*
 * Apply an EXIT record immediately.  It is for callers that accept to lose the last bit of a task's
 * run time, and do not want its end late.
 */
struct error *task_states_exit(struct task_states *states, const struct session_record *r);

/* Pass the unfinished intervals to the listener, and set the names of all tasks. */
struct error *task_states_finish(struct task_states *states, struct processes *processes);

/* The task that currently has this number; NULL: unknown. */
struct sched_task *task_states_find(struct task_states *states, int32_t tid);

#endif

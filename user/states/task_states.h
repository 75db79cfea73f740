/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What each task does at each instant, as the scheduler's tracepoints tell it: it runs, waits
 * for a CPU, or is blocked.  Each stay in a state is given to a listener when it ends.
 *
 * A task that was there before the first event has been in its state at least since then.
 *
 * Where records were lost, what is known ends, and begins anew: a task that ran has not been seen
 * to stop if its CPU lost records; one that did not run may have been woken and have run on any
 * CPU that did.  Then it is in TASK_UNKNOWN until the next event of it; if that tells what the
 * task did before, only as long as the loss.  The listener gets stays that have ended by then with
 * the @next TASK_UNKNOWN and an @event that has no kind.  A loss is known when its LOST record
 * comes; task_states_lost() still has it later.
 * The idle tasks are no tasks here.
 */
#ifndef KTRACE_STATES_TASK_STATES_H
#define KTRACE_STATES_TASK_STATES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "lib/hash_table.h"
#include "states/lost_spans.h"
#include "states/sched_event.h"

enum task_state {
	TASK_UNKNOWN = 0,	/* off the CPU, nobody recorded why; or records were lost */
	TASK_RUNNING,
	TASK_RUNNABLE,		/* woken, new, preempted, or it has given way */
	TASK_BLOCKED,
	TASK_DEAD,
	TASK_STATES
};

/* A task; its index and its address stay the same. */
struct sched_task {
	size_t index;		/* among all tasks; a number that is reused is another task */
	int32_t tid;
	int32_t cpu;		/* where it runs, ran last or was last put; -1: unknown */
	enum task_state state;
	bool at_least;		/* it was in this state before @since, too */
	bool lost;		/* the state is unknown because records were lost */
	uint64_t since;		/* ns */
	struct sched_leave leave;	/* how it stopped running; letter 0: not seen */
	/* Who ended the last time that it was blocked; -1: unknown. */
	int32_t waker;		/* tid; 0: an interrupt on an idle CPU */
	bool woken_by_interrupt;	/* so the waker is only the task that was interrupted */
	uint64_t woken;		/* when that was; 0: unknown */
	const char *comm;	/* the session's; set when it exits or dies, and at the end */
	uint64_t exited;	/* ns; 0: it has not, as far as is known, or it is dead */
};

/*
 * Called when @task leaves the state that it is still shown in, because of @event, which is
 * NULL at the end of the recording.  @next is its new state.
 */
struct task_listener {
	struct error *(*stay)(struct task_listener *listener, const struct sched_task *task,
			      uint64_t until, enum task_state next,
			      const struct sched_event *event);
};

struct task_states {
	struct {
		struct sched_task **items;	/* owned */
		size_t nr, alloc;
	} tasks;
	struct hash_table by_tid;	/* of all tasks; the last one of a tid is the current one */
	struct {
		int32_t *items;	/* the tid of what runs on each CPU; 0: idle, -1: unknown */
		size_t nr, alloc;
	} cpus;
	struct lost_spans lost;		/* of records that tell what tasks do */
	struct task_listener *listener;	/* borrowed; NULL: none */
	struct sched_task *last;	/* found last */
	uint64_t begin, end;	/* times of the first and the last event; 0: none */
	uint64_t switches;
	uint64_t strangers;	/* switches away from a task that did not run there */
};

/*
 * Find when, between these times, records were lost that might have ended that a task is in
 * @state, of TASK_RUNNING on @cpu; from the first to the last loss.  false: none were.
 */
bool task_states_lost(const struct task_states *states, enum task_state state, int32_t cpu,
		      uint64_t since, uint64_t until, struct lost_span *ret);

void task_states_deinit(struct task_states *states);

/* Take in an event.  The only errors are to be out of memory and the listener's. */
struct error *task_states_apply(struct task_states *states, const struct sched_event *event);

/*
 * Take in a record that is no sample: LOST tells of losses, the number of a task that is forked
 * may be reused, and a context switch to a task that is not known to run tells that it does.  Of a
 * command alone, the last switch of a task is no event, only its exit.  That comes a little
 * earlier, so it counts only if nothing else tells the end, and then the listener is told of it
 * late: when the number is reused or the recording ends.
 */
struct error *task_states_other(struct task_states *states, const struct session_record *r);

/*
 * Take in a record of a task's end, for who would rather take what the task still runs behind
 * it as nothing than be told of its end late.
 */
struct error *task_states_exit(struct task_states *states, const struct session_record *r);

/* Give the listener what has not ended, and all tasks their names. */
struct error *task_states_finish(struct task_states *states, struct processes *processes);

/* The task that has this number now; NULL: none is known. */
struct sched_task *task_states_find(struct task_states *states, int32_t tid);

#endif

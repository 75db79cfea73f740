/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What tasks did, as columns: a row for each time that a task ran, waited for a CPU or was
 * blocked, in the order in which they began.
 *
 *	start, end	ns of the recording's clock
 *	tid, pid, comm	the task
 *	state		"running", "runnable", "blocked"; "unknown": it was off the CPU, or records were lost
 *	cpu		that it ran on or waited for, or ran on last; -1: unknown
 *	waker		of what a wakeup began or ended: tid of who woke; 0: idle; -1: unknown
 *	by_interrupt	the waker was only interrupted by what woke the task
 *	why		of what began as the task stopped running: the letter of its state
 *	at_least	bit 0: it had begun before; bit 1: it went on
 *	chain		where the task stopped or, if it was woken, its waker; only if it was kept
 */
#ifndef KTRACE_STATES_TASK_INTERVALS_H
#define KTRACE_STATES_TASK_INTERVALS_H

#include "columns/columns.h"
#include "record/scope.h"
#include "session/selection.h"
#include "states/task_stays.h"

/* The event's name that stands for these rows. */
#define TASK_INTERVALS_NAME	"tasks"

/* All is borrowed. */
struct task_interval_options {
	struct time_range time;		/* what happened outside is cut off; both 0: nothing is */
	const struct cpumap *cpus;	/* only what has one of these; NULL: all */
	const struct id_list *tids;	/* only these; NULL or empty: all */
};

/* The session of @stays has ended.  *ret is the caller's, and has no event. */
struct error *task_intervals_make(const struct task_stays *stays,
				  const struct task_interval_options *options, struct batch *ret);

#endif

/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The activity of tasks as columns: a row for each period in which a task ran, waited for a CPU or
 * was blocked, in the order of their starts.
 *
 *	start, end	ns of the recording's clock
 *	tid, pid, comm	the task
 *	state		"running", "runnable", "blocked"; "unknown": it was off the CPU, or records were lost
 *	cpu		where it ran or waited, or ran last; -1: unknown
 *	waker		if a wakeup began or ended it: tid of the waker; 0: idle; -1: unknown
 *	by_interrupt	an interrupt woke the task; the waker was only interrupted
 *	why		if the task stopped running: the letter of its state
 *	at_least	bit 0: it began before the recording; bit 1: it continued after it
 *	chain		where the task stopped or, if it was woken, its waker; only if it was kept
 */
#ifndef KTRACE_STATES_TASK_INTERVALS_H
#define KTRACE_STATES_TASK_INTERVALS_H

#include "columns/columns.h"
#include "record/scope.h"
#include "session/selection.h"
#include "states/task_stays.h"

/* The event name of these rows. */
#define TASK_INTERVALS_NAME	"tasks"

/* All pointers are borrowed. */
struct task_interval_options {
	struct time_range time;		/* cut off periods outside; both 0: no limit */
	const struct cpumap *cpus;	/* only periods on these; NULL: all */
	const struct id_list *tids;	/* only these; NULL or empty: all */
};

/* The session of @stays has ended.  The caller owns *ret, which has no event. */
struct error *task_intervals_make(const struct task_stays *stays,
				  const struct task_interval_options *options, struct batch *ret);

#endif

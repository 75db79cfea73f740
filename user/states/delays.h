/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Finds the times at which tasks did not run although they could, or did not run at all.
 */
#ifndef KTRACE_STATES_DELAYS_H
#define KTRACE_STATES_DELAYS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "session/selection.h"
#include "states/task_stays.h"

struct delay {
	const struct stayed_task *task;
	uint64_t since, until;		/* ns */
	uint64_t runnable;		/* from then on it waited for a CPU; @until: it did not */
	bool at_least;			/* it was there before the recording or at its end, too */
	bool goes_on;			/* the task did not run again before the recording ended */
	bool lost;			/* records were lost then, so its end is unknown */
};

struct delay_options {
	size_t worst;		/* keep so many, the longest first; 0: all, in the order of time */
	uint64_t slower;	/* ns; only those that took longer */
	bool off_cpu;		/* with the sleep before the task could run again */
	const char *comms;	/* "a,b"; NULL: all */
	const struct id_list *pids, *tids;	/* empty: all */
	bool only_recorded;	/* of tasks that stays->recorded has */
	struct time_range time;	/* only those that began in this time; an end that is 0 is open */
};

struct delays {
	struct delay *items;
	size_t nr, alloc;
};

void delays_deinit(struct delays *delays);

/*
 * Delays that have not ended count as far as the recording goes; but tasks that are asleep then
 * have no delay.  The only error is to be out of memory.
 */
struct error *delays_find(const struct task_stays *stays, const struct delay_options *options,
			  struct delays *ret);

/*
 * The time around @time, which is meant to @precision ns, that a task was off the CPUs.  Returns
 * false if it ran then, or nothing is known of it.
 */
bool delay_at(const struct task_stays *stays, const struct stayed_task *task, uint64_t time,
	      uint64_t precision, struct delay *ret);

#endif

/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Finds the periods in which tasks did not run although they could, or did not run at all.
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
	uint64_t runnable;		/* from then on it waited for a CPU; @until: never */
	bool at_least;			/* it also began before or ended after the recording */
	bool goes_on;			/* the task did not run again before the recording ended */
	bool lost;			/* records were lost then, so its end is unknown */
};

struct delay_options {
	size_t worst;		/* keep this number, the longest first; 0: all, in order of time */
	uint64_t slower;	/* ns; only longer delays */
	bool off_cpu;		/* include the sleep before the task could run again */
	const char *comms;	/* "a,b"; NULL: all */
	const struct id_list *pids, *tids;	/* empty: all */
	bool only_recorded;	/* only tasks in stays->recorded */
	struct time_range time;	/* only delays that began in this time; an end of 0 is open */
};

struct delays {
	struct delay *items;
	size_t nr, alloc;
};

void delays_deinit(struct delays *delays);

/*
 * Unfinished delays count up to the end of the recording; but tasks that are asleep then have no
 * delay.  The only possible error is lack of memory.
 */
struct error *delays_find(const struct task_stays *stays, const struct delay_options *options,
			  struct delays *ret);

/*
 * Find the period around @time, rounded to @precision ns, in which a task was off the CPUs.
 * Returns false if it ran then, or if its state is unknown.
 */
bool delay_at(const struct task_stays *stays, const struct stayed_task *task, uint64_t time,
	      uint64_t precision, struct delay *ret);

#endif

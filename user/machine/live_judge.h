/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Monitors that run in the kernel module: it judges events when they happen, and stores none of
 * them.
 */
#ifndef KTRACE_MACHINE_LIVE_JUDGE_H
#define KTRACE_MACHINE_LIVE_JUDGE_H

#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "lib/cleanup.h"
#include "machine/action.h"
#include "machine/judge.h"

struct live_judge;

/* The actions of the module on each violation. */
struct live_actions {
	uint32_t mask;			/* KTRACE_ACTION_* */
	uint32_t max_rate;		/* violations in a second that are acted on; 0: 10 */
};

/*
 * Load the monitors of @judges, compiled for the formats of the running kernel.  The list and the
 * formats must outlive the result; the list's judges are NULL.  @pid: judge this task from its exec
 * on, and its children; 0: all tasks.  ENOENT: the module is not loaded; EOPNOTSUPP: it cannot
 * judge these monitors, or has no actions.
 */
struct error *live_judge_open(const struct judges *judges, pid_t pid,
			      const struct live_actions *actions, struct live_judge **ret);
void live_judge_close(struct live_judge *judge);
DEFINE_CLEANUP_PTR(live_judge, struct live_judge, live_judge_close)

struct error *live_judge_start(struct live_judge *judge);
/* poll() reports POLLPRI for it when a violation was found, if KTRACE_ACTION_WAKE was given. */
int live_judge_fd(const struct live_judge *judge);
/*
 * Read the violations that were found since the last call, and pass them to @take by their time.
 * @boottime is that time by CLOCK_BOOTTIME, ns.  It may also be called after live_judge_stop().
 */
struct error *live_judge_read(struct live_judge *judge,
			      void (*take)(void *data, const struct judges_violation *row,
					   uint64_t boottime), void *data);
/* End judging; then the functions below return the results. */
struct error *live_judge_stop(struct live_judge *judge);

/* Count the outcomes of the keys of a monitor. */
void live_judge_count(const struct live_judge *judge, size_t number, struct key_counts *ret);
/* The sums of the module's actions over all monitors. */
void live_judge_sum_actions(const struct live_judge *judge, struct action_sums *ret);
/* As judges_violations(); they live as long as @judge. */
struct error *live_judge_violations(struct live_judge *judge, struct judges_violation **ret,
				    size_t *ret_nr);

#endif

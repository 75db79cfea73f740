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
#include "machine/judge.h"

struct live_judge;

/*
 * Load the monitors of @judges, compiled for the formats of the running kernel.  The list and the
 * formats must outlive the result; the list's judges are NULL.  @pid: judge this task from its exec
 * on, and its children; 0: all tasks.  ENOENT: the module is not loaded; EOPNOTSUPP: it cannot
 * judge these monitors.
 */
struct error *live_judge_open(const struct judges *judges, pid_t pid, struct live_judge **ret);
void live_judge_close(struct live_judge *judge);
DEFINE_CLEANUP_PTR(live_judge, struct live_judge, live_judge_close)

struct error *live_judge_start(struct live_judge *judge);
/* End judging; then the two functions below return the results. */
struct error *live_judge_stop(struct live_judge *judge);

/* Count the outcomes of the keys of a monitor. */
void live_judge_count(const struct live_judge *judge, size_t number, struct key_counts *ret);
/* As judges_violations(); they live as long as @judge. */
struct error *live_judge_violations(const struct live_judge *judge, struct judges_violation **ret,
				    size_t *ret_nr);

#endif

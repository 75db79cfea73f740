/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Monitors that the kernel's module runs: it judges events where they happen, and stores none.
 */
#ifndef KTRACE_MACHINE_LIVE_JUDGE_H
#define KTRACE_MACHINE_LIVE_JUDGE_H

#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "lib/cleanup.h"
#include "machine/judges.h"

struct live_judge;

/*
 * Load the monitors of @judges, compiled for the formats of the running kernel, which must live as
 * long, as must the list; the judges in it are NULL.
 * @pid: judge this task from its exec on, and those that it makes; 0: all tasks.  ENOENT: the
 * module is not loaded; EOPNOTSUPP: it cannot judge these.
 */
struct error *live_judge_open(const struct judges *judges, pid_t pid, struct live_judge **ret);
void live_judge_close(struct live_judge *judge);
DEFINE_CLEANUP_PTR(live_judge, struct live_judge, live_judge_close)

struct error *live_judge_start(struct live_judge *judge);
/* End judging; then the two below tell what came of it. */
struct error *live_judge_stop(struct live_judge *judge);

/* What became of the keys of a monitor. */
void live_judge_count(const struct live_judge *judge, size_t number, struct key_counts *ret);
/* As judges_violations(); they live as long as @judge. */
struct error *live_judge_violations(const struct live_judge *judge, struct judges_violation **ret,
				    size_t *ret_nr);

#endif

/* SPDX-License-Identifier: GPL-2.0 */
/* How often each task made each system call, how long the calls took, and which failed. */
#ifndef KTRACE_TABLE_TRACE_SYSCALL_STATS_H
#define KTRACE_TABLE_TRACE_SYSCALL_STATS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "lib/array.h"
#include "lib/cleanup.h"
#include "states/syscall_states.h"

/* Calls that fail with another number are counted under the last one. */
#define SYSCALL_ERRNOS	534

struct syscall_sums {
	const struct syscall_info *info;
	uint64_t calls, failures;
	uint64_t shortest, longest;	/* ns */
	double mean, squares;		/* ns; the sum of squared differences from it */
	uint32_t *errnos;		/* SYSCALL_ERRNOS counts by errno; NULL: none failed */
};

/* The calls of one task. */
struct syscall_task_sums {
	const struct syscall_task *task;
	ARRAY_OF(struct syscall_sums) calls;	/* when sorted, the longest in total come first */
};

struct syscall_stats;

/* The listener's events are passed on to @next. */
struct error *syscall_stats_create(struct syscall_listener *next, struct syscall_stats **ret);
void syscall_stats_destroy(struct syscall_stats *stats);

struct syscall_listener *syscall_stats_listener(struct syscall_stats *stats);

/*
 * The sums of all tasks of @states, those with the most events first.  *ret lives as long as
 * @stats.
 */
struct error *syscall_stats_sorted(struct syscall_stats *stats,
				   const struct syscall_states *states,
				   struct syscall_task_sums **ret, size_t *ret_nr);

#endif

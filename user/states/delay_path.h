/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What a delay consists of: its critical path.  While a task sleeps, the path is what the task
 * did meanwhile that woke it in the end; if that one slept, too, the path is that of its waker,
 * and so on.  So each instant of a delay belongs to one step, and the steps add up to it.
 */
#ifndef KTRACE_STATES_DELAY_PATH_H
#define KTRACE_STATES_DELAY_PATH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "states/task_stays.h"

/* Sleeps inside of sleeps are followed so far, and a path has no more steps. */
#define DELAY_PATH_DEPTH	256
#define DELAY_PATH_STEPS	100000

struct path_step {
	const struct stayed_task *task;
	enum task_state state;	/* TASK_UNKNOWN: what it did was not recorded, or lost */
	uint64_t since, until;	/* ns; the next step begins at @until */
	int32_t cpu;		/* that it ran on or waited for; -1: unknown */
	char letter;		/* before: why it stopped; 0: unknown */
	bool cut;		/* the waker of this sleep was not followed, as limits were met */
	/* RUNNABLE: who had woken it since the delay began; BLOCKED: who woke it then. */
	const struct stayed_task *waker;	/* NULL: unknown, or an idle CPU's interrupt */
	bool by_interrupt;
	const char *interrupt;	/* its name; NULL: unknown */
	int32_t waker_cpu;	/* -1: it was not woken, or it is unknown by whom */
	uint32_t stopped, woken;	/* nodes of call chains; the root: none */
};

struct delay_path {
	struct path_step *items;
	size_t nr, alloc;
};

void delay_path_deinit(struct delay_path *path);
DEFINE_CLEANUP(delay_path, struct delay_path, delay_path_deinit)

/* The only error is to be out of memory. */
struct error *delay_path_find(const struct task_stays *stays, const struct stayed_task *task,
			      uint64_t since, uint64_t until, struct delay_path *ret);

/* What a CPU did in a time: a task, an interrupt, or nothing. */
struct cpu_use {
	const struct stayed_task *task;	/* NULL: an interrupt, or idle */
	const char *interrupt;
	uint64_t ns;
	size_t slot;
};

/* It can be used again and again, for recordings with the same stays. */
struct cpu_uses {
	struct cpu_use *items;
	size_t nr, alloc;
	struct {
		size_t *items;	/* by slot: where its use is in items, + 1; 0: nowhere */
		size_t nr, alloc;
	} slots;		/* idle, then one for each task, then one for each name */
};

void cpu_uses_deinit(struct cpu_uses *uses);

/*
 * Find what a CPU did.  What is not known of the time is not there.  The @sorted largest uses
 * come first and in their order, the others behind them in any.  The only error is to be out of
 * memory.
 */
struct error *cpu_uses_find(const struct task_stays *stays, int32_t cpu, uint64_t since,
			    uint64_t until, size_t sorted, struct cpu_uses *ret);

#endif

/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The composition of a delay: its critical path.  While a task sleeps, the path follows the task
 * that wakes it in the end.  If that one slept, too, the path follows its waker, and so on.  So
 * each instant of a delay belongs to one step, and the steps add up to it.
 */
#ifndef KTRACE_STATES_DELAY_PATH_H
#define KTRACE_STATES_DELAY_PATH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "states/task_stays.h"

/* The limits of nested sleeps that are followed, and of steps. */
#define DELAY_PATH_DEPTH	256
#define DELAY_PATH_STEPS	100000

struct path_step {
	const struct stayed_task *task;
	enum task_state state;	/* TASK_UNKNOWN: its activity was not recorded, or lost */
	uint64_t since, until;	/* ns; the next step begins at @until */
	int32_t cpu;		/* where it ran or waited; -1: unknown */
	char letter;		/* before: the reason why it stopped; 0: unknown */
	bool cut;		/* the waker of this sleep was not followed, because of a limit */
	/* RUNNABLE: its last waker since the delay began; BLOCKED: the waker at its end. */
	const struct stayed_task *waker;	/* NULL: unknown, or an idle CPU's interrupt */
	bool by_interrupt;
	const char *interrupt;	/* its name; NULL: unknown */
	int32_t waker_cpu;	/* -1: it was not woken, or its waker is unknown */
	uint32_t stopped, woken;	/* nodes of call chains; the root: none */
};

struct delay_path {
	struct path_step *items;
	size_t nr, alloc;
};

void delay_path_deinit(struct delay_path *path);
DEFINE_CLEANUP(delay_path, struct delay_path, delay_path_deinit)

/* The only possible error is lack of memory. */
struct error *delay_path_find(const struct task_stays *stays, const struct stayed_task *task,
			      uint64_t since, uint64_t until, struct delay_path *ret);

/* A use of a CPU in a period: a task, an interrupt, or idle. */
struct cpu_use {
	const struct stayed_task *task;	/* NULL: an interrupt, or idle */
	const char *interrupt;
	uint64_t ns;
	size_t slot;
};

/* It can be reused for recordings with the same stays. */
struct cpu_uses {
	struct cpu_use *items;
	size_t nr, alloc;
	struct {
		size_t *items;	/* by slot: position of its use in items, + 1; 0: none */
		size_t nr, alloc;
	} slots;		/* idle, then one per task, then one per name */
};

void cpu_uses_deinit(struct cpu_uses *uses);

/*
 * Find the uses of a CPU.  Unknown time is left out.  The @sorted largest uses come first, in order
 * of size; the rest follow in any order.  The only possible error is lack of memory.
 */
struct error *cpu_uses_find(const struct task_stays *stays, int32_t cpu, uint64_t since,
			    uint64_t until, size_t sorted, struct cpu_uses *ret);

#endif

/* SPDX-License-Identifier: GPL-2.0 */
/* The tasks of a workload: the descendants of a given task. */
#ifndef KTRACE_CHECK_TASK_TREE_H
#define KTRACE_CHECK_TASK_TREE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "lib/cleanup.h"

struct task_tree {
	unsigned char *states;	/* by tid; owned */
	int32_t root;
	uint64_t begin, end;	/* fork of its first task, and end of the last one */
	uint64_t closed;	/* end of the root; UINT64_MAX: it still runs */
};

/* Start a tree of the children of @root, without @root itself; false: out of memory. */
bool task_tree_init(struct task_tree *tree, int32_t root);
void task_tree_deinit(struct task_tree *tree);
DEFINE_CLEANUP(task_tree, struct task_tree, task_tree_deinit)

/* Leave out a task that belongs neither to the workload nor to the rest of the machine. */
void task_tree_leave_out(struct task_tree *tree, int32_t tid);

/*
 * Add a fork or an exit; they must come in the order of time.  Firings of a task after the root's
 * exit are outside.  A task that has exited still has to leave its CPU, which may be before or
 * after a recorder ends.
 */
void task_tree_fork(struct task_tree *tree, int32_t parent, int32_t tid, uint64_t time);
void task_tree_exit(struct task_tree *tree, int32_t tid, uint64_t time);

enum task_place {
	TASK_OUTSIDE,		/* left out, not yet ended, too early or too late */
	TASK_BESIDE,		/* any other task, during the time of the tree */
	TASK_INSIDE,		/* born below the root, and ended */
};

enum task_place task_tree_place(const struct task_tree *tree, int32_t tid, uint64_t time);

/* The number of tasks born below the root that have not ended. */
size_t task_tree_alive(const struct task_tree *tree);

#endif

/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The tasks a workload consists of: what a given task forked, and what those did.
 */
#ifndef KTRACE_CHECK_TASK_TREE_H
#define KTRACE_CHECK_TASK_TREE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "lib/cleanup.h"

struct task_tree {
	unsigned char *states;	/* by tid; owned */
	int32_t root;
	uint64_t begin, end;	/* when its first task was forked, and the last one ended */
};

/* The children of @root, without itself; false: memory is out. */
bool task_tree_init(struct task_tree *tree, int32_t root);
void task_tree_deinit(struct task_tree *tree);
DEFINE_CLEANUP(task_tree, struct task_tree, task_tree_deinit)

/* A task that is part of neither the workload nor the rest of the machine. */
void task_tree_leave_out(struct task_tree *tree, int32_t tid);

/* In the order of time. */
void task_tree_fork(struct task_tree *tree, int32_t parent, int32_t tid, uint64_t time);
void task_tree_exit(struct task_tree *tree, int32_t tid, uint64_t time);

enum task_place {
	TASK_OUTSIDE,		/* it is left out, had not ended, or it is too early or late */
	TASK_BESIDE,		/* any other task, while the tree was there */
	TASK_INSIDE,		/* born below the root, and ended */
};

enum task_place task_tree_place(const struct task_tree *tree, int32_t tid, uint64_t time);

/* Tasks born below the root that have not ended. */
size_t task_tree_alive(const struct task_tree *tree);

#endif

// SPDX-License-Identifier: GPL-2.0
#include "check/task_tree.h"

#include <stdlib.h>

/* The kernel's PID_MAX_LIMIT.  Unused pages of the table cost nothing. */
#define TIDS_MAX (4 * 1024 * 1024)

enum { OTHER, ALIVE, ENDED, LEFT_OUT };

static bool is_tid(int32_t tid)
{
	return tid > 0 && tid < TIDS_MAX;
}

bool task_tree_init(struct task_tree *tree, int32_t root)
{
	*tree = (struct task_tree){
		.states = calloc(TIDS_MAX, 1), .root = root, .closed = UINT64_MAX,
	};
	return tree->states;
}

void task_tree_deinit(struct task_tree *tree)
{
	free(tree->states);
	tree->states = NULL;
}

void task_tree_leave_out(struct task_tree *tree, int32_t tid)
{
	if (is_tid(tid))
		tree->states[tid] = LEFT_OUT;
}

static bool is_born(const struct task_tree *tree, int32_t parent)
{
	return parent == tree->root || tree->states[parent] == ALIVE ||
		tree->states[parent] == ENDED;
}

void task_tree_fork(struct task_tree *tree, int32_t parent, int32_t tid, uint64_t time)
{
	if (!is_tid(tid) || !is_tid(parent) || !is_born(tree, parent))
		return;
	tree->states[tid] = ALIVE;
	if (!tree->begin)
		tree->begin = time;
}

void task_tree_exit(struct task_tree *tree, int32_t tid, uint64_t time)
{
	if (tid == tree->root)
		tree->closed = time;
	if (!is_tid(tid) || tree->states[tid] != ALIVE)
		return;
	tree->states[tid] = ENDED;
	tree->end = time;
}

enum task_place task_tree_place(const struct task_tree *tree, int32_t tid, uint64_t time)
{
	unsigned char state = is_tid(tid) ? tree->states[tid] : OTHER;

	if (time >= tree->closed)
		return TASK_OUTSIDE;
	if (state == ENDED)
		return TASK_INSIDE;
	return state == OTHER && tid >= 0 && time >= tree->begin && time < tree->end ?
		TASK_BESIDE : TASK_OUTSIDE;
}

size_t task_tree_alive(const struct task_tree *tree)
{
	size_t alive = 0;

	for (size_t i = 0; i < TIDS_MAX; i++)
		alive += tree->states[i] == ALIVE;
	return alive;
}

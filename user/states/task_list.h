/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The tasks of a recording as a tree: who started whom, as FORK and COMM records tell.
 */
#ifndef KTRACE_STATES_TASK_LIST_H
#define KTRACE_STATES_TASK_LIST_H

#include <stddef.h>
#include <stdint.h>

#include "lib/cleanup.h"
#include "session/session.h"

#define TASK_LIST_COMM_BYTES 32
#define TASK_LIST_NONE SIZE_MAX

struct task_entry {
	int32_t pid, tid;
	int32_t ppid;		/* the thread that forked it, as perf calls it; -1: not told */
	char comm[TASK_LIST_COMM_BYTES];	/* its last one */
	/* Positions in the list, TASK_LIST_NONE: there is none. */
	size_t parent, child, next;	/* child: the first one; next: of the same parent */
	size_t last_child;
	size_t depth;		/* 0: nothing is above it */
	struct maps maps;	/* with keep_maps: what it had mapped when it ended */
};

struct task_list;

/* @keep_maps: hold what tasks have mapped, until the list is destroyed. */
struct error *task_list_create(bool keep_maps, struct task_list **ret);
void task_list_destroy(struct task_list *list);

struct session_consumer *task_list_consumer(struct task_list *list);

/*
 * Make the tree, once all records were taken; call it once.  Tasks whose parents are not known,
 * or would be their own ancestors, stand at the top.  Returns the first of them.
 */
size_t task_list_link(struct task_list *list);

/* The task at a position, and the position of the one that follows when the tree is printed. */
const struct task_entry *task_list_get(const struct task_list *list, size_t position);
size_t task_list_next(const struct task_list *list, size_t position);

#endif

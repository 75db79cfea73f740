/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The tasks of a recording as a tree, from FORK and COMM records.
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
	int32_t ppid;		/* the thread that forked it, in perf's terms; -1: unknown */
	char comm[TASK_LIST_COMM_BYTES];	/* its last one */
	/* Positions in the list, TASK_LIST_NONE: there is none. */
	size_t parent, child, next;	/* child: the first one; next: of the same parent */
	size_t last_child;
	size_t depth;		/* 0: at the top */
	struct maps maps;	/* with keep_maps: its maps when it ended */
};

struct task_list;

/* @keep_maps: keep the maps of tasks until the list is destroyed. */
struct error *task_list_create(bool keep_maps, struct task_list **ret);
void task_list_destroy(struct task_list *list);

struct session_consumer *task_list_consumer(struct task_list *list);

/*
 * Build the tree, once all records were processed; call it once.  Tasks without known parents, or
 * that would be their own ancestors, are at the top.  Returns the first of them.
 */
size_t task_list_link(struct task_list *list);

/* The task at a position, and the position of the next one in the printed tree. */
const struct task_entry *task_list_get(const struct task_list *list, size_t position);
size_t task_list_next(const struct task_list *list, size_t position);

#endif

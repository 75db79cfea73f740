/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Which threads samples came from, and which names were told of them, for outputs that name a
 * thread once, before the first sample that refers to it.
 */
#ifndef KTRACE_STATES_TASK_NAMES_H
#define KTRACE_STATES_TASK_NAMES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "lib/error.h"
#include "lib/hash_table.h"

struct task_name {
	int32_t pid, tid;
	const char *comm;	/* equal ones are equal pointers, as processes_comm() gives them */
};

/* All zero: no threads. */
struct task_names {
	struct task_name *items;	/* in the order in which they were first seen */
	size_t nr, alloc;
	struct hash_table table;
};

void task_names_deinit(struct task_names *names);

/*
 * Take in the thread of a sample.  *ret_number is its position; *ret_changed: it is new, or has
 * another name than before.  The only error is to be out of memory.
 */
struct error *task_names_take(struct task_names *names, const struct task_name *name,
			      size_t *ret_number, bool *ret_changed);

#endif

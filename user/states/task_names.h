/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The threads of samples and their current names, for outputs that name a thread once, before the
 * first sample that refers to it.
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
	const char *comm;	/* equal ones are equal pointers, as from processes_comm() */
};

/* Initialize it to zeros: no threads. */
struct task_names {
	struct task_name *items;	/* in the order of their first samples */
	size_t nr, alloc;
	struct hash_table table;
};

void task_names_deinit(struct task_names *names);

/*
 * Add the thread of a sample.  *ret_number is its position; *ret_changed: it is new, or its name
 * has changed.  The only possible error is lack of memory.
 */
struct error *task_names_take(struct task_names *names, const struct task_name *name,
			      size_t *ret_number, bool *ret_changed);

#endif

/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The tasks that a recording of a command is of.  Of all others, it only tells when one of these
 * wakes them or stops running for them, and neither when they begin otherwise nor when they stop.
 */
#ifndef KTRACE_STATES_RECORDED_TASKS_H
#define KTRACE_STATES_RECORDED_TASKS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "lib/error.h"
#include "lib/hash_table.h"
#include "record/event.h"

struct recorded_tasks {
	struct {
		int32_t *items;
		size_t nr, alloc;
	} tids;
	struct hash_table by_tid;
};

void recorded_tasks_deinit(struct recorded_tasks *tasks);

/* Take in a record: COMM and FORK tell of tasks.  The only error is to be out of memory. */
struct error *recorded_tasks_take(struct recorded_tasks *tasks,
				  const struct perf_event_header *header);

/* Whether a record has told of the task. */
bool recorded_tasks_has(const struct recorded_tasks *tasks, int32_t tid);

/* Whether sched:sched_switch began with the exec of a command, and so is of its tasks alone. */
bool recording_is_of_command(const struct event_list *events);

#endif

/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The tasks of a command's recording.  About other tasks, it only shows when a recorded task wakes
 * them or stops running for them.  It shows neither other starts of them nor their stops.
 */
#ifndef KTRACE_STATES_RECORDED_TASKS_H
#define KTRACE_STATES_RECORDED_TASKS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "lib/array.h"
#include "lib/error.h"
#include "lib/hash_table.h"
#include "record/event.h"

struct recorded_tasks {
	ARRAY_OF(int32_t) tids;
	struct hash_table by_tid;
};

void recorded_tasks_deinit(struct recorded_tasks *tasks);

/* Add a COMM or FORK record; others are ignored.  The only possible error is lack of memory. */
struct error *recorded_tasks_take(struct recorded_tasks *tasks,
				  const struct perf_event_header *header);

/* Whether a record has named the task. */
bool recorded_tasks_has(const struct recorded_tasks *tasks, int32_t tid);

/* Whether sched:sched_switch was enabled by the exec of a command, and so covers only its tasks. */
bool recording_is_of_command(const struct event_list *events);

#endif

// SPDX-License-Identifier: GPL-2.0
#include "states/recorded_tasks.h"

#include <stdlib.h>
#include <string.h>

#include "lib/array.h"
#include "lib/hash.h"
#include "record/body.h"

void recorded_tasks_deinit(struct recorded_tasks *tasks)
{
	free(tasks->tids.items);
	hash_table_deinit(&tasks->by_tid);
	*tasks = (struct recorded_tasks){ 0 };
}

bool recorded_tasks_has(const struct recorded_tasks *tasks, int32_t tid)
{
	hash_table_each(&tasks->by_tid, hash_key_number(tid), n)
		if (tasks->tids.items[n] == tid)
			return true;
	return false;
}

struct error *recorded_tasks_take(struct recorded_tasks *tasks,
				  const struct perf_event_header *header)
{
	const struct body_task *fork = body_of(header, struct body_task);
	const struct body_comm *comm = body_of(header, struct body_comm);
	int32_t tid;

	if (header->type == PERF_RECORD_FORK && fork)
		tid = fork->tid;
	else if (header->type == PERF_RECORD_COMM && comm)
		tid = comm->tid;
	else
		return NULL;
	if (recorded_tasks_has(tasks, tid))
		return NULL;
	if (!array_push(&tasks->tids, tid) ||
	    !hash_table_add(&tasks->by_tid, hash_key_number(tid), tasks->tids.nr - 1))
		return &error_no_memory;
	return NULL;
}

bool recording_is_of_command(const struct event_list *events)
{
	bool is = false;

	for (size_t i = 0; i < events->nr; i++) {
		if (strcmp(events->items[i]->name, "sched:sched_switch"))
			continue;
		if (!events->items[i]->attr.enable_on_exec)
			return false;
		is = true;
	}
	return is;
}

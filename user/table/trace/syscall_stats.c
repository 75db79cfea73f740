// SPDX-License-Identifier: GPL-2.0
#include "table/trace/syscall_stats.h"

#include <stdlib.h>

#include "lib/array.h"
#include "record/record.h"

struct syscall_stats {
	struct syscall_listener listener, *next;
	ARRAY_OF(struct syscall_task_sums) tasks;	/* by the index of the task */
	struct syscall_task_sums *sorted;
};

static struct error *syscall_stats_enter(struct syscall_listener *listener,
					 const struct syscall_call *call)
{
	struct syscall_stats *stats = container_of(listener, struct syscall_stats, listener);

	return stats->next->enter(stats->next, call);
}

static struct syscall_sums *syscall_sums_of(struct syscall_stats *stats,
					    const struct syscall_call *call)
{
	struct syscall_task_sums *task;

	task = array_at(&stats->tasks, call->task->index, 0);
	if (!task)
		return NULL;
	task->task = call->task;
	for (size_t i = 0; i < task->calls.nr; i++)
		if (task->calls.items[i].info == call->info)
			return &task->calls.items[i];
	if (!array_push(&task->calls, ((struct syscall_sums){ .info = call->info })))
		return NULL;
	return &task->calls.items[task->calls.nr - 1];
}

static struct error *syscall_stats_exit(struct syscall_listener *listener,
					const struct syscall_call *call)
{
	struct syscall_stats *stats = container_of(listener, struct syscall_stats, listener);
	struct syscall_sums *sums = syscall_sums_of(stats, call);
	uint64_t duration = call->duration;
	double difference;
	size_t number;

	if (!sums)
		return &error_no_memory;
	sums->calls++;
	difference = duration - sums->mean;
	sums->mean += difference / sums->calls;
	sums->squares += difference * (duration - sums->mean);
	if (sums->calls == 1 || duration < sums->shortest)
		sums->shortest = duration;
	if (duration > sums->longest)
		sums->longest = duration;
	if (call->ret < 0) {
		sums->failures++;
		if (!sums->errnos)
			sums->errnos = calloc(SYSCALL_ERRNOS, sizeof(*sums->errnos));
		if (!sums->errnos)
			return &error_no_memory;
		number = call->ret > -SYSCALL_ERRNOS ? -call->ret : SYSCALL_ERRNOS - 1;
		sums->errnos[number]++;
	}
	return stats->next->exit(stats->next, call);
}

struct error *syscall_stats_create(struct syscall_listener *next, struct syscall_stats **ret)
{
	*ret = calloc(1, sizeof(**ret));
	if (!*ret)
		return &error_no_memory;
	(*ret)->next = next;
	(*ret)->listener = (struct syscall_listener){
		.enter = syscall_stats_enter, .exit = syscall_stats_exit,
	};
	return NULL;
}

void syscall_stats_destroy(struct syscall_stats *stats)
{
	if (!stats)
		return;
	for (size_t i = 0; i < stats->tasks.nr; i++) {
		struct syscall_task_sums *task = &stats->tasks.items[i];

		for (size_t k = 0; k < task->calls.nr; k++)
			free(task->calls.items[k].errnos);
		free(task->calls.items);
	}
	free(stats->tasks.items);
	free(stats->sorted);
	free(stats);
}

struct syscall_listener *syscall_stats_listener(struct syscall_stats *stats)
{
	return &stats->listener;
}

static int syscall_sums_compare(const void *a, const void *b)
{
	const struct syscall_sums *x = a, *y = b;
	double first = x->mean * x->calls, second = y->mean * y->calls;

	if (first != second)
		return first < second ? 1 : -1;
	return x->info->number < y->info->number ? -1 : x->info->number > y->info->number;
}

DEFINE_COMPARISON(syscall_task_compare, struct syscall_task_sums,
		  array_descending(x->task->events, y->task->events) ?:
		  array_order(x->task->index, y->task->index))

struct error *syscall_stats_sorted(struct syscall_stats *stats,
				   const struct syscall_states *states,
				   struct syscall_task_sums **ret, size_t *ret_nr)
{
	size_t nr = syscall_states_count(states);

	free(stats->sorted);
	stats->sorted = calloc(nr + 1, sizeof(*stats->sorted));
	if (!stats->sorted)
		return &error_no_memory;
	for (size_t i = 0; i < nr; i++) {
		if (i < stats->tasks.nr)
			stats->sorted[i] = stats->tasks.items[i];
		stats->sorted[i].task = syscall_states_at(states, i);
		if (stats->sorted[i].calls.nr)
			qsort(stats->sorted[i].calls.items, stats->sorted[i].calls.nr,
			      sizeof(struct syscall_sums), syscall_sums_compare);
	}
	qsort(stats->sorted, nr, sizeof(*stats->sorted), syscall_task_compare);
	*ret = stats->sorted;
	*ret_nr = nr;
	return NULL;
}

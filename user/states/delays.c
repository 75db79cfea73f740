// SPDX-License-Identifier: GPL-2.0
#include "states/delays.h"

#include <stdlib.h>

#include "lib/array.h"
#include "terminal/options.h"

/* Sorting fewer than this does not pay. */
#define DELAYS_KEPT	256

void delays_deinit(struct delays *delays)
{
	free(delays->items);
	*delays = (struct delays){ 0 };
}

/* Build the delay whose last stay is @last.  Returns the first stay. */
static size_t delay_make(const struct task_stays *stays, const struct stayed_task *task,
			 size_t last, bool off_cpu, struct delay *ret)
{
	size_t first = last;

	*ret = (struct delay){
		.task = task, .until = task_stay_end(stays, task, last),
		.goes_on = last + 1 == task->nr, .lost = task_stay_is_lost(task, last + 1),
	};
	ret->runnable = ret->until;
	while (task->items[first].state == TASK_RUNNABLE) {
		ret->runnable = task->items[first].since;
		if (!first || task_stay_is_lost(task, first - 1) ||
		    task->items[first - 1].state == TASK_RUNNING ||
		    task->items[first - 1].state == TASK_DEAD ||
		    (task->items[first - 1].state != TASK_RUNNABLE && !off_cpu))
			break;
		first--;
	}
	ret->since = task->items[first].since;
	ret->at_least = task->items[first].at_least || ret->goes_on || ret->lost ||
			(first && task_stay_is_lost(task, first - 1));
	return first;
}

static bool delay_has_id(const struct id_list *ids, int32_t id)
{
	bool has = !ids || !ids->nr;

	for (size_t i = 0; !has && i < ids->nr; i++)
		has = ids->items[i] == id;
	return has;
}

static bool delay_wants_task(const struct task_stays *stays, const struct delay_options *o,
			     const struct stayed_task *task)
{
	return task->nr && task->comm &&
	       (!o->only_recorded || recorded_tasks_has(&stays->recorded, task->tid)) &&
	       delay_has_id(o->tids, task->tid) && delay_has_id(o->pids, task->pid) &&
	       (!o->comms || word_in_list(o->comms, task->comm));
}

static bool delay_is_wanted(const struct delay_options *o, const struct delay *d)
{
	return d->until - d->since > o->slower && d->since >= o->time.start &&
	       (!o->time.end || d->since <= o->time.end);
}

static int delay_compare(const struct delay *a, const struct delay *b)
{
	int order = array_descending(a->until - a->since, b->until - b->since);

	if (!order)
		order = array_descending(b->since, a->since);
	return order ? order : (a->task->tid > b->task->tid) - (a->task->tid < b->task->tid);
}

static int delay_compare_lengths(const void *a, const void *b)
{
	return delay_compare(a, b);
}

DEFINE_COMPARISON(delay_compare_times, struct delay, array_descending(y->since, x->since) ?:
		  array_order(x->task->tid, y->task->tid))

/*
 * Only as many are kept as needed; the excess is dropped when there are more than twice as many.
 * *@least is then the last one that was kept, if @least->task is set.
 */
static struct error *delays_add(const struct delay_options *o, const struct delay *d,
				struct delay *least, struct delays *to)
{
	if (least->task && delay_compare(d, least) > 0)
		return NULL;
	if (!array_push(to, *d))
		return &error_no_memory;
	if (o->worst && to->nr / 2 > o->worst && to->nr > DELAYS_KEPT) {
		array_sort(to, delay_compare_lengths);
		to->nr = o->worst;
		*least = to->items[to->nr - 1];
	}
	return NULL;
}

static struct error *delays_find_of(const struct task_stays *stays, const struct delay_options *o,
				    const struct stayed_task *task, struct delay *least,
				    struct delays *ret)
{
	struct error *err = NULL;

	for (size_t i = 0; i < task->nr && !err; i++) {
		uint8_t next = i + 1 < task->nr ? task->items[i + 1].state : TASK_RUNNING;
		struct delay d;

		if (next != TASK_RUNNING && !task_stay_is_lost(task, i + 1))
			continue;
		/* If a sleeping task runs without a wakeup, the wakeup was not recorded. */
		if (task->items[i].state != TASK_RUNNABLE &&
		    (task->items[i].state != TASK_BLOCKED || !o->off_cpu || next != TASK_RUNNING ||
		     i + 1 == task->nr))
			continue;
		delay_make(stays, task, i, o->off_cpu, &d);
		if (task->items[i].state == TASK_BLOCKED)
			d.at_least = task->items[i].at_least;
		if (delay_is_wanted(o, &d))
			err = delays_add(o, &d, least, ret);
	}
	return err;
}

struct error *delays_find(const struct task_stays *stays, const struct delay_options *options,
			  struct delays *ret)
{
	struct delay least = { 0 };
	struct error *err = NULL;

	for (size_t i = 0; i < stays->tasks.nr && !err; i++)
		if (delay_wants_task(stays, options, &stays->tasks.items[i]))
			err = delays_find_of(stays, options, &stays->tasks.items[i],
					     &least, ret);
	if (!ret->nr)
		return err;
	qsort(ret->items, ret->nr, sizeof(*ret->items),
	      options->worst ? delay_compare_lengths : delay_compare_times);
	if (options->worst && ret->nr > options->worst)
		ret->nr = options->worst;
	return err;
}

static bool delay_is_off(const struct task_stay *stay)
{
	return stay->state == TASK_RUNNABLE || stay->state == TASK_BLOCKED;
}

bool delay_at(const struct task_stays *stays, const struct stayed_task *task, uint64_t time,
	      uint64_t precision, struct delay *ret)
{
	bool found = false;
	size_t i;

	if (!task_stay_before(task, time + 1, &i))
		i = 0;
	for (; i < task->nr && task->items[i].since < time + precision; i++) {
		struct delay d;
		size_t last = i;

		if (!delay_is_off(&task->items[i]) || task_stay_end(stays, task, i) <= time)
			continue;
		while (last + 1 < task->nr && delay_is_off(&task->items[last + 1]))
			last++;
		delay_make(stays, task, last, true, &d);
		if (!found || d.until - d.since > ret->until - ret->since)
			*ret = d;
		found = true;
		i = last;
	}
	return found;
}

// SPDX-License-Identifier: GPL-2.0
#include "states/delay_path.h"

#include <stdlib.h>

#include "lib/array.h"

struct path_walk {
	const struct task_stays *stays;
	struct delay_path *path;	/* in reverse order while it is built */
	uint64_t since;			/* start of the delay */
	unsigned int depth;
};

void delay_path_deinit(struct delay_path *path)
{
	free(path->items);
	*path = (struct delay_path){ 0 };
}

/* Store the waker that ended the sleep before the stay @woken in a step. */
static void path_tell_waker(const struct path_walk *walk, const struct task_stay *woken,
			    struct path_step *step)
{
	step->waker_cpu = woken->waker_cpu;
	step->by_interrupt = woken->by_interrupt;
	step->woken = woken->chain;
	if (woken->by_interrupt)
		step->interrupt = interrupt_spans_at(&walk->stays->interrupts, woken->waker_cpu,
						     woken->since);
	else if (woken->waker > 0)
		step->waker = task_stays_find(walk->stays, woken->waker, woken->since);
}

/* Whether a waiting task was woken in the delay.  A migration begins another stay. */
static bool path_has_waking(const struct path_walk *walk, const struct stayed_task *task, size_t at)
{
	while (at && task->items[at - 1].state == TASK_RUNNABLE)
		at--;
	return task->items[at].since >= walk->since;
}

static struct error *path_add(struct path_walk *walk, const struct stayed_task *task, size_t at,
			      uint64_t since, uint64_t until, bool cut)
{
	const struct task_stay *stay = &task->items[at];
	const struct task_stay *next = at + 1 < task->nr ? stay + 1 : NULL;
	struct path_step step = {
		.task = task, .state = stay->state, .since = since, .until = until,
		.cpu = stay->cpu, .waker_cpu = -1, .cut = cut,
		.stopped = walk->stays->root, .woken = walk->stays->root,
	};

	if (stay->state == TASK_DEAD)
		step.state = TASK_UNKNOWN;
	if (stay->state == TASK_BLOCKED || (stay->state == TASK_RUNNABLE && stay->letter)) {
		step.letter = stay->letter;
		step.stopped = stay->chain;
	}
	/* Records before the delay may be missing, so the waker may be unknown. */
	if (stay->state == TASK_RUNNABLE && stay->waker >= 0 && path_has_waking(walk, task, at))
		path_tell_waker(walk, stay, &step);
	if (stay->state == TASK_BLOCKED && next && next->state == TASK_RUNNABLE &&
	    next->since <= until)
		path_tell_waker(walk, next, &step);
	return array_push(walk->path, step) ? NULL : &error_no_memory;
}

/* Before its first stay, a task did not exist, or its state is unknown. */
static struct error *path_add_before(struct path_walk *walk, const struct stayed_task *task,
				     uint64_t since, uint64_t until)
{
	const struct path_step step = {
		.task = task, .since = since, .until = until, .cpu = -1, .waker_cpu = -1,
		.stopped = walk->stays->root, .woken = walk->stays->root,
	};

	return array_push(walk->path, step) ? NULL : &error_no_memory;
}

static struct error *path_walk_task(struct path_walk *walk, const struct stayed_task *task,
				    uint64_t since, uint64_t until);

/* The steps of a sleep: the activity of its waker, if a task woke it. */
static struct error *path_walk_sleep(struct path_walk *walk, const struct stayed_task *task,
				     size_t at, uint64_t since, uint64_t until)
{
	const struct task_stay *woken = at + 1 < task->nr ? &task->items[at + 1] : NULL;
	const struct stayed_task *waker = NULL;
	bool cut = false;
	struct error *err;

	/* If it is woken later, it did something meanwhile but was not seen to run. */
	if (woken && woken->state == TASK_RUNNABLE && woken->since <= until && woken->waker > 0 &&
	    !woken->by_interrupt)
		waker = task_stays_find(walk->stays, woken->waker, woken->since);
	if (waker && waker != task && (walk->depth >= DELAY_PATH_DEPTH ||
				       walk->path->nr >= DELAY_PATH_STEPS))
		cut = true;
	if (!waker || waker == task || cut)
		return path_add(walk, task, at, since, until, cut);
	walk->depth++;
	err = path_walk_task(walk, waker, since, until);
	walk->depth--;
	return err;
}

/* The creator of a new task wakes it, and the path continues with the creator. */
static struct error *path_walk_parent(struct path_walk *walk, const struct stayed_task *task,
				      uint64_t since, uint64_t until)
{
	const struct task_stay *first = task->nr > 1 ? &task->items[1] : NULL;
	const struct stayed_task *parent = NULL;
	struct error *err;

	if (first && !task->items[0].at_least && first->waker > 0)
		parent = task_stays_find(walk->stays, first->waker, first->since);
	if (!parent || parent == task || walk->depth >= DELAY_PATH_DEPTH ||
	    walk->path->nr >= DELAY_PATH_STEPS)
		return path_add_before(walk, task, since, until);
	walk->depth++;
	err = path_walk_task(walk, parent, since, until);
	walk->depth--;
	return err;
}

/* Walk from the end to the beginning. */
static struct error *path_walk_task(struct path_walk *walk, const struct stayed_task *task,
				    uint64_t since, uint64_t until)
{
	struct error *err = NULL;
	size_t at;

	while (until > since && !err) {
		uint64_t from;

		if (!task_stay_before(task, until, &at))
			return path_walk_parent(walk, task, since, until);
		from = task->items[at].since > since ? task->items[at].since : since;
		if (task->items[at].state == TASK_BLOCKED)
			err = path_walk_sleep(walk, task, at, from, until);
		else
			err = path_add(walk, task, at, from, until, false);
		until = from;
	}
	return err;
}

struct error *delay_path_find(const struct task_stays *stays, const struct stayed_task *task,
			      uint64_t since, uint64_t until, struct delay_path *ret)
{
	struct path_walk walk = { .stays = stays, .path = ret, .since = since };
	struct error *err = path_walk_task(&walk, task, since, until);

	for (size_t i = 0; i < ret->nr / 2; i++) {
		struct path_step first = ret->items[i];

		ret->items[i] = ret->items[ret->nr - 1 - i];
		ret->items[ret->nr - 1 - i] = first;
	}
	return err;
}

void cpu_uses_deinit(struct cpu_uses *uses)
{
	free(uses->items);
	free(uses->slots.items);
	*uses = (struct cpu_uses){ 0 };
}

/* Drop the previous results. */
static bool cpu_uses_clear(struct cpu_uses *uses, const struct task_stays *stays)
{
	size_t slots = 1 + stays->tasks.nr + stays->interrupts.names.nr;

	for (size_t i = 0; i < uses->nr; i++)
		uses->slots.items[uses->items[i].slot] = 0;
	uses->nr = 0;
	while (uses->slots.nr < slots)
		if (!array_push(&uses->slots, 0))
			return false;
	return true;
}

static bool cpu_uses_add(struct cpu_uses *uses, size_t slot, const struct stayed_task *task,
			 const char *interrupt, uint64_t ns)
{
	const struct cpu_use use = {
		.task = task, .interrupt = interrupt, .ns = ns, .slot = slot,
	};
	size_t *at = &uses->slots.items[slot];

	if (!ns)
		return true;
	if (*at) {
		uses->items[*at - 1].ns += ns;
		return true;
	}
	if (!array_push(uses, use))
		return false;
	*at = uses->nr;
	return true;
}

/* Add the interrupts on a CPU in a period, and sum up their durations. */
static bool cpu_uses_add_interrupts(const struct task_stays *stays, int32_t cpu, uint64_t since,
				    uint64_t until, struct cpu_uses *uses, uint64_t *ret_ns)
{
	const struct interrupt_spans *spans = &stays->interrupts;
	size_t nr;
	const struct interrupt_span *span = interrupt_spans_after(spans, cpu, since, &nr);

	*ret_ns = 0;
	for (; nr && span->since < until; span++, nr--) {
		uint64_t from = span->since > since ? span->since : since;
		uint64_t to = span->until < until ? span->until : until;

		*ret_ns += to - from;
		if (!cpu_uses_add(uses, 1 + stays->tasks.nr + span->name, NULL,
				  spans->names.items[span->name].text, to - from))
			return false;
	}
	return true;
}

/* The run on a CPU that began last at or before @time; if there is none, the first one. */
static size_t cpu_runs_at(const struct cpu_runs *runs, uint64_t time)
{
	size_t nr = array_count_until(runs, since, time);

	return nr ? nr - 1 : 0;
}

DEFINE_COMPARISON(cpu_uses_compare, struct cpu_use, array_descending(x->ns, y->ns))

/* Uses of equal duration are ordered by their starts. */
static void cpu_uses_sort(struct cpu_uses *uses, size_t sorted)
{
	struct cpu_use *items = uses->items;

	if (sorted > uses->nr)
		sorted = uses->nr;
	if (!sorted)
		return;
	qsort(items, sorted, sizeof(*items), cpu_uses_compare);
	for (size_t i = sorted; i < uses->nr; i++) {
		struct cpu_use use = items[i];
		size_t at = sorted - 1;

		if (use.ns <= items[at].ns)
			continue;
		items[i] = items[at];
		for (; at && items[at - 1].ns < use.ns; at--)
			items[at] = items[at - 1];
		items[at] = use;
	}
}

static bool cpu_uses_add_run(const struct task_stays *stays, int32_t cpu, size_t task,
			     uint64_t from, uint64_t to, struct cpu_uses *uses)
{
	uint64_t interrupts;

	if (task > stays->tasks.nr)
		task = 0;
	return cpu_uses_add_interrupts(stays, cpu, from, to, uses, &interrupts) &&
	       cpu_uses_add(uses, task, task ? &stays->tasks.items[task - 1] : NULL, NULL,
			    to - from - interrupts);
}

struct error *cpu_uses_find(const struct task_stays *stays, int32_t cpu, uint64_t since,
			    uint64_t until, size_t sorted, struct cpu_uses *ret)
{
	const struct cpu_runs *runs;

	if (!cpu_uses_clear(ret, stays))
		return &error_no_memory;
	if (cpu < 0 || (size_t)cpu >= stays->cpus.nr)
		return NULL;
	runs = &stays->cpus.items[cpu];
	for (size_t i = cpu_runs_at(runs, since); i < runs->nr; i++) {
		uint64_t from = runs->items[i].since > since ? runs->items[i].since : since;
		uint64_t to = i + 1 < runs->nr && runs->items[i + 1].since < until ?
			      runs->items[i + 1].since : until;

		if (from >= until)
			break;
		if (to > from && runs->items[i].task != CPU_RUN_LOST &&
		    !cpu_uses_add_run(stays, cpu, runs->items[i].task, from, to, ret))
			return &error_no_memory;
	}
	cpu_uses_sort(ret, sorted);
	return NULL;
}

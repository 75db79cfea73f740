// SPDX-License-Identifier: GPL-2.0
#include "states/task_intervals.h"

#include <stdlib.h>
#include <string.h>

#include "columns/dictionary.h"
#include "lib/array.h"
#include "lib/strbuf.h"

#define INTERVAL_BEGAN_BEFORE	1
#define INTERVAL_WENT_ON	2
#define INTERVAL_FRAMES		1024	/* of a chain, at most */

DEFINE_CLEANUP_PTR(dictionary, struct dictionary, dictionary_destroy)
DEFINE_CLEANUP(batch, struct batch, batch_deinit)

struct interval {
	uint64_t start, end;
	const struct stayed_task *task;
	const struct task_stay *stay;
	size_t number;		/* in order of discovery */
	int32_t waker;
	int16_t cpu;
	uint8_t at_least;
	bool by_interrupt;
};

struct intervals {
	struct interval *items;
	size_t nr, alloc;
};

static void intervals_deinit(struct intervals *intervals)
{
	free(intervals->items);
}
DEFINE_CLEANUP(intervals, struct intervals, intervals_deinit)

enum interval_column {
	INTERVAL_START, INTERVAL_END, INTERVAL_TID, INTERVAL_PID, INTERVAL_COMM, INTERVAL_STATE,
	INTERVAL_CPU, INTERVAL_WAKER, INTERVAL_BY_INTERRUPT, INTERVAL_WHY, INTERVAL_AT_LEAST,
	INTERVAL_CHAIN,
	INTERVAL_COLUMNS
};

static const struct {
	const char *name;
	enum column_type type;
	uint8_t size;
	bool is_signed;
} interval_columns[INTERVAL_COLUMNS] = {
	[INTERVAL_START] = { "start", COLUMN_TIME, 8, true },
	[INTERVAL_END] = { "end", COLUMN_TIME, 8, true },
	[INTERVAL_TID] = { "tid", COLUMN_INTEGER, 4, true },
	[INTERVAL_PID] = { "pid", COLUMN_INTEGER, 4, true },
	[INTERVAL_COMM] = { "comm", COLUMN_TEXT, 4, true },
	[INTERVAL_STATE] = { "state", COLUMN_TEXT, 4, true },
	[INTERVAL_CPU] = { "cpu", COLUMN_INTEGER, 4, true },
	[INTERVAL_WAKER] = { "waker", COLUMN_INTEGER, 4, true },
	[INTERVAL_BY_INTERRUPT] = { "by_interrupt", COLUMN_INTEGER, 1, false },
	[INTERVAL_WHY] = { "why", COLUMN_TEXT, 4, true },
	[INTERVAL_AT_LEAST] = { "at_least", COLUMN_INTEGER, 1, false },
	[INTERVAL_CHAIN] = { "chain", COLUMN_TEXT, 4, true },
};

/* ---- rows ----------------------------------------------------------------- */

static bool interval_has_tid(const struct task_interval_options *options, int32_t tid)
{
	const struct id_list *tids = options->tids;

	for (size_t i = 0; tids && i < tids->nr; i++)
		if (tids->items[i] == tid)
			return true;
	return !tids || !tids->nr;
}

/* Whether a wakeup began the stay. */
static bool interval_is_woken(const struct task_stay *stay)
{
	return stay->state == TASK_RUNNABLE && !stay->letter;
}

static struct error *intervals_add(struct intervals *intervals, const struct task_stays *stays,
				   const struct task_interval_options *options,
				   const struct stayed_task *task, size_t index)
{
	const struct task_stay *stay = &task->items[index];
	const struct task_stay *next = index + 1 < task->nr ? stay + 1 : NULL;
	const struct task_stay *woken = interval_is_woken(stay) ? stay : NULL;
	uint64_t upper = options->time.end ? options->time.end + 1 : UINT64_MAX;
	struct interval new = {
		.start = stay->since, .end = task_stay_end(stays, task, index),
		.task = task, .stay = stay, .number = intervals->nr, .cpu = stay->cpu,
		.at_least = stay->at_least ? INTERVAL_BEGAN_BEFORE : 0,
	};

	if (!next || task_stay_is_lost(task, index + 1))
		new.at_least |= INTERVAL_WENT_ON;
	if (new.start < options->time.start) {
		new.start = options->time.start;
		new.at_least |= INTERVAL_BEGAN_BEFORE;
		if (new.end <= new.start)
			return NULL;
	}
	if (new.end > upper) {
		new.end = upper;
		new.at_least |= INTERVAL_WENT_ON;
		if (new.start >= upper)
			return NULL;
	}
	/* An interval of one known instant has no information. */
	if (new.start == new.end && (new.at_least || stay->state == TASK_UNKNOWN))
		return NULL;
	/* The first switch away shows where the task had run. */
	if (stay->state == TASK_RUNNING && stay->at_least && next)
		new.cpu = next->cpu;
	if (options->cpus && (new.cpu < 0 || !cpumap_has(options->cpus, new.cpu)))
		return NULL;
	if (stay->state == TASK_BLOCKED && next && interval_is_woken(next) &&
	    !(new.at_least & INTERVAL_WENT_ON))
		woken = next;
	new.waker = woken ? woken->waker : -1;
	new.by_interrupt = woken && woken->by_interrupt;
	return array_push(intervals, new) ? NULL : &error_no_memory;
}

DEFINE_COMPARISON(interval_compare, struct interval, array_order(x->start, y->start) ?:
		  array_order(x->number, y->number))

static struct error *intervals_find(struct intervals *intervals, const struct task_stays *stays,
				    const struct task_interval_options *options)
{
	struct error *err = NULL;

	for (size_t i = 0; i < stays->tasks.nr; i++) {
		const struct stayed_task *task = &stays->tasks.items[i];

		if (!task->comm || !interval_has_tid(options, task->tid))
			continue;
		for (size_t j = 0; j < task->nr && !err; j++)
			if (task->items[j].state != TASK_DEAD)
				err = intervals_add(intervals, stays, options, task, j);
	}
	if (!err && intervals->nr)
		array_sort(intervals, interval_compare);
	return err;
}

/* ---- columns -------------------------------------------------------------- */

static uint64_t interval_number(const struct interval *in, enum interval_column column)
{
	switch (column) {
	case INTERVAL_START:
		return in->start;
	case INTERVAL_END:
		return in->end;
	case INTERVAL_TID:
		return in->task->tid;
	case INTERVAL_PID:
		return in->task->pid;
	case INTERVAL_CPU:
		return in->cpu;
	case INTERVAL_WAKER:
		return in->waker;
	case INTERVAL_BY_INTERRUPT:
		return in->by_interrupt;
	default:
		return in->at_least;
	}
}

static void intervals_fill_numbers(const struct intervals *intervals, enum interval_column kind,
				   struct column *column)
{
	for (size_t i = 0; i < intervals->nr; i++) {
		uint64_t value = interval_number(&intervals->items[i], kind);

		if (column->size == 8)
			((uint64_t *)column->values)[i] = value;
		else if (column->size == 4)
			((uint32_t *)column->values)[i] = value;
		else
			((uint8_t *)column->values)[i] = value;
	}
}

static void interval_chain(const struct task_stays *stays, uint32_t node, struct strbuf *text)
{
	uint32_t nodes[INTERVAL_FRAMES];
	size_t nr = call_tree_path(stays->tree, node, nodes, INTERVAL_FRAMES);

	strbuf_reset(text);
	for (size_t i = 0; i < nr; i++) {
		const struct call_place *place =
			call_tree_place(stays->tree, call_tree_node_place(stays->tree, nodes[i]));

		strbuf_addf(text, "%s%s", i ? ";" : "",
			    place->symbol ? place->symbol->name : "[unknown]");
	}
}

/* The number of a chain's text; @known has the known numbers, + 1, by node. */
static int32_t interval_chain_number(const struct task_stays *stays, uint32_t node,
				     struct dictionary *texts, int32_t *known, struct strbuf *text)
{
	if (!known[node]) {
		interval_chain(stays, node, text);
		if (text->failed)
			return -1;
		known[node] = dictionary_number(texts, strbuf_str(text), text->len) + 1;
	}
	return known[node] - 1;
}

static const char *interval_text(const struct interval *in, enum interval_column column,
				 char *letter)
{
	static const char *const states[TASK_STATES] = {
		"unknown", "running", "runnable", "blocked", "dead",
	};

	if (column == INTERVAL_COMM)
		return in->task->comm;
	if (column == INTERVAL_STATE)
		return states[in->stay->state];
	letter[0] = in->stay->letter;
	return letter;
}

static struct error *intervals_fill_texts(const struct intervals *intervals,
					  const struct task_stays *stays, enum interval_column kind,
					  struct column *column)
{
	_cleanup_(dictionary) struct dictionary *texts = NULL;
	_cleanup_(strbuf) struct strbuf text = STRBUF_INIT;
	_cleanup_free_ int32_t *known = NULL;
	struct error *err = dictionary_create(&texts);

	if (kind == INTERVAL_CHAIN) {
		known = calloc(call_tree_nodes(stays->tree) + 1, sizeof(*known));
		if (!known && !err)
			return &error_no_memory;
	}
	for (size_t i = 0; i < intervals->nr && !err; i++) {
		const struct interval *in = &intervals->items[i];
		int32_t *value = &((int32_t *)column->values)[i];
		char letter[2] = "";

		if (known) {
			uint32_t node = in->stay->chain ? in->stay->chain : stays->root;

			*value = interval_chain_number(stays, node, texts, known, &text);
		} else {
			const char *word = interval_text(in, kind, letter);

			*value = dictionary_number(texts, word, strlen(word));
		}
		if (*value < 0)
			err = &error_no_memory;
	}
	return err ? err : dictionary_copy(texts, &column->strings);
}

static struct error *interval_column_fill(const struct intervals *intervals,
					  const struct task_stays *stays, enum interval_column kind,
					  struct column *column)
{
	*column = (struct column){
		.name = strdup(interval_columns[kind].name), .type = interval_columns[kind].type,
		.size = interval_columns[kind].size, .is_signed = interval_columns[kind].is_signed,
		/* One more, so that no array is NULL. */
		.values = calloc(intervals->nr + 1, interval_columns[kind].size),
	};
	if (!column->name || !column->values)
		return &error_no_memory;
	if (column->type == COLUMN_TEXT)
		return intervals_fill_texts(intervals, stays, kind, column);
	intervals_fill_numbers(intervals, kind, column);
	return NULL;
}

struct error *task_intervals_make(const struct task_stays *stays,
				  const struct task_interval_options *options, struct batch *ret)
{
	_cleanup_(intervals) struct intervals intervals = { 0 };
	_cleanup_(batch) struct batch batch = { 0 };
	struct error *err = intervals_find(&intervals, stays, options);

	batch.columns = calloc(INTERVAL_COLUMNS, sizeof(*batch.columns));
	if (!batch.columns && !err)
		err = &error_no_memory;
	for (int i = 0; i < INTERVAL_COLUMNS && !err; i++) {
		if (i == INTERVAL_CHAIN && !stays->tree)
			break;
		err = interval_column_fill(&intervals, stays, i, &batch.columns[i]);
		batch.nr_columns++;
	}
	batch.nr_rows = intervals.nr;
	if (err)
		return err;
	*ret = batch;
	batch = (struct batch){ 0 };
	return NULL;
}

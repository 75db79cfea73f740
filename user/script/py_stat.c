// SPDX-License-Identifier: GPL-2.0
#include <stdlib.h>
#include <string.h>

#include "lib/array.h"
#include "lib/strbuf.h"
#include "script/py_stat.h"

/* tools/lib/perf/include/perf/event.h */
struct stat_record {
	struct perf_event_header header;
	uint64_t id;
	uint32_t cpu, thread;
	uint64_t value, enabled, running;
};

struct stat_round {
	struct perf_event_header header;
	uint64_t type, time;
};

struct stat_config {
	struct perf_event_header header;
	uint64_t nr;
	struct {
		uint64_t tag, value;
	} items[];
};

struct thread_map {
	struct perf_event_header header;
	uint64_t nr;
	struct {
		uint64_t pid;
		char comm[16];
	} items[];
};

#define CONFIG_AGGREGATION	0	/* tag */
#define AGGREGATION_NONE	0	/* values of it; the others are by place */
#define AGGREGATION_GLOBAL	1

struct count {
	uint64_t value, enabled, running;
};

struct counter {
	const struct event *event;
	uint32_t cpu, thread;		/* thread: index in the map */
	struct count before, now;
};

struct py_stat {
	struct counter *items;		/* by event, then thread, then CPU */
	size_t nr, alloc;
	size_t next;			/* the counters of a round come in the same order */
	bool sorted;
	uint64_t aggregation;
	int64_t *pids;
	size_t nr_pids;
};

struct error *py_stat_create(struct py_stat **ret)
{
	*ret = calloc(1, sizeof(**ret));
	if (!*ret)
		return &error_no_memory;
	(*ret)->aggregation = AGGREGATION_GLOBAL;
	return NULL;
}

void py_stat_destroy(struct py_stat *stat)
{
	if (!stat)
		return;
	free(stat->items);
	free(stat->pids);
	free(stat);
}

static int compare(const void *a, const void *b)
{
	const struct counter *x = a, *y = b;

	if (x->event != y->event)
		return x->event->index < y->event->index ? -1 : 1;
	if (x->thread != y->thread)
		return x->thread < y->thread ? -1 : 1;
	return x->cpu < y->cpu ? -1 : x->cpu > y->cpu;
}

static struct counter *find(struct py_stat *stat, const struct event *event,
			    const struct stat_record *record)
{
	for (size_t i = 0; i < stat->nr; i++) {
		size_t at = (stat->next + i) % stat->nr;
		struct counter *c = &stat->items[at];

		if (c->event == event && c->cpu == record->cpu && c->thread == record->thread) {
			stat->next = at + 1;
			return c;
		}
	}
	return NULL;
}

static struct error *take_count(struct py_stat *stat, const struct session_record *r)
{
	const struct stat_record *record = (const void *)r->record.header;
	struct counter *counter;

	if (record->header.size < sizeof(*record) || !r->event)
		return NULL;
	counter = find(stat, r->event, record);
	if (!counter) {
		struct counter added = {
			.event = r->event, .cpu = record->cpu, .thread = record->thread,
		};

		if (!array_push(stat, added))
			return &error_no_memory;
		counter = &stat->items[stat->nr - 1];
		stat->sorted = false;
	}
	counter->now = (struct count){ record->value, record->enabled, record->running };
	return NULL;
}

/* How many items of @size fit into the record after its @nr. */
static size_t nr_items(const struct perf_event_header *header, uint64_t nr, size_t size)
{
	size_t room = header->size < 16 ? 0 : (header->size - 16) / size;

	return nr < room ? nr : room;
}

static void take_config(struct py_stat *stat, const struct perf_event_header *header)
{
	const struct stat_config *config = (const void *)header;
	size_t nr = header->size < 16 ? 0 : nr_items(header, config->nr, sizeof(config->items[0]));

	for (size_t i = 0; i < nr; i++)
		if (config->items[i].tag == CONFIG_AGGREGATION)
			stat->aggregation = config->items[i].value;
}

static struct error *take_threads(struct py_stat *stat, const struct perf_event_header *header)
{
	const struct thread_map *map = (const void *)header;
	size_t nr = header->size < 16 ? 0 : nr_items(header, map->nr, sizeof(map->items[0]));
	int64_t *pids = calloc(nr + 1, sizeof(*pids));

	if (!pids)
		return &error_no_memory;
	for (size_t i = 0; i < nr; i++)
		pids[i] = (int64_t)map->items[i].pid;
	free(stat->pids);
	stat->pids = pids;
	stat->nr_pids = nr;
	return NULL;
}

static struct count difference(const struct counter *counter)
{
	return (struct count){
		counter->now.value - counter->before.value,
		counter->now.enabled - counter->before.enabled,
		counter->now.running - counter->before.running,
	};
}

/* A counter that shared the hardware counted for a part of the time only. */
static struct count scale(struct count count)
{
	if (!count.running)
		count.value = 0;
	else if (count.running < count.enabled)
		count.value = (uint64_t)((double)count.value * count.enabled / count.running + 0.5);
	return count;
}

static PyObject *find_function(PyObject *globals, const struct event *event)
{
	_cleanup_(strbuf) struct strbuf name = STRBUF_INIT;

	strbuf_addf(&name, "stat__%s", event->name);
	for (char *p = name.data; p && *p; p++)
		if (*p == ':')
			*p = '_';
	return PyDict_GetItemString(globals, strbuf_str(&name));
}

/* Steals @args. */
static struct error *call(PyObject *function, PyObject *args, const char *what)
{
	PyObject *result = NULL;

	if (args) {
		Py_INCREF(function);
		result = PyObject_CallObject(function, args);
		Py_DECREF(function);
	}
	Py_XDECREF(args);
	if (!result)
		return py_error_take(what, NULL);
	Py_DECREF(result);
	return NULL;
}

static struct error *call_count(PyObject *globals, const struct event *event, int64_t cpu,
				int64_t thread, uint64_t time, struct count count)
{
	PyObject *function = find_function(globals, event);

	if (!function || !PyCallable_Check(function))
		return NULL;
	return call(function, Py_BuildValue("(LLKKKK)", (long long)cpu, (long long)thread,
					    (unsigned long long)time,
					    (unsigned long long)count.value,
					    (unsigned long long)count.enabled,
					    (unsigned long long)count.running), "in stat__EVENT()");
}

static struct error *call_place(struct py_stat *stat, PyObject *globals, uint64_t time,
				const struct event *event, const struct counter *at,
				struct count count)
{
	int64_t pid = at->thread < stat->nr_pids ? stat->pids[at->thread] : -1;

	return call_count(globals, event, (int32_t)at->cpu, pid, time, count);
}

/* One call for each event, thread and CPU: where others were counted, if it was not. */
static struct error *call_single(struct py_stat *stat, PyObject *globals, uint64_t time,
				 const struct event_list *events)
{
	struct error *err = NULL;
	size_t i = 0;

	for (size_t e = 0; e < events->nr && !err; e++) {
		const struct event *event = events->items[e];
		size_t first = i;

		for (; i < stat->nr && stat->items[i].event == event && !err; i++)
			err = call_place(stat, globals, time, event, &stat->items[i],
					 scale(difference(&stat->items[i])));
		if (i > first)
			continue;
		for (size_t j = 0; j < stat->nr && !err; j++)
			if (stat->items[j].event == stat->items[0].event)
				err = call_place(stat, globals, time, event, &stat->items[j],
						 (struct count){ 0 });
	}
	return err;
}

/* One call for each event: those that could not be counted are 0. */
static struct error *call_sums(struct py_stat *stat, PyObject *globals, uint64_t time,
			       const struct event_list *events)
{
	struct error *err = NULL;
	size_t i = 0;

	for (size_t e = 0; e < events->nr && !err; e++) {
		const struct event *event = events->items[e];
		struct count sum = { 0 };

		for (; i < stat->nr && stat->items[i].event == event; i++) {
			struct count part = difference(&stat->items[i]);

			sum.value += part.value;
			sum.enabled += part.enabled;
			sum.running += part.running;
		}
		err = call_count(globals, event, -1, -1, time, scale(sum));
	}
	return err;
}

static struct error *end_round(struct py_stat *stat, PyObject *globals,
			       const struct session_record *r)
{
	const struct perf_event_header *header = r->record.header;
	const struct stat_round *round = (const void *)header;
	PyObject *function = PyDict_GetItemString(globals, "stat__interval");
	struct error *err;

	if (header->size < sizeof(*round))
		return NULL;
	if (!stat->sorted && stat->nr)
		qsort(stat->items, stat->nr, sizeof(*stat->items), compare);
	stat->sorted = true;
	if (stat->aggregation == AGGREGATION_GLOBAL)
		err = call_sums(stat, globals, round->time, r->events);
	else
		err = call_single(stat, globals, round->time, r->events);
	for (size_t i = 0; i < stat->nr; i++)
		stat->items[i].before = stat->items[i].now;
	if (err || !function || !PyCallable_Check(function))
		return err;
	return call(function, Py_BuildValue("(K)", (unsigned long long)round->time),
		    "in stat__interval()");
}

struct error *py_stat_record(struct py_stat *stat, PyObject *globals,
			     const struct session_record *r)
{
	switch (r->record.header->type) {
	case RECORD_STAT_CONFIG:
		take_config(stat, r->record.header);
		return NULL;
	case RECORD_THREAD_MAP:
		return take_threads(stat, r->record.header);
	case RECORD_STAT:
		return take_count(stat, r);
	case RECORD_STAT_ROUND:
		return end_round(stat, globals, r);
	default:
		return NULL;
	}
}

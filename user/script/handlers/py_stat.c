// SPDX-License-Identifier: GPL-2.0
#include <stdlib.h>
#include <string.h>

#include "counts/stat_counts.h"
#include "lib/strbuf.h"
#include "script/handlers/py_record_handlers.h"

struct py_stat {
	struct stat_counts counts;
};

struct error *py_stat_create(struct py_stat **ret)
{
	*ret = calloc(1, sizeof(**ret));
	return *ret ? NULL : &error_no_memory;
}

void py_stat_destroy(struct py_stat *stat)
{
	if (!stat)
		return;
	stat_counts_deinit(&stat->counts);
	free(stat);
}

static PyObject *find_stat_function(PyObject *globals, const struct event *event)
{
	_cleanup_(strbuf) struct strbuf name = STRBUF_INIT;

	strbuf_addf(&name, "stat__%s", event->name);
	for (char *p = name.data; p && *p; p++)
		if (*p == ':')
			*p = '_';
	return PyDict_GetItemString(globals, strbuf_str(&name));
}

/* Steals @args. */
static struct error *call_stat_function(PyObject *function, PyObject *args, const char *what)
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
				int64_t thread, uint64_t time, struct stat_count count)
{
	PyObject *function = find_stat_function(globals, event);

	if (!function || !PyCallable_Check(function))
		return NULL;
	return call_stat_function(function,
				  Py_BuildValue("(LLKKKK)", (long long)cpu, (long long)thread,
						(unsigned long long)time,
						(unsigned long long)count.value,
						(unsigned long long)count.enabled,
						(unsigned long long)count.running),
				  "in stat__EVENT()");
}

/* Make one call for each event, thread and CPU. */
static struct error *call_single(const struct stat_counts *counts, PyObject *globals,
				 uint64_t time)
{
	struct error *err = NULL;

	for (size_t i = 0; i < counts->nr && !err; i++) {
		const struct stat_counter *at = &counts->items[i];

		err = call_count(globals, at->event, (int32_t)at->cpu, stat_counts_pid(counts, at),
				 time, stat_counts_scale(stat_counts_difference(at)));
	}
	return err;
}

/* Make one call for each event, with the sums of all CPUs and threads. */
static struct error *call_sums(const struct stat_counts *counts, PyObject *globals, uint64_t time)
{
	struct error *err = NULL;

	for (size_t i = 0; i < counts->nr && !err;) {
		const struct event *event = counts->items[i].event;
		struct stat_count sum = { 0 };

		for (; i < counts->nr && counts->items[i].event == event; i++) {
			struct stat_count part = stat_counts_difference(&counts->items[i]);

			sum.value += part.value;
			sum.enabled += part.enabled;
			sum.running += part.running;
		}
		err = call_count(globals, event, -1, -1, time, stat_counts_scale(sum));
	}
	return err;
}

struct error *py_stat_record(struct py_stat *stat, PyObject *globals,
			     const struct session_record *r)
{
	PyObject *function;
	struct error *err;
	uint64_t time;
	bool round;

	err = stat_counts_apply(&stat->counts, r, &round, &time);
	if (err || !round)
		return err;
	if (stat->counts.by_place)
		err = call_single(&stat->counts, globals, time);
	else
		err = call_sums(&stat->counts, globals, time);
	stat_counts_begin_round(&stat->counts);
	function = PyDict_GetItemString(globals, "stat__interval");
	if (err || !function || !PyCallable_Check(function))
		return err;
	return call_stat_function(function, Py_BuildValue("(K)", (unsigned long long)time),
				  "in stat__interval()");
}

/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Calls a script's handlers for records other than samples.
 */
#ifndef KTRACE_SCRIPT_HANDLERS_PY_RECORD_HANDLERS_H
#define KTRACE_SCRIPT_HANDLERS_PY_RECORD_HANDLERS_H

#include "script/python/py.h"

/* Call the handler for the type of @r, if @globals has one. */
struct error *py_record_handlers_call(PyObject *globals, const struct session_record *r);

/*
 * py_stat.c: the counts of `perf stat record`, for stat__EVENT() and stat__interval().  The file
 * holds sums since the start; a script gets the difference of each interval.
 */
struct py_stat;

struct error *py_stat_create(struct py_stat **ret);
void py_stat_destroy(struct py_stat *stat);

/* Add a record.  If it ends an interval, call the functions of @globals. */
struct error *py_stat_record(struct py_stat *stat, PyObject *globals,
			     const struct session_record *r);

#endif

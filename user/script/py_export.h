/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Scripts that export to databases: those that set perf_db_export_mode get rows
 * of tables (evsel_table(), sample_table() ...) in place of events that are no
 * tracepoints.  Ids count from 1; 0 is nothing known.  Rows come before the
 * first one that refers to them.
 */
#ifndef KTRACE_SCRIPT_PY_EXPORT_H
#define KTRACE_SCRIPT_PY_EXPORT_H

#include "script/py.h"

struct py_export;

/* After trace_begin().  *ret NULL: the script does not ask for it. */
struct error *py_export_create(PyObject *globals, struct py_export **ret);
void py_export_destroy(struct py_export *export);

struct error *py_export_sample(struct py_export *export, const struct session_record *r);

/* Takes in COMM and FORK; *ret_taken: a row was made of it, and no handler is due. */
struct error *py_export_other(struct py_export *export, const struct session_record *r,
			      bool *ret_taken);

#endif

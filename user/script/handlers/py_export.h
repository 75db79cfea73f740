/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Scripts that export to databases.  A script that sets perf_db_export_mode gets rows of
 * tables (through evsel_table(), sample_table() and so on) for samples that are not from
 * tracepoints.  Ids count from 1, and 0 stands for an unknown object.  A row comes before
 * the first row that refers to it.
 */
#ifndef KTRACE_SCRIPT_HANDLERS_PY_EXPORT_H
#define KTRACE_SCRIPT_HANDLERS_PY_EXPORT_H

#include "script/python/py.h"

struct py_export;

/* Called after trace_begin().  Sets *ret to NULL if the script does not export. */
struct error *py_export_create(PyObject *globals, struct py_export **ret);
void py_export_destroy(struct py_export *export);

struct error *py_export_sample(struct py_export *export, const struct session_record *r);

/*
 * Handle a COMM or FORK record.  *ret_taken: it has become a row, and no handler is to be
 * called.
 */
struct error *py_export_other(struct py_export *export, const struct session_record *r,
			      bool *ret_taken);

#endif

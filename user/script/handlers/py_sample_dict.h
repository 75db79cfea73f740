/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The dict that process_event() gets, and that tracepoint handlers get as perf_sample_dict.
 */
#ifndef KTRACE_SCRIPT_HANDLERS_PY_SAMPLE_DICT_H
#define KTRACE_SCRIPT_HANDLERS_PY_SAMPLE_DICT_H

#include "script/python/py.h"

/* @callchain is the result of py_callchain() for @r, or NULL.  It is borrowed. */
PyObject *py_sample_dict(const struct session_record *r, PyObject *callchain);

/* Free the caches.  Called before the interpreter ends. */
void py_sample_dict_forget(void);

/*
 * py_place.c: the frames of a sample's call chain, and the location of the sample itself, in perf's
 * form for the dict. py_place_full_source: source files have their folders.
 */
extern bool py_place_full_source;
PyObject *py_callchain(const struct session_record *r);
int py_place_set(PyObject *dict, const struct place *place, bool of_data);
void py_place_forget(void);

/*
 * py_branches.c: the branch stack, as addresses with their binaries, and as names of
 * symbols.
 */
PyObject *py_branches(const struct session_record *r);
PyObject *py_branch_symbols(const struct session_record *r);

#endif

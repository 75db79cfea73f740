/* SPDX-License-Identifier: GPL-2.0 */
/*
 * A function of the script by its name: looked up for each event, as it may
 * come, go, or be replaced while the script runs.
 */
#ifndef KTRACE_SCRIPT_PY_FUNCTION_H
#define KTRACE_SCRIPT_PY_FUNCTION_H

#include "script/py.h"

struct py_function {
	PyObject *name;		/* interned; owned */
	PyObject *found;	/* borrowed, while the globals are of ... */
	uint64_t version;	/* 0: not looked up yet */
};

/* Steals @name, which may be NULL.  0, or -1 with an exception. */
int py_function_init(struct py_function *function, PyObject *name);
void py_function_deinit(struct py_function *function);

/* Borrowed from @globals; NULL: there is none that can be called, or an exception. */
PyObject *py_function_find(struct py_function *function, PyObject *globals);

#endif

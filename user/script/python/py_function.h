/* SPDX-License-Identifier: GPL-2.0 */
/*
 * A function of the script that is looked up by its name for each event, because it may appear,
 * disappear or be replaced while the script runs.
 */
#ifndef KTRACE_SCRIPT_PYTHON_PY_FUNCTION_H
#define KTRACE_SCRIPT_PYTHON_PY_FUNCTION_H

#include "script/python/py.h"

struct py_function {
	PyObject *name;		/* interned; owned */
	PyObject *found;	/* borrowed; valid while the dict of globals has this version: */
	uint64_t version;	/* 0: not looked up yet */
};

/* Steals @name, which may be NULL.  Returns 0, or -1 with an exception. */
int py_function_init(struct py_function *function, PyObject *name);
void py_function_deinit(struct py_function *function);

/*
 * Returns a borrowed reference from @globals.  NULL: there is no such callable; an
 * exception may be set.
 */
PyObject *py_function_find(struct py_function *function, PyObject *globals);

#endif

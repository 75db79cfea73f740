/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The module perf_trace_context: functions by which a handler gets more data of its event.  They
 * take the context that was passed to the handler.
 */
#ifndef KTRACE_SCRIPT_HANDLERS_PY_CONTEXT_H
#define KTRACE_SCRIPT_HANDLERS_PY_CONTEXT_H

#include "script/python/py.h"

/* The capsule that handlers get as `context` points to this. */
struct py_context {
	const struct session_record *record;	/* NULL while no handler runs */
	char *itrace_options;			/* as given to perf_set_itrace_options(); owned */
};

PyObject *py_context_module(void);
PyObject *py_context_capsule(struct py_context *context);

/* py_config.c: perf_config_get() of the module. */
PyObject *py_config_get(PyObject *self, PyObject *argument);

#endif

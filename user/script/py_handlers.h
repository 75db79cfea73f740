/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Calls the functions of an event script (event_script.h).
 */
#ifndef KTRACE_SCRIPT_PY_HANDLERS_H
#define KTRACE_SCRIPT_PY_HANDLERS_H

#include "script/event_script.h"
#include "script/py.h"

struct py_handlers;

/* @globals is the module's dict; @stop is set when enough samples have come. */
int py_handlers_create(PyObject *globals, const struct event_script_options *options,
		       volatile int *stop, struct py_handlers **ret);
struct py_on_batch;
/* Borrowed; NULL: none. */
void py_handlers_set_on_batch(struct py_handlers *handlers, struct py_on_batch *on_batch);
void py_handlers_destroy(struct py_handlers *handlers);
struct session_consumer *py_handlers_consumer(struct py_handlers *handlers);

/* __init__() and __exit__(), if the script has them. */
struct error *py_handlers_begin(struct py_handlers *handlers);
struct error *py_handlers_end(struct py_handlers *handlers);

/* What signals have asked for meanwhile; also while nothing comes. */
struct error *py_handlers_poll(struct py_handlers *handlers);

/* An exception went by. */
bool py_handlers_failed(const struct py_handlers *handlers);

/* py_prof_module.c: the built-in module perf_prof. */
PyObject *py_prof_module(void);

#endif

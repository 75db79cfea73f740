/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Calls the functions of an event script (event_script.h).
 */
#ifndef KTRACE_SCRIPT_PY_HANDLERS_H
#define KTRACE_SCRIPT_PY_HANDLERS_H

#include "script/event_script.h"
#include "script/python/py.h"

struct py_handlers;

/*
 * @globals is the module's dict.  @stop is set to nonzero after options->max_samples
 * samples.
 */
int py_handlers_create(PyObject *globals, const struct event_script_options *options,
		       volatile int *stop, struct py_handlers **ret);
struct py_on_batch;
/* @on_batch is borrowed and may be NULL. */
void py_handlers_set_on_batch(struct py_handlers *handlers, struct py_on_batch *on_batch);
void py_handlers_destroy(struct py_handlers *handlers);
struct session_consumer *py_handlers_consumer(struct py_handlers *handlers);

/* Call __init__() or __exit__(), if the script has it. */
struct error *py_handlers_begin(struct py_handlers *handlers);
struct error *py_handlers_end(struct py_handlers *handlers);

/*
 * Call the functions that signals have requested since the last time: __interval__() and
 * __print_stat__().  Called for each record, and while waiting for data.
 */
struct error *py_handlers_poll(struct py_handlers *handlers);

/* Whether a handler has raised an exception that did not end the run. */
bool py_handlers_failed(const struct py_handlers *handlers);

/* py_prof_module.c: the built-in module perf_prof. */
PyObject *py_prof_module(void);

#endif

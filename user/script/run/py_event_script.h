/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Calls the functions of an event script (event_script.h).
 */
#ifndef KTRACE_SCRIPT_RUN_PY_EVENT_SCRIPT_H
#define KTRACE_SCRIPT_RUN_PY_EVENT_SCRIPT_H

#include "script/event_script.h"
#include "script/python/py.h"

struct py_event_script;

/* @globals is the module's dict.  @stop is set to nonzero after options->max_samples samples. */
int py_event_script_create(PyObject *globals, const struct event_script_options *options,
			   volatile int *stop, struct py_event_script **ret);
struct py_on_batch;
/* @on_batch is borrowed and may be NULL. */
void py_event_script_set_on_batch(struct py_event_script *script, struct py_on_batch *on_batch);
void py_event_script_destroy(struct py_event_script *script);
struct session_consumer *py_event_script_consumer(struct py_event_script *script);

/* Call __init__() or __exit__(), if the script has it. */
struct error *py_event_script_begin(struct py_event_script *script);
struct error *py_event_script_end(struct py_event_script *script);

/*
 * Call the functions that signals have requested since the last call: __interval__() and
 * __print_stat__().  Called for each record, and while waiting for data.
 */
struct error *py_event_script_poll(struct py_event_script *script);

/* Whether a handler has raised an exception that did not end the run. */
bool py_event_script_failed(const struct py_event_script *script);

#endif

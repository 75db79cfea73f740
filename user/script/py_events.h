/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Calls the handlers of a script for the records of a session.
 */
#ifndef KTRACE_SCRIPT_PY_EVENTS_H
#define KTRACE_SCRIPT_PY_EVENTS_H

#include "script/py.h"

struct py_events;

/*
 * @globals is the __main__ dict, where handlers are looked up by name for
 * every event; @capsule what they get as context.  All borrowed.
 */
int py_events_create(PyObject *globals, struct py_context *context, PyObject *capsule,
		     struct py_events **ret);
void py_events_destroy(struct py_events *events);

struct py_on_batch;
/* Borrowed; NULL: none. */
void py_events_set_on_batch(struct py_events *events, struct py_on_batch *on_batch);

/* After trace_begin(): a script that exports says so. */
struct error *py_events_begin_export(struct py_events *events);

struct session_consumer *py_events_consumer(struct py_events *events);

/* Call a function of the script without arguments, if it is there. */
struct error *py_events_call(PyObject *globals, const char *name);

#endif

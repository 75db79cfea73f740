/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Calls the handlers of a script for the records of a session.
 */
#ifndef KTRACE_SCRIPT_PY_EVENTS_H
#define KTRACE_SCRIPT_PY_EVENTS_H

#include "script/python/py.h"

struct py_events;

/*
 * @globals is the dict of __main__, where handlers are looked up by name for every event.
 * @capsule is what they get as context.  All arguments are borrowed.
 */
int py_events_create(PyObject *globals, struct py_context *context, PyObject *capsule,
		     struct py_events **ret);
void py_events_destroy(struct py_events *events);

struct py_on_batch;
/* @on_batch is borrowed and may be NULL. */
void py_events_set_on_batch(struct py_events *events, struct py_on_batch *on_batch);

/* Called after trace_begin(), in which a script says whether it exports. */
struct error *py_events_begin_export(struct py_events *events);

struct session_consumer *py_events_consumer(struct py_events *events);

/* Call the function @name of the script without arguments, if there is one. */
struct error *py_events_call(PyObject *globals, const char *name);

#endif

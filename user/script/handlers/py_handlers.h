/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Calls the handlers of a script for the records of a session.
 */
#ifndef KTRACE_SCRIPT_HANDLERS_PY_HANDLERS_H
#define KTRACE_SCRIPT_HANDLERS_PY_HANDLERS_H

#include "script/handlers/py_context.h"

struct py_handlers;

/*
 * @globals is the dict of __main__, where handlers are looked up by name for every event.
 * @capsule is their context.  All arguments are borrowed.
 */
int py_handlers_create(PyObject *globals, struct py_context *context, PyObject *capsule,
		       struct py_handlers **ret);
void py_handlers_destroy(struct py_handlers *handlers);

struct py_on_batch;
/* @on_batch is borrowed and may be NULL. */
void py_handlers_set_on_batch(struct py_handlers *handlers, struct py_on_batch *on_batch);

/* Called after trace_begin(), in which a script can request an export. */
struct error *py_handlers_begin_export(struct py_handlers *handlers);

struct session_consumer *py_handlers_consumer(struct py_handlers *handlers);

/* Call the function @name of the script without arguments, if there is one. */
struct error *py_handlers_call(PyObject *globals, const char *name);

#endif

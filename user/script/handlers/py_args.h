/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The arguments of a handler, kept from one call to the next.  A value that is the same as
 * in the last call is passed again, the others are made anew for each sample.  A value
 * that the script has kept a reference to is never changed.
 */
#ifndef KTRACE_SCRIPT_HANDLERS_PY_ARGS_H
#define KTRACE_SCRIPT_HANDLERS_PY_ARGS_H

#include "script/handlers/py_binding.h"

/* What the arguments need to know of an event. */
struct py_args_event {
	const struct event_format *format;
	const struct field *pid;	/* common_pid; NULL: the sample's tid is used */
	PyObject **keys;		/* as made by py_args_keys() */
};

/*
 * The keys of the dict that trace_unhandled() gets: those of the common values, then the
 * event's own fields.  They are interned, and the array ends with NULL.  Returns NULL with
 * an exception.
 */
PyObject **py_args_keys(const struct event_format *format);
void py_args_keys_free(PyObject **keys);

struct py_args;

/* @binding and @event are borrowed.  Returns NULL with an exception. */
struct py_args *py_args_create(const struct py_binding *binding,
			       const struct py_args_event *event);
void py_args_destroy(struct py_args *args);

/* Call @function with the values of the sample @r. */
PyObject *py_args_call(struct py_args *args, PyObject *function, const struct session_record *r);

#endif

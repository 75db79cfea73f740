/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The arguments of a handler, from one call to the next: values that stay the
 * same stay, the others are made for each sample.  A value that the script has
 * kept is never changed.
 */
#ifndef KTRACE_SCRIPT_PY_ARGS_H
#define KTRACE_SCRIPT_PY_ARGS_H

#include "script/py_binding.h"

/* Of one event. */
struct py_args_event {
	const struct event_format *format;
	const struct field *pid;	/* common_pid; NULL: the sample's tid stands for it */
	PyObject **keys;		/* py_args_keys() */
};

/*
 * The keys of trace_unhandled()'s dict: common values, then the event's own
 * fields; interned, ended by NULL.  NULL with an exception.
 */
PyObject **py_args_keys(const struct event_format *format);
void py_args_keys_free(PyObject **keys);

struct py_args;

/* @binding and @event are borrowed.  NULL with an exception. */
struct py_args *py_args_create(const struct py_binding *binding,
			       const struct py_args_event *event);
void py_args_destroy(struct py_args *args);

/* Call @function with the values of @r. */
PyObject *py_args_call(struct py_args *args, PyObject *function, const struct session_record *r);

#endif

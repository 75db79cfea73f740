/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The arguments of a handler, cached from one call to the next.  A value that is the same as in the
 * last call is passed again; all others are created for each sample.  A value that the script has
 * kept a reference to is never changed.
 */
#ifndef KTRACE_SCRIPT_HANDLERS_PY_ARGS_H
#define KTRACE_SCRIPT_HANDLERS_PY_ARGS_H

#include "script/python/py.h"

/*
 * Decides which values of an event go to which parameters of a handler.  This is done once for each
 * handler, from its signature (py_form.h), so that a handler continues to work when its event gains
 * or loses fields.
 */
enum py_source {
	PY_CONSTANT = 0,	/* event name, context, defaults */
	PY_CPU, PY_SECS, PY_NSECS, PY_PID, PY_COMM, PY_CALLCHAIN,
	PY_FIELD,		/* of the event's format */
	PY_COMMON_FIELD,	/* of the sample's trailer */
	PY_FIELDS_DICT,		/* trace_unhandled()'s third argument */
	PY_SAMPLE_DICT,
};

struct py_arg {
	enum py_source source;
	PyObject *constant;		/* owned */
	const struct field *field;
	const struct common_slot *common;	/* for PY_COMMON_FIELD; points into the event */
};

struct py_binding {
	struct py_arg *items;
	size_t nr, alloc;
	PyObject *kwnames;		/* names of the last, keyword arguments; NULL: none */
};

void py_binding_deinit(struct py_binding *binding);

/* The event's data for a binding.  All of it is borrowed. */
struct py_binding_event {
	PyObject *name;			/* "sched__sched_switch" */
	PyObject *context;
	const struct event_format *format;
	const struct event *event;
};

/* Return 0, or -1 with an exception.  In both cases the caller calls py_binding_deinit(). */
int py_binding_handler(PyObject *handler, const struct py_binding_event *event,
		       struct py_binding *ret);
int py_binding_unhandled(PyObject *handler, const struct py_binding_event *event,
			 struct py_binding *ret);


/* The event's data for the arguments. */
struct py_args_event {
	const struct event_format *format;
	const struct field *pid;	/* common_pid; NULL: the sample's tid is used */
	PyObject **keys;		/* from py_args_keys() */
};

/*
 * The keys of the dict that trace_unhandled() gets: those of the common values, then the event's
 * own fields.  They are interned, and the array ends with NULL.  Returns NULL with an exception.
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

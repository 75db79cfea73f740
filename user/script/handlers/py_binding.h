/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Decides which values of an event go to which parameters of a handler.  This is done once
 * for each handler, from its signature (py_form.h), so that a handler goes on working when
 * its event gains or loses fields.
 */
#ifndef KTRACE_SCRIPT_HANDLERS_PY_BINDING_H
#define KTRACE_SCRIPT_HANDLERS_PY_BINDING_H

#include "script/python/py.h"

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

/* What a binding needs to know of the event.  All of it is borrowed. */
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

#endif

/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Which values of an event go to which parameters of a handler; decided once
 * per handler by looking at its signature (py_form.h).  So a handler goes on
 * working when its event gains or loses fields.
 */
#ifndef KTRACE_SCRIPT_PY_BINDING_H
#define KTRACE_SCRIPT_PY_BINDING_H

#include "script/py.h"

enum py_source {
	PY_CONSTANT = 0,	/* event name, context, defaults */
	PY_CPU, PY_SECS, PY_NSECS, PY_PID, PY_COMM, PY_CALLCHAIN,
	PY_FIELD,		/* of the event's format */
	PY_COMMON_FIELD,	/* synthesized */
	PY_FIELDS_DICT,		/* trace_unhandled()'s third argument */
	PY_SAMPLE_DICT,
};

struct py_arg {
	enum py_source source;
	PyObject *constant;		/* owned */
	const struct field *field;
	const struct common_slot *common;	/* PY_COMMON_FIELD: of the event */
};

struct py_binding {
	struct py_arg *items;
	size_t nr, alloc;
	PyObject *kwnames;		/* tuple of the last arguments' names; NULL: none */
};

void py_binding_deinit(struct py_binding *binding);

/* Parameters that many handlers get; all borrowed. */
struct py_binding_event {
	PyObject *name;			/* "sched__sched_switch" */
	PyObject *context;
	const struct event_format *format;
	const struct event *event;
};

/* 0, or -1 with an exception.  *ret is deinit()ed by the caller in both cases. */
int py_binding_handler(PyObject *handler, const struct py_binding_event *event,
		       struct py_binding *ret);
int py_binding_unhandled(PyObject *handler, const struct py_binding_event *event,
			 struct py_binding *ret);

#endif

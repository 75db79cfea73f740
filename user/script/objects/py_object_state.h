/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The internals of a PerfEvent.  They are shared by py_object.c, which has the type, py_member.c
 * and py_frame.c, which decode, and py_object_text.c, which prints.
 */
#ifndef KTRACE_SCRIPT_OBJECTS_PY_OBJECT_STATE_H
#define KTRACE_SCRIPT_OBJECTS_PY_OBJECT_STATE_H

#include "script/objects/py_object.h"

struct py_object_copy {
	struct sample sample;
	char comm[32];
	struct perf_event_header header[];
};

struct py_object {
	PyObject_HEAD
	struct py_kinds *kinds;
	const struct py_kind *kind;
	/* These point into the record that was lent, or into the object's own copy. */
	const struct perf_event_header *header;
	const struct sample *sample;
	const char *comm;
	const char *origin;		/* of several recordings; NULL: there is one */
	uint32_t raw_size;		/* of the sample's raw data, without the trailer */
	struct machine *machine;	/* names the frames of its call chain; NULL: not named */
	const struct maps *maps;	/* the session's while the record is lent, then &held */
	struct maps held;
	struct py_object_copy *copy;	/* room for its own copy of a record; NULL: none yet */
	size_t copy_alloc;		/* size of a record that fits in there, bytes */
};

/* Raise the exception for a missing member @name.  Returns NULL. */
PyObject *py_object_missing(PyObject *name);

/* Create the type of that error, if it does not exist, and release it.  -1: with an exception. */
int py_missing_init(void);
void py_missing_forget(void);

/* py_member.c: the value of a member, which is decoded at each call. */
PyObject *py_member_value(const struct py_object *self, struct py_entry *entry);

/* The frames of the call chain as a list, the value of _callchain. */
PyObject *py_member_frames(const struct py_object *self);

/*
 * py_frame.c: the call chain as a list of dicts with addr, symbol, offset, kernel and dso,
 * innermost frame first.  At most @max_frames frames are given.
 */
PyObject *py_frames(const struct session_record *r, bool hide_kernel, bool hide_user,
		    unsigned int max_frames);

/*
 * py_object_text.c: the methods that return text: of one field, of the whole event in the format of
 * ktrace script, and of the event on a line with its call chain below.
 */
PyObject *py_object_text(PyObject *self, PyObject *name);
PyObject *py_object_format(PyObject *self, PyObject *unused);
PyObject *py_object_print(PyObject *self, PyObject *args, PyObject *keywords);

#endif

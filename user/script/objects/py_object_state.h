/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The internals of a PerfEvent.  They are shared by py_object.c, which has the type,
 * py_member.c, which decodes, and py_object_text.c, which prints.
 */
#ifndef KTRACE_SCRIPT_PY_OBJECT_STATE_H
#define KTRACE_SCRIPT_PY_OBJECT_STATE_H

#include "script/objects/py_kinds.h"

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
	uint32_t raw_size;		/* of the sample's raw data, without the trailer */
	struct machine *machine;	/* names the frames of its call chain; NULL: not named */
	const struct maps *maps;	/* the session's while the record is lent, then &held */
	struct maps held;
	struct py_object_copy *copy;	/* room for its own copy of a record; NULL: none yet */
	size_t copy_alloc;		/* size of a record that fits in there, bytes */
};

/* Raise the exception that there is no member @name.  Returns NULL. */
PyObject *py_object_missing(PyObject *name);

#endif

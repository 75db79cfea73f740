/* SPDX-License-Identifier: GPL-2.0 */
/*
 * A PerfEvent's inside, shared by py_object.c, which is the type, py_member.c,
 * which decodes, and py_object_text.c, which prints.
 */
#ifndef KTRACE_SCRIPT_PY_OBJECT_STATE_H
#define KTRACE_SCRIPT_PY_OBJECT_STATE_H

#include "script/py_kinds.h"

struct py_object_copy {
	struct sample sample;
	char comm[32];
	struct perf_event_header header[];
};

struct py_object {
	PyObject_HEAD
	struct py_kinds *kinds;
	const struct py_kind *kind;
	/* Of the record it was lent, or of its own. */
	const struct perf_event_header *header;
	const struct sample *sample;
	const char *comm;
	uint32_t raw_size;		/* without the trailer */
	struct machine *machine;	/* names the frames of its call chain; NULL: nobody does */
	const struct maps *maps;	/* the session's while it is lent, then held */
	struct maps held;
	struct py_object_copy *copy;	/* room for a record of its own; NULL: none yet */
	size_t copy_alloc;		/* bytes of a record that have room in it */
};

/* Raise that it has no member @name.  Returns NULL. */
PyObject *py_object_missing(PyObject *name);

#endif

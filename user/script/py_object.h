/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Samples as Python objects, PerfEvent: what is in the record's head is given
 * at once, the rest is decoded when it is asked for.  An object points into the
 * record it was made for, until its maker releases it: one that somebody has
 * kept then copies the record.
 */
#ifndef KTRACE_SCRIPT_PY_OBJECT_H
#define KTRACE_SCRIPT_PY_OBJECT_H

#include "script/py_kinds.h"

/* Ready the types; 0, or -1 with an exception.  Then PerfEvent, borrowed. */
int py_object_init(void);
PyTypeObject *py_object_type(void);

/*
 * A sample.  With @copy it is the caller's; without, it points into the record
 * and must be given to py_object_release() before that goes away.
 */
PyObject *py_object_new(PyObject *kinds, const struct session_record *r, bool copy);

/*
 * The record goes away.  Takes the reference: frees the object, or makes it
 * its own copy of the record.  0, or -1 with an exception.
 */
int py_object_release(PyObject *object);

/* Before the interpreter ends. */
void py_object_forget(void);

#endif

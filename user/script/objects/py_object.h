/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Samples as Python objects of type PerfEvent.  What the session has decoded anyway (time,
 * CPU, task) is taken from there, the other members are decoded when they are asked for.
 */
#ifndef KTRACE_SCRIPT_OBJECTS_PY_OBJECT_H
#define KTRACE_SCRIPT_OBJECTS_PY_OBJECT_H

#include "script/objects/py_kinds.h"

/*
 * py_object_init() makes the types ready and returns 0, or -1 with an exception.
 * Afterwards py_object_type() returns PerfEvent, borrowed.  Inside `ktrace python` this is
 * the type that the tool has made.
 */
int py_object_init(void);
PyTypeObject *py_object_type(void);

/* Make an object for a sample, with a copy of its record. */
PyObject *py_object_new(PyObject *kinds, const struct session_record *r);

/*
 * py_object_lend() makes an object that points into the record.  If *lent is not NULL,
 * that object is used again, else a new one is stored in *lent. py_object_take_back() must
 * be called before the record goes away.  If somebody else has a reference to the object
 * by then, it gets its own copy of the record and *lent becomes NULL.  The caller drops
 * *lent when it is done with lending.  Both return 0, or -1 with an exception.
 */
int py_object_lend(PyObject **lent, PyObject *kinds, const struct session_record *r);
int py_object_take_back(PyObject **lent);

/* Free what is cached.  Called before the interpreter ends. */
void py_object_forget(void);

#endif

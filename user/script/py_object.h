/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Samples as Python objects, PerfEvent: what is in the record's head is given
 * at once, the rest is decoded when it is asked for.
 */
#ifndef KTRACE_SCRIPT_PY_OBJECT_H
#define KTRACE_SCRIPT_PY_OBJECT_H

#include "script/py_kinds.h"

/*
 * Ready the types; 0, or -1 with an exception.  Then PerfEvent, borrowed: that of
 * `ktrace python`, if it runs us.
 */
int py_object_init(void);
PyTypeObject *py_object_type(void);

/* A sample with a copy of its record. */
PyObject *py_object_new(PyObject *kinds, const struct session_record *r);

/*
 * Lend a sample that points into the record: *lent is made when it is NULL,
 * else used again.  py_object_take_back() comes before the record goes away: an
 * object that somebody has kept gets a copy of it, and *lent becomes NULL.
 * Who is done with lending drops *lent.  0, or -1 with an exception.
 */
int py_object_lend(PyObject **lent, PyObject *kinds, const struct session_record *r);
int py_object_take_back(PyObject **lent);

/* Before the interpreter ends. */
void py_object_forget(void);

#endif

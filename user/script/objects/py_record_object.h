/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Records other than samples as Python objects: tasks that begin, end or change their
 * name, mappings, losses and context switches.
 */
#ifndef KTRACE_SCRIPT_OBJECTS_PY_RECORD_OBJECT_H
#define KTRACE_SCRIPT_OBJECTS_PY_RECORD_OBJECT_H

#include "script/python/py.h"

/*
 * The object has the members type ("comm", "fork", "exit", "mmap", "lost" or "switch"), time, cpu,
 * and others by its type.  NULL without an exception means that scripts do not get the record.
 */
PyObject *py_record_object(const struct session_record *r);

#endif

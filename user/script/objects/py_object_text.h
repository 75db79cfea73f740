/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The methods of a PerfEvent that make text: of one field, of the whole event as ktrace
 * script prints it, and of the event on a line with its call chain below.
 */
#ifndef KTRACE_SCRIPT_PY_OBJECT_TEXT_H
#define KTRACE_SCRIPT_PY_OBJECT_TEXT_H

#include "script/objects/py_object_state.h"

PyObject *py_object_text(PyObject *self, PyObject *name);
PyObject *py_object_format(PyObject *self, PyObject *unused);
PyObject *py_object_print(PyObject *self, PyObject *args, PyObject *keywords);

#endif

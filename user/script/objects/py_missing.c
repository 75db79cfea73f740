// SPDX-License-Identifier: GPL-2.0
#include "script/objects/py_object_state.h"

static PyObject *missing_error;		/* a KeyError and an AttributeError */

int py_missing_init(void)
{
	PyObject *bases;

	if (missing_error)
		return 0;
	bases = PyTuple_Pack(2, PyExc_KeyError, PyExc_AttributeError);
	missing_error = bases ? PyErr_NewExceptionWithDoc("perf_prof.MissingField",
			"The event has no such field: both a KeyError and an AttributeError.",
			bases, NULL) : NULL;
	Py_XDECREF(bases);
	return missing_error ? 0 : -1;
}

PyObject *py_object_missing(PyObject *name)
{
	/*
	 * Objects are also used after py_object_forget(), by atexit functions and by
	 * __del__().
	 */
	if (py_missing_init() < 0)
		return NULL;
	return PyErr_Format(missing_error, "'PerfEvent' object has no attribute '%U'", name);
}

void py_missing_forget(void)
{
	Py_CLEAR(missing_error);
}

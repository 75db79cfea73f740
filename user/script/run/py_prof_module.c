// SPDX-License-Identifier: GPL-2.0
/*
 * The module perf_prof, which scripts of event objects import.
 */
#include "script/event_script.h"
#include "script/objects/py_object.h"
#include "script/python/py_syscall.h"
#include "script/run/py_interpreter.h"

static PyObject *errno_name(PyObject *self, PyObject *number)
{
	PyObject *module = PyImport_ImportModule("errno"), *names, *positive, *name = NULL;

	names = module ? PyObject_GetAttrString(module, "errorcode") : NULL;
	positive = names ? PyNumber_Absolute(number) : NULL;
	if (positive)
		name = PyDict_GetItemWithError(names, positive);
	if (name)
		Py_INCREF(name);
	else if (positive && !PyErr_Occurred())
		name = PyUnicode_FromFormat("Unknown %S errno", number);
	Py_XDECREF(positive);
	Py_XDECREF(names);
	Py_XDECREF(module);
	return name;
}

static PyMethodDef methods[] = {
	{ "syscall_name", py_syscall_name, METH_O,
	  "syscall_name(number) -> str\n\nThe name of a system call, its number if unknown." },
	{ "errno_name", errno_name, METH_O,
	  "errno_name(number) -> str\n\n'ENOENT' and so on, for either sign." },
	{ NULL, NULL, 0, NULL },
};

static struct PyModuleDef module = {
	PyModuleDef_HEAD_INIT,
	.m_name = "perf_prof",
	.m_doc = "The module for scripts of event objects: PerfEvent, the type of their events.",
	.m_size = -1,
	.m_methods = methods,
};

PyObject *py_prof_module(void)
{
	PyObject *made = py_object_init() < 0 ? NULL : PyModule_Create(&module);

	if (made && PyModule_AddType(made, py_object_type()) < 0)
		Py_CLEAR(made);
	return made;
}

// SPDX-License-Identifier: GPL-2.0
/*
 * The module perf_prof, which scripts of event objects import.
 */
#include <errno.h>
#include <string.h>

#include "script/event_script.h"
#include "script/objects/py_object.h"
#include "script/run/py_interpreter.h"

/* Call a function of Util, which is in the folder where perf's scripts look for it. */
static PyObject *call_util(const char *function, PyObject *argument)
{
	PyObject *path = PySys_GetObject("path"), *folder, *util, *result;
	int there;

	folder = PyUnicode_FromFormat("%s/scripts/python/Perf-Trace-Util/lib/Perf/Trace",
				      script_exec_path());
	there = folder && path ? PySequence_Contains(path, folder) : -1;
	if (there == 0)
		there = PyList_Append(path, folder);
	Py_XDECREF(folder);
	util = there >= 0 ? PyImport_ImportModule("Util") : NULL;
	result = util ? PyObject_CallMethod(util, function, "O", argument) : NULL;
	Py_XDECREF(util);
	return result;
}

static PyObject *syscall_name(PyObject *self, PyObject *number)
{
	return call_util("syscall_name", number);
}

static PyObject *errno_name(PyObject *self, PyObject *number)
{
	return call_util("strerror", number);
}

static PyMethodDef methods[] = {
	{ "syscall_name", syscall_name, METH_O,
	  "syscall_name(number) -> str\n\nThe name of a system call, its number if unknown." },
	{ "errno_name", errno_name, METH_O,
	  "errno_name(number) -> str\n\n'ENOENT' and so on, for either sign." },
	{ NULL, NULL, 0, NULL },
};

static struct PyModuleDef module = {
	PyModuleDef_HEAD_INIT,
	.m_name = "perf_prof",
	.m_doc = "What scripts of event objects import: PerfEvent, the type of their events.",
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

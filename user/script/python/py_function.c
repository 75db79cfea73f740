// SPDX-License-Identifier: GPL-2.0
#include "script/python/py_function.h"

int py_function_init(struct py_function *function, PyObject *name)
{
	if (name)
		PyUnicode_InternInPlace(&name);
	*function = (struct py_function){ .name = name };
	return name ? 0 : -1;
}

void py_function_deinit(struct py_function *function)
{
	Py_CLEAR(function->name);
}

/* A number that is different for each state of each dict.  0: this Python has none. */
static uint64_t version_of(PyObject *dict)
{
#if PY_VERSION_HEX < 0x030c0000
	return ((PyDictObject *)dict)->ma_version_tag;
#else
	return 0;
#endif
}

PyObject *py_function_find(struct py_function *function, PyObject *globals)
{
	uint64_t version = version_of(globals);
	PyObject *object;

	if (version && version == function->version)
		return function->found;
	object = PyDict_GetItemWithError(globals, function->name);
	if (!object && PyErr_Occurred())
		return NULL;
	function->found = object && PyCallable_Check(object) ? object : NULL;
	function->version = version;
	return function->found;
}

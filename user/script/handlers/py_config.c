// SPDX-License-Identifier: GPL-2.0
/*
 * perf_config_get(): values from the user's configuration of perf.  Scripts of perf read their
 * settings this way.
 */
#include <string.h>

#include "lib/log.h"
#include "lib/perf_config.h"
#include "script/handlers/py_context.h"

PyObject *py_config_get(PyObject *self, PyObject *argument)
{
	const char *name = PyUnicode_Check(argument) ? PyUnicode_AsUTF8(argument) : NULL;
	_cleanup_(perf_config) struct perf_config config = { .nr = 0 };
	const char *value;

	(void)self;
	if (!name)
		return PyErr_Occurred() ? NULL :
		       PyErr_Format(PyExc_TypeError, "perf_config_get() takes a name as "
				    "'annotate.objdump'");
	/* As in perf, settings before an error count. */
	error_report(perf_config_read(&config));
	value = perf_config_get(&config, name);
	if (!value)
		Py_RETURN_NONE;
	return PyUnicode_DecodeUTF8(value, strlen(value), "surrogateescape");
}

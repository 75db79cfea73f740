// SPDX-License-Identifier: GPL-2.0
#include "script/python/py_syscall.h"	/* Python.h must be included first */

#include "format/syscalls.h"

char *const *py_syscall_arch;

PyObject *py_syscall_name(PyObject *self, PyObject *number)
{
	/* There is one interpreter in a process, which reads one recording. */
	static struct syscalls *calls;
	const struct syscall_info *info;
	unsigned long long value;
	struct error *err;

	if (!calls) {
		err = syscalls_create(py_syscall_arch ? *py_syscall_arch : NULL, &calls);
		if (err)
			return py_error_raise(err);
	}
	value = PyLong_AsUnsignedLongLongMask(number);
	if (PyErr_Occurred())
		return NULL;
	info = syscalls_at(calls, value);
	return info && info->known ? PyUnicode_FromString(info->name) : PyObject_Str(number);
}

/* SPDX-License-Identifier: GPL-2.0 */
#ifndef KTRACE_SCRIPT_PYTHON_PY_SYSCALL_H
#define KTRACE_SCRIPT_PYTHON_PY_SYSCALL_H

#include "script/python/py.h"

/*
 * The function syscall_name(number) of the modules for scripts: the name of a system call on the
 * machine that was recorded; of an unknown call, its number as str.
 */
PyObject *py_syscall_name(PyObject *self, PyObject *number);

/* The target of script_arch (script/script.h). */
extern char *const *py_syscall_arch;

#endif

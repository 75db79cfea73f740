/* SPDX-License-Identifier: GPL-2.0 */
/* The files beside py_interpreter.c, which runs scripts. */
#ifndef KTRACE_SCRIPT_RUN_PY_INTERPRETER_H
#define KTRACE_SCRIPT_RUN_PY_INTERPRETER_H

#include "script/python/py.h"
#include "script/script_lint.h"

/*
 * py_module_file.c: import a script as a module.  A @name that has a '/' in it or ends in
 * ".py" or ".so" is a file.  Any other is a module of the current folder or of sys.path.  A
 * script's folder is put first in sys.path.  The __name__ of a file's module is the file name
 * without ".py", or up to the first dot for an extension module.  A file is loaded even if
 * another module of that name has been imported already.
 */
PyObject *py_module_file_import(const char *name);

/* py_prof_module.c: the built-in module perf_prof. */
PyObject *py_prof_module(void);

/* py_lint.c: does the work of script_lint(). */
struct error *py_lint(const char *path, const struct script_lint_formats *formats, FILE *out,
		      struct script_lint_counts *ret);

#endif

/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Imports a script as a module, by its path or its name.
 */
#ifndef KTRACE_SCRIPT_PY_MODULE_FILE_H
#define KTRACE_SCRIPT_PY_MODULE_FILE_H

#include "script/python/py.h"

/*
 * A @name that has a '/' in it or ends in ".py" or ".so" is a file.  Any other is a module
 * of the current folder or of sys.path.  A script's folder is put first in sys.path.  The
 * __name__ of a file's module is the file name without ".py", or up to the first dot for
 * an extension module.  A file is loaded even if another module of that name has been
 * imported already.
 */
PyObject *py_module_file_import(const char *name);

#endif

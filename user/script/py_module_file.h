/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Importing a script as a module, by its path or its name.
 */
#ifndef KTRACE_SCRIPT_PY_MODULE_FILE_H
#define KTRACE_SCRIPT_PY_MODULE_FILE_H

#include "script/py.h"

/*
 * @name with a '/', ".py" or ".so" is a file, else a module of the current
 * folder or of sys.path.  Its folder comes first in sys.path; its __name__ is
 * the file's without ".py", or up to the first dot of an extension module.  A
 * file is loaded whatever else is imported by that name already.
 */
PyObject *py_module_file_import(const char *name);

#endif

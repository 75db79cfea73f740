// SPDX-License-Identifier: GPL-2.0
#include "lib/strbuf.h"
#include "script/run/py_interpreter.h"

#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

static int add_folder(const char *path)
{
	const char *slash = strrchr(path, '/');
	PyObject *list = PySys_GetObject("path"), *folder;
	int result = -1;

	folder = slash ? PyUnicode_DecodeFSDefaultAndSize(path, slash == path ? 1 : slash - path) :
			 PyUnicode_FromString("");
	if (list && folder)
		result = PyList_Insert(list, 0, folder);
	Py_XDECREF(folder);
	return result;
}

/* Load the module of a file; @library: it is an extension module. */
static PyObject *load_script_module(const char *path, bool library)
{
	const char *slash = strrchr(path, '/'), *base = slash ? slash + 1 : path;
	size_t len = library ? strcspn(base, ".") : strlen(base) - 3 * text_ends_with(base, ".py");
	PyObject *machinery = PyImport_ImportModule("importlib.machinery");
	PyObject *util = PyImport_ImportModule("importlib.util");
	PyObject *name = PyUnicode_DecodeFSDefaultAndSize(base, len);
	PyObject *file = PyUnicode_DecodeFSDefault(path);
	PyObject *loader = NULL, *spec = NULL, *module = NULL, *done = NULL;
	PyObject *modules = PyImport_GetModuleDict();

	if (machinery && name && file)
		loader = PyObject_CallMethod(machinery, library ? "ExtensionFileLoader" :
					     "SourceFileLoader", "OO", name, file);
	if (loader && util)
		spec = PyObject_CallMethod(util, "spec_from_loader", "OO", name, loader);
	if (spec)
		module = PyObject_CallMethod(util, "module_from_spec", "O", spec);
	/* Do not replace a module of the same name, which others may need. */
	if (module && (PyDict_Contains(modules, name) || !PyDict_SetItem(modules, name, module)))
		done = PyObject_CallMethod(loader, "exec_module", "O", module);
	if (!done)
		Py_CLEAR(module);
	Py_XDECREF(done);
	Py_XDECREF(spec);
	Py_XDECREF(loader);
	Py_XDECREF(file);
	Py_XDECREF(name);
	Py_XDECREF(util);
	Py_XDECREF(machinery);
	return module;
}

static PyObject *load_module_file(const char *name)
{
	bool library = text_ends_with(name, ".so");
	char path[PATH_MAX], absolute[PATH_MAX];

	snprintf(path, sizeof(path), "%s", name);
	if (access(path, F_OK) && !library && !text_ends_with(name, ".py"))
		snprintf(path, sizeof(path), "%s.py", name);
	if (!realpath(path, absolute)) {
		PyErr_Format(PyExc_ModuleNotFoundError, "There is no file '%s'", name);
		return NULL;
	}
	return add_folder(absolute) < 0 ? NULL : load_script_module(absolute, library);
}

/* Whether Python would find module or package @name in @path, a list; -1: exception. */
static int is_in_path(PyObject *name, PyObject *path)
{
	PyObject *machinery = PyImport_ImportModule("importlib.machinery");
	PyObject *finder = machinery ? PyObject_GetAttrString(machinery, "PathFinder") : NULL;
	PyObject *spec = finder ? PyObject_CallMethod(finder, "find_spec", "OO", name, path) : NULL;
	int found = spec ? spec != Py_None : -1;

	Py_XDECREF(spec);
	Py_XDECREF(finder);
	Py_XDECREF(machinery);
	return found;
}

/*
 * Whether a module, package or extension is in the current folder.  For "name.module" only
 * the first part is looked for. -1: exception.
 */
static int is_here(const char *name)
{
	PyObject *first = PyUnicode_DecodeFSDefaultAndSize(name, strcspn(name, "."));
	PyObject *here = Py_BuildValue("[s]", "");
	int found = first && here ? is_in_path(first, here) : -1;

	Py_XDECREF(here);
	Py_XDECREF(first);
	return found;
}

PyObject *py_module_file_import(const char *name)
{
	char path[PATH_MAX];
	PyObject *module = NULL, *file;
	int here;

	snprintf(path, sizeof(path), "./%s.py", name);
	if (strchr(name, '/') || text_ends_with(name, ".py") || text_ends_with(name, ".so"))
		module = load_module_file(name);
	else if (!access(path, F_OK))
		module = load_module_file(path);
	else if ((here = is_here(name)) > 0)
		module = add_folder("") < 0 ? NULL : PyImport_ImportModule(name);
	else if (here == 0)	/* not in there: leave sys.path alone */
		module = PyImport_ImportModule(name);
	if (!module)
		return NULL;
	file = PyModule_GetFilenameObject(module);
	if (file)
		PySys_FormatStderr("Loaded module: %U\n", file);
	else
		PyErr_Clear();
	Py_XDECREF(file);
	return module;
}

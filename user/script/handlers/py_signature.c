// SPDX-License-Identifier: GPL-2.0
#include <opcode.h>
#include <string.h>

#include "script/handlers/py_signature.h"

void py_signature_deinit(struct py_signature *signature)
{
	Py_CLEAR(signature->names);
	Py_CLEAR(signature->defaults);
	Py_CLEAR(signature->kwdefaults);
	Py_CLEAR(signature->code);
}

static long code_number(PyObject *code, const char *name)
{
	PyObject *value = PyObject_GetAttrString(code, name);
	long number = value ? PyLong_AsLong(value) : -1;

	Py_XDECREF(value);
	return number;
}

/* New reference to an attribute; NULL without an exception when there is none. */
static PyObject *get_optional(PyObject *object, const char *name)
{
	PyObject *value = PyObject_GetAttrString(object, name);

	if (!value && PyErr_ExceptionMatches(PyExc_AttributeError))
		PyErr_Clear();
	return value;
}

/*
 * The function that a callable runs, and how many of its parameters are bound.  NULL
 * without an exception: it is written in C, or is a partial.
 */
static PyObject *find_python_function(PyObject *callable, Py_ssize_t *ret_bound)
{
	PyObject *call, *function;

	*ret_bound = 0;
	if (PyFunction_Check(callable))
		return Py_NewRef(callable);
	if (PyMethod_Check(callable)) {
		*ret_bound = 1;
		function = PyMethod_GET_FUNCTION(callable);
		return PyFunction_Check(function) ? Py_NewRef(function) : NULL;
	}
	if (PyType_Check(callable))
		return NULL;
	call = get_optional((PyObject *)Py_TYPE(callable), "__call__");
	if (call && !PyFunction_Check(call))
		Py_CLEAR(call);
	*ret_bound = 1;
	return call;
}

static int read_function(PyObject *function, Py_ssize_t bound, struct py_signature *ret)
{
	PyObject *code = PyFunction_GET_CODE(function), *names, *kwdefaults;
	PyObject *defaults = PyFunction_GET_DEFAULTS(function);
	Py_ssize_t end;
	long flags;

	ret->nr_positional = code_number(code, "co_argcount") - bound;
	ret->nr_keyword = code_number(code, "co_kwonlyargcount");
	flags = code_number(code, "co_flags");
	names = PyObject_GetAttrString(code, "co_varnames");
	if (!names || PyErr_Occurred()) {
		Py_XDECREF(names);
		return -1;
	}
	ret->varargs = flags & CO_VARARGS;
	ret->varkeywords = flags & CO_VARKEYWORDS;
	if (ret->nr_positional < 0) {		/* of def method(*args), self is in args */
		ret->nr_positional = 0;
		bound = 0;
	}
	ret->code = Py_NewRef(code);
	ret->bound = bound;
	end = bound + ret->nr_positional + ret->nr_keyword;
	ret->names = PyTuple_GetSlice(names, bound, end);
	Py_DECREF(names);
	ret->defaults = defaults ? Py_NewRef(defaults) : PyTuple_New(0);
	kwdefaults = PyFunction_GET_KW_DEFAULTS(function);
	ret->kwdefaults = kwdefaults ? Py_NewRef(kwdefaults) : NULL;
	return ret->names && ret->defaults ? 0 : -1;
}

int py_signature_read(PyObject *callable, struct py_signature *ret)
{
	PyObject *function, *wrapped = NULL;
	Py_ssize_t bound;
	int result;

	memset(ret, 0, sizeof(*ret));
	function = find_python_function(callable, &bound);
	if (!function) {
		ret->varargs = true;
		ret->names = PyTuple_New(0);
		ret->defaults = PyTuple_New(0);
		return ret->names && ret->defaults && !PyErr_Occurred() ? 0 : -1;
	}
	result = read_function(function, bound, ret);
	if (result == 0 && ret->varargs && ret->varkeywords &&
	    ret->nr_positional + ret->nr_keyword == 0)
		wrapped = get_optional(function, "__wrapped__");
	if (wrapped && PyFunction_Check(wrapped)) {
		py_signature_deinit(ret);
		result = read_function(wrapped, bound, ret);
		Py_CLEAR(ret->code);	/* the code that runs is the wrapper's */
	}
	Py_XDECREF(wrapped);
	Py_DECREF(function);
	return PyErr_Occurred() ? -1 : result;
}

const char *py_signature_name(const struct py_signature *signature, Py_ssize_t index)
{
	const char *name = NULL;

	if (index < PyTuple_GET_SIZE(signature->names))
		name = PyUnicode_AsUTF8(PyTuple_GET_ITEM(signature->names, index));
	if (!name)
		PyErr_Clear();
	return name ? name : "";
}

PyObject *py_signature_default(const struct py_signature *signature, Py_ssize_t index)
{
	Py_ssize_t nr_defaults = PyTuple_GET_SIZE(signature->defaults);
	Py_ssize_t first = signature->nr_positional - nr_defaults;
	PyObject *value;

	if (index < signature->nr_positional) {
		if (index < first)
			return NULL;
		return Py_NewRef(PyTuple_GET_ITEM(signature->defaults, index - first));
	}
	if (!signature->kwdefaults)
		return NULL;
	value = PyDict_GetItemWithError(signature->kwdefaults,
					PyTuple_GET_ITEM(signature->names, index));
	return Py_XNewRef(value);
}

/* Names that a function uses to get at parameters without naming them. */
static const char *const sees_frames[] = {
	"locals", "vars", "dir", "eval", "exec", "_getframe", "currentframe", "stack", "breakpoint",
	"set_trace", "f_locals",
};

/*
 * Whether names of the code contain @name.  If that cannot be found out, true with an
 * exception.
 */
static bool contains(PyObject *code, const char *attribute, const char *name)
{
	PyObject *names = PyObject_GetAttrString(code, attribute);
	bool found = !names;

	for (Py_ssize_t i = 0; names && !found && i < PyTuple_GET_SIZE(names); i++)
		found = PyUnicode_CompareWithASCIIString(PyTuple_GET_ITEM(names, i), name) == 0;
	Py_XDECREF(names);
	return found;
}

/*
 * An instruction is two bytes, the second of which is its argument.  Later Pythons have
 * more instructions that take the number of a parameter, some of them two numbers of four
 * bits.  There, every instruction with a matching argument counts as a use.
 */
static bool is_use(unsigned char op, unsigned char argument, Py_ssize_t index)
{
#if PY_VERSION_HEX < 0x030c0000
	return argument == index && (op == LOAD_FAST || op == STORE_FAST || op == DELETE_FAST);
#else
	return argument == index || argument >> 4 == index || (argument & 15) == index;
#endif
}

static bool mentions(PyObject *code, Py_ssize_t index)
{
	PyObject *bytes = PyObject_GetAttrString(code, "co_code");
	const unsigned char *op;
	bool found = !bytes;
	Py_ssize_t size;

	if (!bytes)
		return true;
	op = (const unsigned char *)PyBytes_AS_STRING(bytes);
	size = PyBytes_GET_SIZE(bytes);
	for (Py_ssize_t i = 1; !found && i < size; i += 2)
		found = is_use(op[i - 1], op[i], index);
	Py_DECREF(bytes);
	return found;
}

bool py_signature_uses(const struct py_signature *signature, Py_ssize_t index)
{
	const char *name = py_signature_name(signature, index);
	bool uses = !signature->code || signature->bound + index > 255;

	for (size_t i = 0; !uses && i < sizeof(sees_frames) / sizeof(sees_frames[0]); i++)
		uses = contains(signature->code, "co_names", sees_frames[i]);
	if (!uses)
		uses = contains(signature->code, "co_cellvars", name) ||
		       mentions(signature->code, signature->bound + index);
	PyErr_Clear();
	return uses;
}

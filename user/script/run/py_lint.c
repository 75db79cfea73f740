// SPDX-License-Identifier: GPL-2.0
#include "script/handlers/py_form.h"	/* Python.h must be included first */

#include <string.h>

#include "lib/cleanup.h"
#include "lib/file.h"
#include "script/run/py_interpreter.h"

/*
 * Find all functions that may be handlers: (name, line, parameters, required, has *args, unused,
 * meant).  A function is unused if the script does not mention it, so that only an event could call
 * it.  Handlers that are not named after an event, or whose name is like that of one, have that
 * name as "meant".
 */
static const char find_functions[] =
	"import ast, difflib\n"
	"others = ['trace_begin', 'trace_end', 'trace_unhandled', 'process_event', 'on_batch',\n"
	"          'trace_lost', 'throttle', 'unthrottle', 'context_switch', 'auxtrace_error']\n"
	"tree = ast.parse(source, path)\n"
	"mentioned = {getattr(n, 'id', getattr(n, 'attr', getattr(n, 'value', None)))\n"
	"             for n in ast.walk(tree)\n"
	"             if isinstance(n, (ast.Name, ast.Attribute)) or\n"
	"             isinstance(n, ast.Constant) and isinstance(n.value, str)}\n"
	"def describe(f):\n"
	"    unused = f in tree.body and not f.decorator_list and f.name not in mentioned\n"
	"    near = difflib.get_close_matches(f.name, others, 1, 0.85 if unused else 1)\n"
	"    if near or '__' in f.name.strip('_'):\n"
	"        positional = f.args.posonlyargs + f.args.args\n"
	"        yield (f.name, f.lineno, [a.arg for a in positional],\n"
	"               len(positional) - len(f.args.defaults), f.args.vararg is not None,\n"
	"               unused, near[0] if near else None)\n"
	"functions = [found for f in ast.walk(tree) if isinstance(f, ast.FunctionDef)\n"
	"             for found in describe(f)]\n";

struct handler {
	const char *name;
	int line;
	struct py_parameters parameters;
};

/* The handler that is checked.  Its name is printed at the beginning of each line. */
struct lint {
	const char *path;
	const struct handler *handler;
	const struct event_format *format;
	FILE *out;
	bool is_handler, broken;
};

static const char *parameter(const struct handler *h, Py_ssize_t index)
{
	return py_parameter_name(&h->parameters, index);
}

static size_t nr_fields(const struct event_format *format)
{
	return format->nr_fields - format->nr_common;
}

static void lint_begin(struct lint *lint)
{
	fprintf(lint->out, "%s:%d: %s(): ", lint->path, lint->handler->line, lint->handler->name);
	lint->broken = true;
}

static void print_fields(struct lint *lint)
{
	for (size_t i = lint->format->nr_common; i < lint->format->nr_fields; i++)
		fprintf(lint->out, "%s%s", i > lint->format->nr_common ? ", " : "",
			lint->format->fields[i].name);
	fputc('\n', lint->out);
}

/*
 * Values come in the order of the format, so a parameter with a name other than the
 * field's gets a value that it does not expect.
 */
static void check_positions(struct lint *lint, size_t nr_common)
{
	const struct event_format *format = lint->format;

	for (size_t i = 0; i < nr_fields(format); i++) {
		const struct field *field = &format->fields[format->nr_common + i];
		const char *name = parameter(lint->handler, nr_common + i);

		if (py_form_field(format, name) == field)
			continue;
		lint_begin(lint);
		fprintf(lint->out, "parameter %s gets the field %s\n", name, field->name);
	}
}

/* The parameter after the fields gets the dict, under any name. */
static void check_last(struct lint *lint)
{
	const char *name = parameter(lint->handler, lint->handler->parameters.nr - 1);

	if (strstr(name, "dict") || strstr(name, "sample"))
		return;
	lint_begin(lint);
	fprintf(lint->out, "parameter %s gets perf_sample_dict: the event has ", name);
	print_fields(lint);
}

static void lint_check_names(struct lint *lint, size_t first)
{
	for (Py_ssize_t i = first; i < lint->handler->parameters.nr_required; i++) {
		const char *name = parameter(lint->handler, i);

		if (py_form_knows(lint->format, name))
			continue;
		lint_begin(lint);
		fprintf(lint->out, "parameter %s gets None: the event has ", name);
		print_fields(lint);
	}
}

static void check_handler(struct lint *lint)
{
	const struct py_parameters *parameters = &lint->handler->parameters;
	struct py_form form;

	py_form_choose(parameters, lint->format, &form);
	switch (form.kind) {
	case PY_FORM_POSITIONS:
		if (parameters->varargs)
			return;
		check_positions(lint, form.nr_common);
		if (form.has_dict)
			check_last(lint);
		return;
	case PY_FORM_REFUSED:
		lint_begin(lint);
		fprintf(lint->out, "is refused: parameter %s stands where %s comes\n",
			parameter(lint->handler, form.wrong), form.place);
		return;
	case PY_FORM_NAMES:
	case PY_FORM_MIXED:
		lint_check_names(lint, form.nr_common);
		return;
	}
}

/*
 * Find the event of a handler: "__" separates system and name, but can also be part of
 * either.
 */
static const struct event_format *lint_find_event(const struct script_lint_formats *formats,
						  const char *name)
{
	const struct event_format *format = NULL;

	for (const char *at = strstr(name, "__"); at && !format; at = strstr(at + 1, "__")) {
		_cleanup_free_ char *system = strndup(name, at - name);

		if (system)
			format = formats->find(formats->data, system, at + 2);
	}
	return format;
}

static void lint_function(PyObject *function, const struct script_lint_formats *formats,
			  struct lint *lint)
{
	const struct event_format *near_event;
	struct handler h = { 0 };
	int varargs, unused;
	const char *meant;

	if (!PyArg_ParseTuple(function, "siOnppz", &h.name, &h.line, &h.parameters.names,
			      &h.parameters.nr_required, &varargs, &unused, &meant)) {
		PyErr_Clear();
		return;
	}
	h.parameters.nr = PyList_GET_SIZE(h.parameters.names);
	h.parameters.varargs = varargs;
	lint->handler = &h;
	lint->format = lint_find_event(formats, h.name);
	/* Any other function is one of the script's own. */
	lint->is_handler = lint->format || meant || unused || h.parameters.nr >= PY_NR_COMMON_2010;
	if (lint->format) {
		check_handler(lint);
	} else if (meant && strcmp(meant, h.name)) {
		lint_begin(lint);
		fprintf(lint->out, "is never called; did you mean %s()?\n", meant);
	} else if (lint->is_handler && !meant && strncmp(h.name, "stat__", strlen("stat__"))) {
		near_event = formats->find_near(formats->data, h.name);
		lint_begin(lint);
		fprintf(lint->out, "is never called: there is no such event");
		if (near_event)
			fprintf(lint->out, "; did you mean %s__%s()?", near_event->system,
				near_event->name);
		fputc('\n', lint->out);
	}
}

/* "x.py: line 3: Missing parentheses ..." */
static struct error *take_syntax_error(const char *path)
{
	_cleanup_free_ char *python2 = py_error_python2_file();
	PyObject *type, *value, *trace, *text;
	struct error *err;

	PyErr_Fetch(&type, &value, &trace);
	PyErr_NormalizeException(&type, &value, &trace);
	text = value ? PyObject_Str(value) : NULL;
	err = error_new(0, "%s is not Python %d: %s", path, PY_MAJOR_VERSION,
			text && PyUnicode_AsUTF8(text) ? PyUnicode_AsUTF8(text) : "?");
	Py_XDECREF(text);
	Py_XDECREF(type);
	Py_XDECREF(value);
	Py_XDECREF(trace);
	PyErr_Clear();
	return python2 ? py_error_advise_python2(err, path) : err;
}

/* Returns a list of tuples, or NULL with an exception. */
static PyObject *functions_of(const char *path, const char *source, size_t len)
{
	PyObject *globals = PyDict_New(), *found = NULL, *result = NULL;
	PyObject *text = PyBytes_FromStringAndSize(source, len);
	PyObject *name = PyUnicode_DecodeFSDefault(path);

	if (globals && text && name && !PyDict_SetItemString(globals, "source", text) &&
	    !PyDict_SetItemString(globals, "path", name) &&
	    !PyDict_SetItemString(globals, "__builtins__", PyEval_GetBuiltins()))
		result = PyRun_String(find_functions, Py_file_input, globals, globals);
	if (result) {
		found = PyDict_GetItemString(globals, "functions");
		Py_XINCREF(found);
	}
	Py_XDECREF(result);
	Py_XDECREF(name);
	Py_XDECREF(text);
	Py_XDECREF(globals);
	return found;
}

struct error *py_lint(const char *path, const struct script_lint_formats *formats, FILE *out,
		      struct script_lint_counts *ret)
{
	_cleanup_free_ char *source = NULL;
	PyObject *functions;
	struct error *err;
	size_t len;

	err = file_read(path, &source, &len);
	if (err)
		return err;
	Py_InitializeEx(0);
	*ret = (struct script_lint_counts){ 0 };
	functions = functions_of(path, source, len);
	if (!functions)
		err = take_syntax_error(path);
	for (Py_ssize_t i = 0; functions && i < PyList_GET_SIZE(functions); i++) {
		struct lint lint = { .path = path, .out = out };

		lint_function(PyList_GET_ITEM(functions, i), formats, &lint);
		ret->handlers += lint.is_handler;
		ret->broken += lint.broken;
	}
	Py_XDECREF(functions);
	Py_FinalizeEx();
	return err;
}

// SPDX-License-Identifier: GPL-2.0
#include <opcode.h>
#include <stdbool.h>
#include <string.h>

#include "lib/array.h"
#include "lib/log.h"
#include "lib/strbuf.h"
#include "script/handlers/py_args.h"
#include "script/handlers/py_form.h"
#include "script/python/py.h"

struct py_signature {
	PyObject *names;	/* tuple: positional parameters, then keyword-only ones */
	PyObject *defaults;	/* tuple: defaults of the last positional ones; may be empty */
	PyObject *kwdefaults;	/* dict of the defaults of keyword-only ones; NULL: none */
	Py_ssize_t nr_positional, nr_keyword;
	bool varargs, varkeywords;
	PyObject *code;		/* of the function itself; NULL: unknown, as of a wrapper */
	Py_ssize_t bound;	/* parameters of the code before names[0], as self */
};

static void py_signature_deinit(struct py_signature *signature)
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

/*
 * Read the parameters of @callable, without a self that is bound already.  A wrapper that takes
 * (*args, **kwargs) has the parameters of the function that it wraps.  A callable without a Python
 * signature is assumed to accept any arguments.  Returns 0, or -1 with an exception.
 */
static int py_signature_read(PyObject *callable, struct py_signature *ret)
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

/* The name of a parameter, or "" if @index is past the end. */
static const char *py_signature_name(const struct py_signature *signature, Py_ssize_t index)
{
	const char *name = NULL;

	if (index < PyTuple_GET_SIZE(signature->names))
		name = PyUnicode_AsUTF8(PyTuple_GET_ITEM(signature->names, index));
	if (!name)
		PyErr_Clear();
	return name ? name : "";
}

/* A new reference to the default of a parameter.  NULL without an exception: it has none. */
static PyObject *py_signature_default(const struct py_signature *signature, Py_ssize_t index)
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
 * An instruction is two bytes: the opcode and its argument.  Later Pythons have more instructions
 * with the number of a parameter, some with two numbers of four bits.  There, every instruction
 * with a matching argument counts as a use.
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

/*
 * Return false if the function never reads parameter @index, so that any value will do.  A function
 * that can access its parameters by other means (locals(), eval(), frames) counts as using all of
 * them.
 */
static bool py_signature_uses(const struct py_signature *signature, Py_ssize_t index)
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

/* In the order of py_common_names. */
static const enum py_source common_sources[PY_NR_COMMON] = {
	PY_CONSTANT, PY_CONSTANT, PY_CPU, PY_SECS, PY_NSECS, PY_PID, PY_COMM, PY_CALLCHAIN,
};

void py_binding_deinit(struct py_binding *binding)
{
	for (size_t i = 0; i < binding->nr; i++)
		Py_XDECREF(binding->items[i].constant);
	free(binding->items);
	Py_XDECREF(binding->kwnames);
	memset(binding, 0, sizeof(*binding));
}

static int bind_arg(struct py_binding *binding, struct py_arg arg)
{
	if (array_push(binding, arg))
		return 0;
	Py_XDECREF(arg.constant);
	PyErr_NoMemory();
	return -1;
}

static int bind_source(struct py_binding *binding, enum py_source source)
{
	return bind_arg(binding, (struct py_arg){ .source = source });
}

static int add_constant(struct py_binding *binding, PyObject *object)
{
	return bind_arg(binding, (struct py_arg){ .constant = Py_NewRef(object) });
}

static int bind_common(struct py_binding *binding, size_t index,
		       const struct py_binding_event *event)
{
	if (common_sources[index] != PY_CONSTANT)
		return bind_source(binding, common_sources[index]);
	return add_constant(binding, index == 0 ? event->name : event->context);
}

static int bind_own_field(struct py_binding *binding, const struct field *field)
{
	return bind_arg(binding, (struct py_arg){ .source = PY_FIELD, .field = field });
}

/*
 * If @name is `common_NAME`, where NAME is a common field that this event has or that
 * ktrace can store, return NAME, else NULL.
 */
static const char *synthesized_name(const struct py_binding_event *event, const char *name)
{
	const struct common_field_info *info;

	if (strncmp(name, "common_", 7))
		return NULL;
	name += 7;
	info = common_field_find(name);
	return (info && info->stored) || common_layout_find(&event->event->common, name) ?
	       name : NULL;
}

static bool is_known_value(const struct py_binding_event *event, const char *name)
{
	return py_form_field(event->format, name) || py_form_common(name) >= 0 ||
	       !strcmp(name, "perf_sample_dict") || event_format_field(event->format, name) ||
	       synthesized_name(event, name);
}

/* Add the value of this name.  Returns 1, 0 if there is no such value, -1 with an exception. */
static int bind_named(struct py_binding *binding, const struct py_binding_event *event,
		      const char *name)
{
	const struct field *field = py_form_field(event->format, name);
	const char *synthesized = synthesized_name(event, name);
	const struct common_slot *slot = NULL;
	int common = py_form_common(name), result;

	if (synthesized)
		slot = common_layout_find(&event->event->common, synthesized);

	if (field && common != 1)	/* `context` is perf's, even if a field is called so */
		result = bind_own_field(binding, field);
	else if (common >= 0)
		result = bind_common(binding, common, event);
	else if (!strcmp(name, "perf_sample_dict"))
		result = bind_source(binding, PY_SAMPLE_DICT);
	else if (event_format_field(event->format, name))
		result = bind_own_field(binding, event_format_field(event->format, name));
	else if (slot)
		result = bind_arg(binding,
				  (struct py_arg){ .source = PY_COMMON_FIELD, .common = slot });
	else
		return 0;
	return result < 0 ? -1 : 1;
}

static void add_field_names(struct strbuf *text, const struct event_format *format)
{
	for (size_t i = format->nr_common; i < format->nr_fields; i++)
		strbuf_addf(text, "%s%s", i > format->nr_common ? ", " : "",
			    format->fields[i].name);
}

static void warn_missing(const struct py_binding_event *event, const char *name)
{
	_cleanup_(strbuf) struct strbuf text = STRBUF_INIT;
	const char *synthesized = synthesized_name(event, name);

	if (synthesized) {
		log_warning("%s() gets None for '%s': the event was recorded without it "
			    "(record --fields=%s).", PyUnicode_AsUTF8(event->name), name,
			    synthesized);
		return;
	}
	add_field_names(&text, event->format);
	log_warning("%s() gets None for '%s': the event has no such field, but %s.",
		    PyUnicode_AsUTF8(event->name), name, strbuf_str(&text));
}

static int raise_missing(const struct py_binding_event *event, const char *name)
{
	_cleanup_(strbuf) struct strbuf text = STRBUF_INIT;

	add_field_names(&text, event->format);
	PyErr_Format(PyExc_TypeError,
		     "%U() has a parameter '%s', which is neither a common value nor a field of "
		     "the event; its fields are %s", event->name, name, strbuf_str(&text));
	return -1;
}

/* Add the value for parameter @index: by its name, else its default, else None. */
static int bind_parameter(struct py_binding *binding, const struct py_binding_event *event,
			  const struct py_signature *signature, Py_ssize_t index, bool strict)
{
	const char *name = py_signature_name(signature, index);
	int added = bind_named(binding, event, name);
	PyObject *value;

	if (added)
		return added < 0 ? -1 : 0;
	value = py_signature_default(signature, index);
	if (value || PyErr_Occurred())
		return value ? bind_arg(binding, (struct py_arg){ .constant = value }) : -1;
	if (strict && !is_known_value(event, name))
		return raise_missing(event, name);
	warn_missing(event, name);
	return add_constant(binding, Py_None);
}

/* Add the first @nr_common of perf's values, then every field. */
static int bind_by_position(struct py_binding *binding, const struct py_binding_event *event,
			    size_t nr_common)
{
	const struct event_format *format = event->format;

	for (size_t i = 0; i < nr_common; i++)
		if (bind_common(binding, i, event) < 0)
			return -1;
	for (size_t i = format->nr_common; i < format->nr_fields; i++)
		if (bind_own_field(binding, &format->fields[i]) < 0)
			return -1;
	return 0;
}

/* Add the first @nr_common of perf's values, then the rest by the names of the parameters. */
static int bind_by_name(struct py_binding *binding, const struct py_binding_event *event,
			const struct py_signature *signature, size_t nr_common, bool strict)
{
	for (size_t i = 0; i < nr_common; i++)
		if (bind_common(binding, i, event) < 0)
			return -1;
	for (Py_ssize_t i = nr_common; i < signature->nr_positional; i++)
		if (bind_parameter(binding, event, signature, i, strict) < 0)
			return -1;
	return 0;
}

static int raise_refused(const struct py_binding_event *event,
			 const struct py_parameters *parameters, const struct py_form *form)
{
	PyErr_Format(PyExc_TypeError,
		     "%U() has '%s' where %s comes. Give the parameters perf's names (event_name, "
		     "context, common_cpu, common_secs, common_nsecs, common_pid, common_comm, "
		     "common_callchain) and those of the fields, in any order, or keep perf's order",
		     event->name, py_parameter_name(parameters, form->wrong), form->place);
	return -1;
}

static int bind_positional(struct py_binding *binding, const struct py_binding_event *event,
			   const struct py_signature *signature, struct py_form *form)
{
	const struct py_parameters parameters = {
		.names = signature->names, .nr = signature->nr_positional,
		.nr_required = signature->nr_positional - PyTuple_GET_SIZE(signature->defaults),
		.varargs = signature->varargs,
	};

	py_form_choose(&parameters, event->format, form);
	switch (form->kind) {
	case PY_FORM_REFUSED:
		return raise_refused(event, &parameters, form);
	case PY_FORM_POSITIONS:
		if (bind_by_position(binding, event, form->nr_common) < 0)
			return -1;
		return form->has_dict ? bind_source(binding, PY_SAMPLE_DICT) : 0;
	case PY_FORM_NAMES:
	case PY_FORM_MIXED:
		break;
	}
	return bind_by_name(binding, event, signature, form->nr_common,
			    form->kind == PY_FORM_NAMES);
}

static bool has_name(PyObject *names, const char *name)
{
	for (Py_ssize_t i = 0; i < PyTuple_GET_SIZE(names); i++)
		if (PyUnicode_CompareWithASCIIString(PyTuple_GET_ITEM(names, i), name) == 0)
			return true;
	return false;
}

/* Add the values that **kwargs collects: common values and fields without a parameter. */
static int bind_rest(struct py_binding *binding, const struct py_binding_event *event,
		     PyObject *taken, PyObject *kwnames)
{
	const struct event_format *format = event->format;
	size_t nr_fields = py_form_nr_fields(format);

	for (size_t i = 0; i < PY_NR_COMMON + nr_fields; i++) {
		const char *name = i < PY_NR_COMMON ? py_common_names[i] :
				   format->fields[format->nr_common + i - PY_NR_COMMON].name;
		PyObject *object;
		int result;

		if (has_name(taken, name))
			continue;
		if (i >= PY_NR_COMMON && py_form_common(name) >= 0)
			continue;
		object = PyUnicode_InternFromString(name);
		result = object ? PyList_Append(kwnames, object) : -1;
		Py_XDECREF(object);
		if (result < 0 || bind_named(binding, event, name) < 0)
			return -1;
	}
	return 0;
}

static int bind_keywords(struct py_binding *binding, const struct py_binding_event *event,
			 const struct py_signature *signature, bool rest)
{
	Py_ssize_t first = signature->nr_positional;
	PyObject *kwnames = PyList_New(0);
	int result = kwnames ? 0 : -1;

	for (Py_ssize_t i = first; result == 0 && i < first + signature->nr_keyword; i++) {
		result = PyList_Append(kwnames, PyTuple_GET_ITEM(signature->names, i));
		if (result == 0)
			result = bind_parameter(binding, event, signature, i, true);
	}
	if (result == 0 && rest)
		result = bind_rest(binding, event, signature->names, kwnames);
	if (result == 0 && PyList_GET_SIZE(kwnames) > 0) {
		binding->kwnames = PyList_AsTuple(kwnames);
		result = binding->kwnames ? 0 : -1;
	}
	Py_XDECREF(kwnames);
	return result;
}

/* Pass None for parameters that the function never uses: these values need not be created. */
static void drop_unused(struct py_binding *binding, const struct py_signature *signature)
{
	Py_ssize_t nr = signature->nr_positional;

	for (Py_ssize_t i = 0; i < nr && i < (Py_ssize_t)binding->nr; i++) {
		struct py_arg *arg = &binding->items[i];

		if (arg->source != PY_CONSTANT && !py_signature_uses(signature, i))
			*arg = (struct py_arg){ .constant = Py_NewRef(Py_None) };
	}
}

int py_binding_handler(PyObject *handler, const struct py_binding_event *event,
		       struct py_binding *ret)
{
	struct py_signature signature;
	struct py_form form;
	int result;

	memset(ret, 0, sizeof(*ret));
	result = py_signature_read(handler, &signature);
	if (result == 0)
		result = bind_positional(ret, event, &signature, &form);
	if (result == 0)
		result = bind_keywords(ret, event, &signature,
				       signature.varkeywords && !signature.varargs &&
				       form.kind != PY_FORM_POSITIONS);
	if (result == 0)
		drop_unused(ret, &signature);
	py_signature_deinit(&signature);
	return result;
}

int py_binding_unhandled(PyObject *handler, const struct py_binding_event *event,
			 struct py_binding *ret)
{
	struct py_signature signature;
	int result;

	memset(ret, 0, sizeof(*ret));
	result = py_signature_read(handler, &signature);
	if (result < 0)
		goto out;
	if (signature.nr_positional == PY_NR_COMMON_2010) {
		for (size_t i = 0; result == 0 && i < PY_NR_COMMON_2010; i++)
			result = bind_common(ret, i, event);
		goto out;
	}
	result = bind_common(ret, 0, event);
	if (result == 0)
		result = bind_common(ret, 1, event);
	if (result == 0)
		result = bind_source(ret, PY_FIELDS_DICT);
	if (result == 0 && signature.nr_positional == 4)
		result = bind_source(ret, PY_SAMPLE_DICT);
out:
	py_signature_deinit(&signature);
	return result;
}

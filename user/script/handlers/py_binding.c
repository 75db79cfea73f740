// SPDX-License-Identifier: GPL-2.0
#include <string.h>

#include "lib/array.h"
#include "lib/log.h"
#include "lib/strbuf.h"
#include "script/handlers/py_binding.h"
#include "script/handlers/py_form.h"
#include "script/handlers/py_signature.h"

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

/*
 * Add the value that a name stands for.  Returns 1, 0 if there is no such value, -1 with
 * an exception.
 */
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

/* Add the first @nr_common of perf's values, then the others by the names of the parameters. */
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

/* Pass None for parameters that the function never uses: these values need not be made. */
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

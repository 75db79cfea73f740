// SPDX-License-Identifier: GPL-2.0
/*
 * The module perf_trace_context: functions by which a handler gets more data of its event.  They
 * take the `context` that was passed to the handler.
 */
#include <string.h>

#include "lib/strbuf.h"
#include "script/handlers/py_context.h"
#include "script/python/py_syscall.h"

static struct py_context *get_context(PyObject *capsule)
{
	return PyCapsule_GetPointer(capsule, NULL);
}

/* The sample that the running handler was called for.  NULL with an exception. */
static const struct session_record *get_record(PyObject *capsule, const char *function)
{
	struct py_context *context = get_context(capsule);

	if (!context)
		return NULL;
	if (!context->record)
		PyErr_Format(PyExc_RuntimeError,
			     "%s() can be called while a handler runs for an event only", function);
	return context->record;
}

static PyObject *raw_common(PyObject *capsule, const char *function, const char *name)
{
	const struct session_record *r = get_record(capsule, function);
	const struct field *field;

	if (!r)
		return NULL;
	field = r->format ? event_format_field(r->format, name) : NULL;
	if (!field)
		return PyLong_FromLong(0);
	return py_field_value(field, r->sample.raw, r->sample.raw_size);
}

static PyObject *common_pc(PyObject *self, PyObject *capsule)
{
	return raw_common(capsule, "common_pc", "common_preempt_count");
}

static PyObject *common_flags(PyObject *self, PyObject *capsule)
{
	return raw_common(capsule, "common_flags", "common_flags");
}

static PyObject *common_lock_depth(PyObject *self, PyObject *capsule)
{
	return raw_common(capsule, "common_lock_depth", "common_lock_depth");
}

static PyObject *refuse_common_field(const char *name)
{
	_cleanup_(strbuf) struct strbuf names = STRBUF_INIT;

	common_field_add_names(&names);
	PyErr_Format(PyExc_ValueError, "there is no common field '%s'; they are %s",
		     name, strbuf_str(&names));
	return NULL;
}

static PyObject *context_common_field(PyObject *self, PyObject *args)
{
	PyObject *capsule, *missing = Py_None, *value;
	const struct session_record *r;
	const struct common_field_info *info;
	const struct common_slot *slot;
	const char *name;

	if (!PyArg_ParseTuple(args, "Os|O:common_field", &capsule, &name, &missing))
		return NULL;
	r = get_record(capsule, "common_field");
	if (!r)
		return NULL;
	info = common_field_find(name);
	slot = r->event ? common_layout_find(&r->event->common, name) : NULL;
	if (!slot && !(info && info->stored))
		return refuse_common_field(name);
	value = slot ? py_common_field(r, slot) : NULL;
	if (!value && !PyErr_Occurred())
		return Py_NewRef(missing);
	return value;
}

static PyObject *perf_sample_insn(PyObject *self, PyObject *capsule)
{
	if (!get_record(capsule, "perf_sample_insn"))
		return NULL;
	Py_RETURN_NONE;
}

static PyObject *perf_sample_srcline(PyObject *self, PyObject *capsule)
{
	if (!get_record(capsule, "perf_sample_srcline"))
		return NULL;
	return Py_BuildValue("(Oi)", Py_None, 0);
}

static PyObject *perf_sample_srccode(PyObject *self, PyObject *capsule)
{
	if (!get_record(capsule, "perf_sample_srccode"))
		return NULL;
	return Py_BuildValue("(OiO)", Py_None, 0, Py_None);
}

static PyObject *perf_set_itrace_options(PyObject *self, PyObject *args)
{
	struct py_context *context;
	PyObject *capsule;
	const char *options;

	if (!PyArg_ParseTuple(args, "Os:perf_set_itrace_options", &capsule, &options))
		return NULL;
	context = get_context(capsule);
	if (!context)
		return NULL;
	if (context->itrace_options)
		return PyLong_FromLong(1);
	context->itrace_options = strdup(options);
	return PyLong_FromLong(context->itrace_options ? 0 : -1);
}

static PyMethodDef methods[] = {
	{ "common_pc", common_pc, METH_O,
	  "common_pc(context) -> int\n\nThe preempt count of the event's record." },
	{ "common_flags", common_flags, METH_O,
	  "common_flags(context) -> int\n\nThe irq and need-resched flags of the event's record." },
	{ "common_lock_depth", common_lock_depth, METH_O,
	  "common_lock_depth(context) -> int\n\nThe lock depth; 0 where records have none." },
	{ "common_field", context_common_field, METH_VARARGS,
	  "common_field(context, name[, default]) -> value\n\n"
	  "A field that `ktrace record --fields=` stored with the event, by name;\n"
	  "default (None) when the event was recorded without it." },
	{ "perf_config_get", py_config_get, METH_O,
	  "perf_config_get(name) -> str or None\n\n"
	  "The value of a name as 'annotate.objdump' in perf's configuration: $PERF_CONFIG,\n"
	  "or ~/.perfconfig and /etc/perfconfig." },
	{ "perf_sample_insn", perf_sample_insn, METH_O,
	  "perf_sample_insn(context) -> bytes or None" },
	{ "perf_sample_srcline", perf_sample_srcline, METH_O,
	  "perf_sample_srcline(context) -> (file or None, line)" },
	{ "perf_sample_srccode", perf_sample_srccode, METH_O,
	  "perf_sample_srccode(context) -> (file or None, line, text or None)" },
	{ "syscall_name", py_syscall_name, METH_O,
	  "syscall_name(number) -> str\n\n"
	  "The name of a system call on the machine that was recorded; its number if unknown." },
	{ "perf_set_itrace_options", perf_set_itrace_options, METH_VARARGS,
	  "perf_set_itrace_options(context, options) -> 0, or 1 when they are set already" },
	{ NULL, NULL, 0, NULL },
};

static struct PyModuleDef module = {
	PyModuleDef_HEAD_INIT,
	.m_name = "perf_trace_context",
	.m_doc = "Functions for a handler about its event.",
	.m_size = -1,
	.m_methods = methods,
};

PyObject *py_context_module(void)
{
	PyObject *made = PyModule_Create(&module);

	if (made && PyModule_AddObjectRef(made, "perf_script_context", Py_None) < 0)
		Py_CLEAR(made);
	return made;
}

PyObject *py_context_capsule(struct py_context *context)
{
	return PyCapsule_New(context, NULL, NULL);
}

// SPDX-License-Identifier: GPL-2.0
#include <inttypes.h>
#include <string.h>

#include "lib/array.h"
#include "lib/log.h"
#include "script/py_binding.h"
#include "script/py_events.h"
#include "script/py_export.h"
#include "script/py_on_batch.h"
#include "script/py_records.h"
#include "script/py_stat.h"

#define NSEC_PER_SEC 1000000000

/* More than any event has fields; calls with more arguments allocate. */
#define MAX_ARGS 96

/* How the samples of one event reach the script. */
struct call_plan {
	const struct event_format *format; /* the plan was made for */
	PyObject *name;			/* "sched__sched_switch", interned */
	const struct field *pid;	/* common_pid */
	PyObject *handler, *unhandled;	/* what the bindings were made for; NULL: none yet */
	struct py_binding handler_binding, unhandled_binding;
	PyObject **keys;		/* names of the event's own fields, interned */
	bool no_format_said;
};

struct py_events {
	struct session_consumer consumer;
	PyObject *globals;
	struct py_context *context;
	PyObject *capsule;
	PyObject *unhandled_name, *process_name;
	struct py_stat *stat;
	struct py_on_batch *on_batch;
	struct py_export *export;	/* NULL: the script does not export */
	struct call_plan **items;	/* by event->index */
	size_t nr, alloc;
};

/* What the arguments of one call are made of. */
struct call {
	const struct session_record *r;
	const struct call_plan *plan;
	uint32_t raw_size;		/* without the trailer */
	PyObject *callchain;		/* borrowed from the arguments made before */
};

static PyObject *make_fields_dict(struct call *call);

static PyObject *make_arg(struct call *call, const struct py_arg *arg)
{
	const struct sample *s = &call->r->sample;
	PyObject *value;

	switch (arg->source) {
	case PY_CONSTANT:
		return Py_NewRef(arg->constant);
	case PY_CPU:
		return PyLong_FromLong(s->cpu);
	case PY_SECS:
		return PyLong_FromLong(s->time / NSEC_PER_SEC);
	case PY_NSECS:
		return PyLong_FromLong(s->time % NSEC_PER_SEC);
	case PY_PID:
		if (!call->plan->pid)
			return PyLong_FromLong(s->tid);
		return py_field_value(call->plan->pid, s->raw, call->raw_size);
	case PY_COMM:
		return py_text(call->r->comm, strlen(call->r->comm));
	case PY_CALLCHAIN:
		call->callchain = py_callchain(call->r);
		return call->callchain;
	case PY_FIELD:
		return py_field_value(arg->field, s->raw, call->raw_size);
	case PY_COMMON_FIELD:
		value = py_common_field(call->r, arg->common);
		return value || PyErr_Occurred() ? value : Py_NewRef(Py_None);
	case PY_FIELDS_DICT:
		return make_fields_dict(call);
	case PY_SAMPLE_DICT:
		return py_sample_dict(call->r, call->callchain);
	}
	Py_UNREACHABLE();
}

static PyObject *call_with(struct call *call, const struct py_binding *binding, PyObject *function)
{
	PyObject *on_stack[MAX_ARGS + 1], **args = on_stack, *result = NULL;
	size_t nr_keyword = binding->kwnames ? PyTuple_GET_SIZE(binding->kwnames) : 0;
	size_t made;

	if (binding->nr > MAX_ARGS) {
		args = PyMem_New(PyObject *, binding->nr + 1);
		if (!args)
			return PyErr_NoMemory();
	}
	/* args[0] is for the callee: a bound method puts its self there. */
	for (made = 0; made < binding->nr; made++) {
		args[made + 1] = make_arg(call, &binding->items[made]);
		if (!args[made + 1])
			goto out;
	}
	result = PyObject_Vectorcall(function, args + 1,
				     (binding->nr - nr_keyword) | PY_VECTORCALL_ARGUMENTS_OFFSET,
				     binding->kwnames);
out:
	while (made--)
		Py_DECREF(args[made + 1]);
	if (args != on_stack)
		PyMem_Free(args);
	return result;
}

/* The dict of trace_unhandled() begins with these. */
static const struct {
	const char *key;
	struct py_arg arg;
} common_items[] = {
	{ "common_cpu", { .source = PY_CPU } },
	{ "common_s", { .source = PY_SECS } },
	{ "common_ns", { .source = PY_NSECS } },
	{ "common_pid", { .source = PY_PID } },
	{ "common_comm", { .source = PY_COMM } },
	{ "common_callchain", { .source = PY_CALLCHAIN } },
};

/* Steals @value. */
static int set_item(PyObject *dict, PyObject *key, PyObject *value)
{
	int result = value ? PyDict_SetItem(dict, key, value) : -1;

	Py_XDECREF(value);
	return result;
}

static PyObject *make_fields_dict(struct call *call)
{
	const struct event_format *format = call->plan->format;
	PyObject **key = call->plan->keys, *dict = PyDict_New();

	for (size_t i = 0; dict && i < ARRAY_SIZE(common_items); i++)
		if (set_item(dict, *key++, make_arg(call, &common_items[i].arg)) < 0)
			Py_CLEAR(dict);
	for (size_t i = format->nr_common; dict && i < format->nr_fields; i++) {
		PyObject *value = py_field_value(&format->fields[i], call->r->sample.raw,
						 call->raw_size);

		if (set_item(dict, *key++, value) < 0)
			Py_CLEAR(dict);
	}
	return dict;
}

static int plan_make_keys(struct call_plan *plan)
{
	size_t nr = ARRAY_SIZE(common_items), nr_common = plan->format->nr_common;
	size_t nr_keys = nr + plan->format->nr_fields - nr_common;

	plan->keys = calloc(nr_keys + 1, sizeof(*plan->keys));	/* ended by NULL */
	if (!plan->keys) {
		PyErr_NoMemory();
		return -1;
	}
	for (size_t i = 0; i < nr_keys; i++) {
		const char *name = i < nr ? common_items[i].key :
				   plan->format->fields[nr_common + i - nr].name;

		plan->keys[i] = PyUnicode_InternFromString(name);
		if (!plan->keys[i])
			return -1;
	}
	return 0;
}

static void plan_forget(struct call_plan *plan)
{
	py_binding_deinit(&plan->handler_binding);
	py_binding_deinit(&plan->unhandled_binding);
	Py_CLEAR(plan->handler);
	Py_CLEAR(plan->unhandled);
	Py_CLEAR(plan->name);
	for (PyObject **key = plan->keys; key && *key; key++)
		Py_DECREF(*key);
	free(plan->keys);
	plan->keys = NULL;
}

/*
 * A define_*() of the script, which `from Core import *` brings; else that of
 * Core itself, if it is loaded.  New reference; NULL without an exception: none.
 */
static PyObject *find_define(struct py_events *events, const char *function)
{
	PyObject *object = PyDict_GetItemString(events->globals, function), *name, *core;

	if (object && PyCallable_Check(object))
		return Py_NewRef(object);
	name = PyUnicode_FromString("Core");
	core = name ? PyImport_GetModule(name) : NULL;
	Py_XDECREF(name);
	object = core ? PyObject_GetAttrString(core, function) : NULL;
	Py_XDECREF(core);
	if (!object && PyErr_Occurred() && PyErr_ExceptionMatches(PyExc_AttributeError))
		PyErr_Clear();
	return object;
}

/* Steals @args. */
static int define(struct py_events *events, const char *function, PyObject *args)
{
	PyObject *object = args ? find_define(events, function) : NULL;
	PyObject *result = object ? PyObject_CallObject(object, args) : NULL;

	Py_XDECREF(object);
	Py_XDECREF(args);
	Py_XDECREF(result);
	return PyErr_Occurred() ? -1 : 0;
}

static int define_field(struct py_events *events, PyObject *name, const struct field *field)
{
	const char *what = field->is_flags ? "define_flag_value" : "define_symbolic_value";
	int result;

	if (field->is_flags)
		result = define(events, "define_flag_field",
				Py_BuildValue("(Oss)", name, field->name,
					      field->flag_delimiter ? field->flag_delimiter : ""));
	else
		result = define(events, "define_symbolic_field",
				Py_BuildValue("(Os)", name, field->name));
	for (size_t i = 0; result == 0 && i < field->nr_names; i++)
		result = define(events, what,
				Py_BuildValue("(OsKs)", name, field->name,
					      (unsigned long long)field->names[i].value,
					      field->names[i].name));
	return result;
}

static int plan_make(struct py_events *events, struct call_plan *plan,
		     const struct event_format *format)
{
	plan_forget(plan);
	plan->format = format;
	plan->pid = event_format_field(format, "common_pid");
	plan->name = PyUnicode_FromFormat("%s__%s", format->system, format->name);
	if (!plan->name)
		return -1;
	PyUnicode_InternInPlace(&plan->name);
	if (plan_make_keys(plan) < 0)
		return -1;
	for (size_t i = 0; i < format->nr_fields; i++) {
		const struct field *field = &format->fields[i];

		if ((field->is_flags || field->is_symbolic) &&
		    define_field(events, plan->name, field) < 0)
			return -1;
	}
	return 0;
}

static struct call_plan *plan_get(struct py_events *events, const struct session_record *r)
{
	size_t index = r->event->index;
	struct call_plan *plan;

	while (events->nr <= index) {
		if (!array_push(events, NULL)) {
			PyErr_NoMemory();
			return NULL;
		}
	}
	plan = events->items[index];
	if (!plan) {
		plan = events->items[index] = calloc(1, sizeof(*plan));
		if (!plan) {
			PyErr_NoMemory();
			return NULL;
		}
	}
	if (plan->format != r->format && r->format && plan_make(events, plan, r->format) < 0)
		return NULL;
	return plan;
}

static int bind(struct py_events *events, struct call_plan *plan, const struct event *event,
		PyObject *function, bool unhandled)
{
	struct py_binding *binding = unhandled ? &plan->unhandled_binding : &plan->handler_binding;
	PyObject **bound = unhandled ? &plan->unhandled : &plan->handler;
	struct py_binding_event e = {
		.name = plan->name, .context = events->capsule,
		.format = plan->format, .event = event,
	};
	int result;

	py_binding_deinit(binding);
	Py_CLEAR(*bound);
	result = unhandled ? py_binding_unhandled(function, &e, binding)
			   : py_binding_handler(function, &e, binding);
	if (result == 0)
		*bound = Py_NewRef(function);
	return result;
}

static PyObject *call_tracepoint(struct py_events *events, struct call_plan *plan,
				 const struct session_record *r)
{
	struct call call = {
		.r = r, .plan = plan, .raw_size = common_field_raw_size(r->event, &r->sample),
	};
	PyObject *function, *result;
	bool unhandled;

	function = PyDict_GetItemWithError(events->globals, plan->name);
	unhandled = !function || !PyCallable_Check(function);
	if (unhandled)
		function = PyDict_GetItemWithError(events->globals, events->unhandled_name);
	if (!function || !PyCallable_Check(function))
		return PyErr_Occurred() ? NULL : Py_NewRef(Py_None);

	if (function != (unhandled ? plan->unhandled : plan->handler) &&
	    bind(events, plan, r->event, function, unhandled) < 0)
		return NULL;
	/* The call may rebind its own name: keep the function over it. */
	Py_INCREF(function);
	result = call_with(&call, unhandled ? &plan->unhandled_binding : &plan->handler_binding,
			   function);
	Py_DECREF(function);
	return result;
}

static PyObject *call_process_event(struct py_events *events, const struct session_record *r)
{
	PyObject *function, *dict, *result;

	function = PyDict_GetItemWithError(events->globals, events->process_name);
	if (!function || !PyCallable_Check(function))
		return PyErr_Occurred() ? NULL : Py_NewRef(Py_None);
	Py_INCREF(function);
	dict = py_sample_dict(r, NULL);
	result = dict ? PyObject_CallOneArg(function, dict) : NULL;
	Py_XDECREF(dict);
	Py_DECREF(function);
	return result;
}

static struct error *handler_error(struct call_plan *plan, const struct session_record *r)
{
	char what[160];

	if (plan && plan->name && r->event->attr.type == PERF_TYPE_TRACEPOINT)
		snprintf(what, sizeof(what), "in %s()", PyUnicode_AsUTF8(plan->name));
	else
		snprintf(what, sizeof(what), "in process_event() for %s", r->event->name);
	return py_error_take(what, r);
}

static struct error *on_sample(struct session_consumer *consumer, const struct session_record *r)
{
	struct py_events *events = container_of(consumer, struct py_events, consumer);
	struct call_plan *plan = NULL;
	PyObject *result = NULL;

	if (!r->event)
		return NULL;
	if (events->on_batch) {
		struct error *err = py_on_batch_sample(events->on_batch, r);

		if (err)
			return err;
	}
	if (events->export && r->event->attr.type != PERF_TYPE_TRACEPOINT)
		return py_export_sample(events->export, r);
	events->context->record = r;
	if (r->event->attr.type != PERF_TYPE_TRACEPOINT) {
		result = call_process_event(events, r);
	} else {
		plan = plan_get(events, r);
		if (plan && !r->format) {
			if (!plan->no_format_said)
				log_warning("The recording has no format of %s: its events "
					    "cannot be given to the script.", r->event->name);
			plan->no_format_said = true;
			result = Py_NewRef(Py_None);
		} else if (plan) {
			result = call_tracepoint(events, plan, r);
		}
	}
	events->context->record = NULL;
	if (!result)
		return handler_error(plan, r);
	Py_DECREF(result);
	return NULL;
}

static struct error *on_other(struct session_consumer *consumer, const struct session_record *r)
{
	struct py_events *events = container_of(consumer, struct py_events, consumer);
	struct error *err = NULL;
	bool taken = false;

	if (events->export)
		err = py_export_other(events->export, r, &taken);
	if (err || taken)
		return err;
	events->context->record = r;
	err = py_records_call(events->globals, r);
	if (!err)
		err = py_stat_record(events->stat, events->globals, r);
	events->context->record = NULL;
	return err;
}

int py_events_create(PyObject *globals, struct py_context *context, PyObject *capsule,
		     struct py_events **ret)
{
	struct py_events *events = calloc(1, sizeof(*events));

	if (!events) {
		PyErr_NoMemory();
		return -1;
	}
	if (py_stat_create(&events->stat)) {
		free(events);
		PyErr_NoMemory();
		return -1;
	}
	events->consumer.sample = on_sample;
	events->consumer.other = on_other;
	events->globals = globals;
	events->context = context;
	events->capsule = capsule;
	events->unhandled_name = PyUnicode_InternFromString("trace_unhandled");
	events->process_name = PyUnicode_InternFromString("process_event");
	*ret = events;
	return events->unhandled_name && events->process_name ? 0 : -1;
}

void py_events_destroy(struct py_events *events)
{
	if (!events)
		return;
	for (size_t i = 0; i < events->nr; i++) {
		if (events->items[i])
			plan_forget(events->items[i]);
		free(events->items[i]);
	}
	free(events->items);
	py_stat_destroy(events->stat);
	py_export_destroy(events->export);
	Py_XDECREF(events->unhandled_name);
	Py_XDECREF(events->process_name);
	free(events);
}

struct error *py_events_begin_export(struct py_events *events)
{
	return py_export_create(events->globals, &events->export);
}

void py_events_set_on_batch(struct py_events *events, struct py_on_batch *on_batch)
{
	events->on_batch = on_batch;
}

struct session_consumer *py_events_consumer(struct py_events *events)
{
	return &events->consumer;
}

struct error *py_events_call(PyObject *globals, const char *name)
{
	PyObject *function = PyDict_GetItemString(globals, name), *result;
	char what[64];

	if (!function || !PyCallable_Check(function))
		return NULL;
	Py_INCREF(function);
	result = PyObject_CallNoArgs(function);
	Py_DECREF(function);
	if (!result) {
		snprintf(what, sizeof(what), "in %s()", name);
		return py_error_take(what, NULL);
	}
	Py_DECREF(result);
	return NULL;
}

// SPDX-License-Identifier: GPL-2.0

#include "lib/array.h"
#include "lib/log.h"
#include "script/columns/py_on_batch.h"
#include "script/handlers/py_args.h"
#include "script/handlers/py_export.h"
#include "script/handlers/py_handlers.h"
#include "script/handlers/py_record_handlers.h"
#include "script/handlers/py_sample_dict.h"
#include "script/python/py_function.h"

/* A function of the script, and how it is called. */
struct call_target {
	PyObject *function;		/* NULL: none yet */
	struct py_binding binding;
	struct py_args *args;
};

/* How the samples of one event are passed to the script. */
struct call_plan {
	struct py_args_event event;	/* its format is that of the plan */
	struct py_function name;	/* "sched__sched_switch" */
	struct call_target handler, unhandled;
	bool no_format_said;
};

struct py_handlers {
	struct session_consumer consumer;
	PyObject *globals;
	struct py_context *context;
	PyObject *capsule;
	struct py_function unhandled, process;
	struct py_stat *stat;
	struct py_on_batch *on_batch;
	struct py_export *export;	/* NULL: the script does not export */
	struct call_plan **items;	/* by event->index */
	size_t nr, alloc;
};

static void target_forget(struct call_target *target)
{
	py_args_destroy(take_ptr(target->args));
	py_binding_deinit(&target->binding);
	Py_CLEAR(target->function);
}

static void plan_forget(struct call_plan *plan)
{
	target_forget(&plan->handler);
	target_forget(&plan->unhandled);
	py_function_deinit(&plan->name);
	py_args_keys_free(take_ptr(plan->event.keys));
}

/*
 * Find a define_*() function.  The script has it after `from Core import *`; otherwise that of the
 * module Core is used, if it is loaded.  Returns a new reference, or NULL, without an exception if
 * there is none.
 */
static PyObject *find_define(struct py_handlers *handlers, const char *function)
{
	PyObject *object = PyDict_GetItemString(handlers->globals, function), *name, *core;

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
static int define(struct py_handlers *handlers, const char *function, PyObject *args)
{
	PyObject *object = args ? find_define(handlers, function) : NULL;
	PyObject *result = object ? PyObject_CallObject(object, args) : NULL;

	Py_XDECREF(object);
	Py_XDECREF(args);
	Py_XDECREF(result);
	return PyErr_Occurred() ? -1 : 0;
}

static int define_field(struct py_handlers *handlers, PyObject *name, const struct field *field)
{
	const char *what = field->is_flags ? "define_flag_value" : "define_symbolic_value";
	int result;

	if (field->is_flags)
		result = define(handlers, "define_flag_field",
				Py_BuildValue("(Oss)", name, field->name,
					      field->flag_delimiter ? field->flag_delimiter : ""));
	else
		result = define(handlers, "define_symbolic_field",
				Py_BuildValue("(Os)", name, field->name));
	for (size_t i = 0; result == 0 && i < field->nr_names; i++)
		result = define(handlers, what,
				Py_BuildValue("(OsKs)", name, field->name,
					      (unsigned long long)field->names[i].value,
					      field->names[i].name));
	return result;
}

static int plan_make(struct py_handlers *handlers, struct call_plan *plan,
		     const struct event_format *format)
{
	plan_forget(plan);
	plan->event.format = NULL;	/* NULL until the plan is complete */
	plan->event.pid = event_format_field(format, "common_pid");
	plan->event.keys = py_args_keys(format);
	if (!plan->event.keys)
		return -1;
	if (py_function_init(&plan->name, PyUnicode_FromFormat("%s__%s", format->system,
							       format->name)) < 0)
		return -1;
	for (size_t i = 0; i < format->nr_fields; i++) {
		const struct field *field = &format->fields[i];

		if ((field->is_flags || field->is_symbolic) &&
		    define_field(handlers, plan->name.name, field) < 0)
			return -1;
	}
	plan->event.format = format;
	return 0;
}

static struct call_plan *plan_get(struct py_handlers *handlers, const struct session_record *r)
{
	size_t index = r->event->index;
	struct call_plan *plan;

	if (!array_at(handlers, index, 0)) {
		PyErr_NoMemory();
		return NULL;
	}
	plan = handlers->items[index];
	if (!plan) {
		plan = handlers->items[index] = calloc(1, sizeof(*plan));
		if (!plan) {
			PyErr_NoMemory();
			return NULL;
		}
	}
	if (plan->event.format != r->format && r->format &&
	    plan_make(handlers, plan, r->format) < 0)
		return NULL;
	return plan;
}

static int bind(struct py_handlers *handlers, struct call_plan *plan, const struct event *event,
		struct call_target *target, PyObject *function)
{
	struct py_binding_event e = {
		.name = plan->name.name, .context = handlers->capsule,
		.format = plan->event.format, .event = event,
	};
	int result;

	target_forget(target);
	result = target == &plan->unhandled ? py_binding_unhandled(function, &e, &target->binding)
					    : py_binding_handler(function, &e, &target->binding);
	if (result < 0)
		return -1;
	target->args = py_args_create(&target->binding, &plan->event);
	if (!target->args)
		return -1;
	target->function = Py_NewRef(function);
	return 0;
}

static PyObject *call_tracepoint(struct py_handlers *handlers, struct call_plan *plan,
				 const struct session_record *r)
{
	struct call_target *target = &plan->handler;
	PyObject *function = py_function_find(&plan->name, handlers->globals), *result;

	if (!function && !PyErr_Occurred()) {
		target = &plan->unhandled;
		function = py_function_find(&handlers->unhandled, handlers->globals);
	}
	if (!function)
		return PyErr_Occurred() ? NULL : Py_NewRef(Py_None);
	if (function != target->function && bind(handlers, plan, r->event, target, function) < 0)
		return NULL;
	/* The script may rebind the name during the call: keep the function alive. */
	Py_INCREF(function);
	result = py_args_call(target->args, function, r);
	Py_DECREF(function);
	return result;
}

static PyObject *call_process_event(struct py_handlers *handlers, const struct session_record *r)
{
	PyObject *function = py_function_find(&handlers->process, handlers->globals);
	PyObject *dict, *result;

	if (!function)
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

	if (plan && plan->name.name && r->event->attr.type == PERF_TYPE_TRACEPOINT)
		snprintf(what, sizeof(what), "in %s()", PyUnicode_AsUTF8(plan->name.name));
	else
		snprintf(what, sizeof(what), "in process_event() for %s", r->event->name);
	return py_error_take(what, r);
}

static struct error *handlers_sample(struct session_consumer *consumer,
				     const struct session_record *r)
{
	struct py_handlers *handlers = container_of(consumer, struct py_handlers, consumer);
	struct call_plan *plan = NULL;
	PyObject *result = NULL;

	if (!r->event)
		return NULL;
	if (handlers->on_batch) {
		struct error *err = py_on_batch_sample(handlers->on_batch, r);

		if (err)
			return err;
	}
	if (handlers->export && r->event->attr.type != PERF_TYPE_TRACEPOINT)
		return py_export_sample(handlers->export, r);
	handlers->context->record = r;
	if (r->event->attr.type != PERF_TYPE_TRACEPOINT) {
		result = call_process_event(handlers, r);
	} else {
		plan = plan_get(handlers, r);
		if (plan && !r->format) {
			if (!plan->no_format_said)
				log_warning("The recording has no format of %s: its events "
					    "cannot be given to the script.", r->event->name);
			plan->no_format_said = true;
			result = Py_NewRef(Py_None);
		} else if (plan) {
			result = call_tracepoint(handlers, plan, r);
		}
	}
	handlers->context->record = NULL;
	if (!result)
		return handler_error(plan, r);
	Py_DECREF(result);
	return NULL;
}

static struct error *handlers_other(struct session_consumer *consumer,
				    const struct session_record *r)
{
	struct py_handlers *handlers = container_of(consumer, struct py_handlers, consumer);
	struct error *err = NULL;
	bool taken = false;

	if (handlers->export)
		err = py_export_other(handlers->export, r, &taken);
	if (err || taken)
		return err;
	handlers->context->record = r;
	err = py_record_handlers_call(handlers->globals, r);
	if (!err)
		err = py_stat_record(handlers->stat, handlers->globals, r);
	handlers->context->record = NULL;
	return err;
}

int py_handlers_create(PyObject *globals, struct py_context *context, PyObject *capsule,
		       struct py_handlers **ret)
{
	struct py_handlers *handlers = calloc(1, sizeof(*handlers));

	if (!handlers) {
		PyErr_NoMemory();
		return -1;
	}
	if (py_stat_create(&handlers->stat)) {
		free(handlers);
		PyErr_NoMemory();
		return -1;
	}
	handlers->consumer.sample = handlers_sample;
	handlers->consumer.other = handlers_other;
	handlers->globals = globals;
	handlers->context = context;
	handlers->capsule = capsule;
	*ret = handlers;
	if (py_function_init(&handlers->unhandled, PyUnicode_FromString("trace_unhandled")) < 0)
		return -1;
	return py_function_init(&handlers->process, PyUnicode_FromString("process_event"));
}

void py_handlers_destroy(struct py_handlers *handlers)
{
	if (!handlers)
		return;
	for (size_t i = 0; i < handlers->nr; i++) {
		if (handlers->items[i])
			plan_forget(handlers->items[i]);
		free(handlers->items[i]);
	}
	free(handlers->items);
	py_stat_destroy(handlers->stat);
	py_export_destroy(handlers->export);
	py_function_deinit(&handlers->unhandled);
	py_function_deinit(&handlers->process);
	free(handlers);
}

struct error *py_handlers_begin_export(struct py_handlers *handlers)
{
	return py_export_create(handlers->globals, &handlers->export);
}

void py_handlers_set_on_batch(struct py_handlers *handlers, struct py_on_batch *on_batch)
{
	handlers->on_batch = on_batch;
}

struct session_consumer *py_handlers_consumer(struct py_handlers *handlers)
{
	return &handlers->consumer;
}

struct error *py_handlers_call(PyObject *globals, const char *name)
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

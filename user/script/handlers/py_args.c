// SPDX-License-Identifier: GPL-2.0
#include "script/handlers/py_args.h"

#include <string.h>

#include "lib/array.h"
#include "script/handlers/py_sample_dict.h"

#define NSEC_PER_SEC 1000000000

/* A comm longer than this is converted for each call. */
#define TEXT_MAX 24

/* An argument that differs from call to call. */
struct variable {
	enum py_source source;
	size_t index;			/* of the argument in values */
	const struct field *field;
	const struct common_slot *common;
	uint64_t value;			/* of the argument, if an integer; or a comm's length */
	char text[TEXT_MAX];		/* of the argument, if it is a comm */
};

struct py_args {
	const struct py_args_event *event;
	PyObject **values;		/* owned; values[-1] is there for the callee to use */
	size_t nr, nr_positional;
	PyObject *kwnames;		/* borrowed; NULL: none */
	struct variable *variables;
	size_t nr_variables;
	uint64_t second_begins, second;	/* begin of the last sample's second, ns; its number */
};

/* The data for the arguments of one call. */
struct call {
	const struct session_record *r;
	struct py_args *args;
	uint32_t raw_size;		/* of the sample's raw data, without the trailer */
	PyObject *callchain;		/* borrowed from an earlier argument */
};

/* The dict of trace_unhandled() begins with these keys. */
static const struct {
	const char *key;
	enum py_source source;
} common_items[] = {
	{ "common_cpu", PY_CPU },
	{ "common_s", PY_SECS },
	{ "common_ns", PY_NSECS },
	{ "common_pid", PY_PID },
	{ "common_comm", PY_COMM },
	{ "common_callchain", PY_CALLCHAIN },
};

PyObject **py_args_keys(const struct event_format *format)
{
	size_t nr = ARRAY_SIZE(common_items), nr_common = format->nr_common;
	size_t nr_keys = nr + format->nr_fields - nr_common;
	PyObject **keys = calloc(nr_keys + 1, sizeof(*keys));

	if (!keys) {
		PyErr_NoMemory();
		return NULL;
	}
	for (size_t i = 0; i < nr_keys; i++) {
		const char *name = i < nr ? common_items[i].key :
				   format->fields[nr_common + i - nr].name;

		keys[i] = PyUnicode_InternFromString(name);
		if (!keys[i]) {
			py_args_keys_free(keys);
			return NULL;
		}
	}
	return keys;
}

void py_args_keys_free(PyObject **keys)
{
	for (PyObject **key = keys; key && *key; key++)
		Py_DECREF(*key);
	free(keys);
}

/* Divisions are slow, and most samples fall into the same second as the one before. */
static void split_time(struct py_args *args, uint64_t time)
{
	if (time - args->second_begins < NSEC_PER_SEC)
		return;
	args->second = time / NSEC_PER_SEC;
	args->second_begins = args->second * NSEC_PER_SEC;
}

static int64_t pid_of(const struct call *call)
{
	const struct field *pid = call->args->event->pid;

	return pid ? (int64_t)field_u64(pid, call->r->sample.raw, call->raw_size) :
		     call->r->sample.tid;
}

/* Steals @value. */
static int set_item(PyObject *dict, PyObject *key, PyObject *value)
{
	int result = value ? PyDict_SetItem(dict, key, value) : -1;

	Py_XDECREF(value);
	return result;
}

static PyObject *args_make_value(struct call *call, enum py_source source);

static PyObject *make_fields_dict(struct call *call)
{
	const struct event_format *format = call->args->event->format;
	PyObject **key = call->args->event->keys, *dict = PyDict_New();

	for (size_t i = 0; dict && i < ARRAY_SIZE(common_items); i++)
		if (set_item(dict, *key++, args_make_value(call, common_items[i].source)) < 0)
			Py_CLEAR(dict);
	for (size_t i = format->nr_common; dict && i < format->nr_fields; i++) {
		PyObject *value = py_field_value(&format->fields[i], call->r->sample.raw,
						 call->raw_size);

		if (set_item(dict, *key++, value) < 0)
			Py_CLEAR(dict);
	}
	return dict;
}

static PyObject *args_make_value(struct call *call, enum py_source source)
{
	const struct sample *s = &call->r->sample;

	switch (source) {
	case PY_CPU:
		return PyLong_FromLong(s->cpu);
	case PY_SECS:
		split_time(call->args, s->time);
		return PyLong_FromLong(call->args->second);
	case PY_NSECS:
		split_time(call->args, s->time);
		return PyLong_FromLong(s->time - call->args->second_begins);
	case PY_PID:
		return PyLong_FromLong(pid_of(call));
	case PY_COMM:
		return py_text(call->r->comm, strlen(call->r->comm));
	case PY_CALLCHAIN:
		call->callchain = py_callchain(call->r);
		return call->callchain;
	case PY_FIELDS_DICT:
		return make_fields_dict(call);
	case PY_SAMPLE_DICT:
		return py_sample_dict(call->r, call->callchain);
	case PY_CONSTANT:
	case PY_FIELD:
	case PY_COMMON_FIELD:
		break;
	}
	Py_UNREACHABLE();
}

static PyObject *args_common_field(const struct call *call, const struct common_slot *common)
{
	PyObject *value = py_common_field(call->r, common);

	return value || PyErr_Occurred() ? value : Py_NewRef(Py_None);
}

/* Steals @value.  If it is NULL, the old value is kept. */
static int replace(PyObject **place, PyObject *value)
{
	if (!value)
		return -1;
	Py_XSETREF(*place, value);
	return 0;
}

static int update_integer(struct variable *v, PyObject **place, uint64_t value, bool is_signed)
{
	if (*place && v->value == value)
		return 0;
	v->value = value;
	return replace(place, is_signed ? PyLong_FromLong((long)value) :
					  PyLong_FromUnsignedLong(value));
}

/* Only we have a reference to the object, so nobody notices when it or its contents change. */
static bool is_ours_alone(const PyObject *object)
{
	return object && Py_REFCNT(object) == 1;
}

static int update_field(const struct call *call, struct variable *v, PyObject **place)
{
	const struct sample *s = &call->r->sample;
	const void *bytes;
	size_t len;

	switch (v->field->kind) {
	case FIELD_INTEGER:
		return update_integer(v, place, field_u64(v->field, s->raw, call->raw_size),
				      v->field->is_signed);
	case FIELD_ARRAY:
	case FIELD_DYNAMIC_ARRAY:
	case FIELD_REL_ARRAY:
		bytes = field_bytes(v->field, s->raw, call->raw_size, &len);
		if (bytes && len && is_ours_alone(*place) &&
		    (size_t)PyByteArray_GET_SIZE(*place) == len) {
			memcpy(PyByteArray_AS_STRING(*place), bytes, len);
			return 0;
		}
		break;
	default:
		break;
	}
	return replace(place, py_field_value(v->field, s->raw, call->raw_size));
}

static int update_comm(const struct call *call, struct variable *v, PyObject **place)
{
	const char *comm = call->r->comm;
	size_t len = strlen(comm);

	if (*place && v->value == len && len <= sizeof(v->text) && !memcmp(v->text, comm, len))
		return 0;
	v->value = len;
	if (len <= sizeof(v->text))
		memcpy(v->text, comm, len);
	return replace(place, py_text(comm, len));
}

static int update(struct call *call, struct variable *v)
{
	PyObject **place = &call->args->values[v->index];
	const struct sample *s = &call->r->sample;

	switch (v->source) {
	case PY_CPU:
		return update_integer(v, place, s->cpu, true);
	case PY_SECS:
		split_time(call->args, s->time);
		return update_integer(v, place, call->args->second, true);
	case PY_PID:
		return update_integer(v, place, pid_of(call), true);
	case PY_FIELD:
		return update_field(call, v, place);
	case PY_COMM:
		return update_comm(call, v, place);
	case PY_COMMON_FIELD:
		return replace(place, args_common_field(call, v->common));
	case PY_CALLCHAIN:
		if (!s->callchain && is_ours_alone(*place) && !PyList_GET_SIZE(*place)) {
			call->callchain = *place;
			return 0;
		}
		return replace(place, args_make_value(call, v->source));
	default:
		return replace(place, args_make_value(call, v->source));
	}
}

struct py_args *py_args_create(const struct py_binding *binding,
			       const struct py_args_event *event)
{
	struct py_args *args = calloc(1, sizeof(*args));

	if (args) {
		args->event = event;
		args->nr = binding->nr;
		args->kwnames = binding->kwnames;
		args->nr_positional = binding->nr -
				      (binding->kwnames ? PyTuple_GET_SIZE(binding->kwnames) : 0);
		args->values = calloc(binding->nr + 1, sizeof(*args->values));
		args->variables = calloc(binding->nr + 1, sizeof(*args->variables));
	}
	if (!args || !args->values || !args->variables) {
		if (args) {
			free(args->values);
			free(args->variables);
		}
		free(args);
		PyErr_NoMemory();
		return NULL;
	}
	args->values++;
	for (size_t i = 0; i < binding->nr; i++) {
		const struct py_arg *arg = &binding->items[i];

		if (arg->source == PY_CONSTANT)
			args->values[i] = Py_NewRef(arg->constant);
		else
			args->variables[args->nr_variables++] = (struct variable){
				.source = arg->source, .index = i, .field = arg->field,
				.common = arg->common,
			};
	}
	return args;
}

void py_args_destroy(struct py_args *args)
{
	if (!args)
		return;
	for (size_t i = 0; i < args->nr; i++)
		Py_XDECREF(args->values[i]);
	free(args->values - 1);
	free(args->variables);
	free(args);
}

PyObject *py_args_call(struct py_args *args, PyObject *function, const struct session_record *r)
{
	struct call call = { .r = r, .args = args };

	if (args->nr_variables)
		call.raw_size = common_field_raw_size(r->event, &r->sample);
	for (size_t i = 0; i < args->nr_variables; i++)
		if (update(&call, &args->variables[i]) < 0)
			return NULL;
	/* Python stores the self of a bound method before the values. */
	return PyObject_Vectorcall(function, args->values,
				   args->nr_positional | PY_VECTORCALL_ARGUMENTS_OFFSET,
				   args->kwnames);
}

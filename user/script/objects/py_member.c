// SPDX-License-Identifier: GPL-2.0
#include "script/objects/py_object_state.h"

#include <string.h>

#include "lib/array.h"
#include "record/registers.h"
#include "session/cgroups.h"

PyObject *py_member_frames(const struct py_object *self)
{
	const struct session_record r = {
		.record = { .header = self->header, .event = self->kind->event,
			    .time = self->sample->time },
		.sample = *self->sample, .event = self->kind->event, .format = self->kind->format,
		.pid = self->sample->pid, .tid = self->sample->tid, .comm = self->comm,
		.machine = self->machine, .maps = self->maps,
	};

	return py_frames(&r, self->kinds->config.hide_kernel, self->kinds->config.hide_user,
			 self->kind->max_stack);
}

static PyObject *bytes_value(const void *bytes, size_t len)
{
	return PyBytes_FromStringAndSize(bytes, bytes ? len : 0);
}

/*
 * Return the same object as long as the value is the same, as for processes, CPUs,
 * descriptors.
 */
static PyObject *repeated(struct py_entry *entry, uint64_t value, bool is_signed)
{
	PyObject *object;

	if (entry->last && entry->last_value == value)
		return Py_NewRef(entry->last);
	object = is_signed ? PyLong_FromLong((long)value) : PyLong_FromUnsignedLong(value);
	if (object) {
		entry->last_value = value;
		Py_XSETREF(entry->last, Py_NewRef(object));
	}
	return object;
}

static PyObject *field_value(const struct py_object *self, struct py_entry *entry)
{
	const struct field *field = field_of_data(entry->field);
	const void *bytes;
	size_t len;

	switch (field->kind) {
	case FIELD_INTEGER:
		return repeated(entry, field_u64(field, self->sample->raw, self->raw_size),
				field->is_signed);
	case FIELD_ARRAY:
	case FIELD_DYNAMIC_ARRAY:
	case FIELD_REL_ARRAY:
		bytes = field_bytes(field, self->sample->raw, self->raw_size, &len);
		return bytes_value(bytes, len);
	default:
		return py_field_value(field, self->sample->raw, self->raw_size);
	}
}

static PyObject *realtime(const struct py_object *self)
{
	if (!self->kinds->config.has_wall_offset || !self->sample->time)
		Py_RETURN_NONE;
	return PyLong_FromLong(self->sample->time + self->kinds->config.wall_offset);
}

static PyObject *read_values(const struct py_object *self)
{
	struct sample_value values[64];
	uint64_t format = self->kind->event->attr.read_format, enabled, running;
	size_t nr = sample_values(self->kind->event, self->sample, values, ARRAY_SIZE(values),
				  &enabled, &running);
	PyObject *dict = PyDict_New(), *list = NULL;

	if (format & PERF_FORMAT_GROUP)
		list = PyList_New(0);
	for (size_t i = 0; dict && i < nr; i++) {
		PyObject *item = list ? PyDict_New() : Py_NewRef(dict);
		PyObject *value = py_number(values[i].value), *id = py_number(values[i].id);
		PyObject *lost = py_number(values[i].lost);

		if (!item || !value || !id || !lost ||
		    PyDict_SetItemString(item, "value", value) < 0 ||
		    (format & PERF_FORMAT_ID && PyDict_SetItemString(item, "id", id) < 0) ||
		    (format & PERF_FORMAT_LOST && PyDict_SetItemString(item, "lost", lost) < 0) ||
		    (list && PyList_Append(list, item) < 0))
			Py_CLEAR(dict);
		Py_XDECREF(item);
		Py_XDECREF(value);
		Py_XDECREF(id);
		Py_XDECREF(lost);
	}
	if (dict && list) {
		PyObject *count = PyLong_FromSize_t(nr);

		if (!count || PyDict_SetItemString(dict, "nr", count) < 0 ||
		    PyDict_SetItemString(dict, "cntr", list) < 0)
			Py_CLEAR(dict);
		Py_XDECREF(count);
	}
	Py_XDECREF(list);
	return dict;
}

static PyObject *registers(uint64_t abi, const uint64_t *values, uint64_t mask)
{
	PyObject *dict = Py_BuildValue("{sK}", "abi", (unsigned long long)abi);

	for (int bit = 0; dict && values && bit < 64; bit++) {
		PyObject *value;
		char name[16];

		if (!(mask >> bit & 1))
			continue;
		register_name(bit, name, sizeof(name));
		value = py_number(*values++);
		if (!value || PyDict_SetItemString(dict, name, value) < 0)
			Py_CLEAR(dict);
		Py_XDECREF(value);
	}
	return dict;
}

/* perf-prof's branch_stack: the number of entries, then the entries. */
static PyObject *branch_stack(const struct sample *s)
{
	size_t size = s->nr_branches * sizeof(struct perf_branch_entry);
	PyObject *bytes = PyBytes_FromStringAndSize(NULL, 8 + size);

	if (!bytes)
		return NULL;
	memcpy(PyBytes_AS_STRING(bytes), &s->nr_branches, 8);
	if (s->branch_stack)
		memcpy(PyBytes_AS_STRING(bytes) + 8, s->branch_stack, size);
	return bytes;
}

static PyObject *common_field_value(const struct py_object *self,
				    const struct common_slot *common)
{
	const struct session_record r = { .event = self->kind->event, .sample = *self->sample };
	PyObject *value = py_common_field(&r, common);

	return value || PyErr_Occurred() ? value : Py_NewRef(Py_None);
}

static PyObject *cgroup_path(const struct py_object *self)
{
	const char *path = NULL;

	if (self->machine)
		path = machine_cgroup(self->machine,
				      sample_cgroup(self->kind->event, self->sample));
	return path ? py_text(path, strlen(path)) : Py_NewRef(Py_None);
}

PyObject *py_member_value(const struct py_object *self, struct py_entry *entry)
{
	const struct perf_event_attr *attr = &self->kind->event->attr;
	const struct sample *s = self->sample;

	switch (entry->member) {
	case MEMBER_FIELD:
		return field_value(self, entry);
	case MEMBER_COMMON_FIELD:
		return common_field_value(self, entry->common);
	case MEMBER_PID:
		return repeated(entry, s->pid, true);
	case MEMBER_TID:
		return repeated(entry, s->tid, true);
	case MEMBER_TIME:
		return py_number(s->time);
	case MEMBER_CPU:
		return repeated(entry, s->cpu, true);
	case MEMBER_PERIOD:
		return repeated(entry, s->period, false);
	case MEMBER_REALTIME:
		return realtime(self);
	case MEMBER_CALLCHAIN:
		return py_member_frames(self);
	case MEMBER_EVENT:
		return Py_NewRef(self->kind->name);
	case MEMBER_COMM:
		return py_text(self->comm, strlen(self->comm));
	case MEMBER_ORIGIN:
		return self->origin ? py_text(self->origin, strlen(self->origin)) :
				      Py_NewRef(Py_None);
	case MEMBER_CGROUP_PATH:
		return cgroup_path(self);
	case MEMBER_IDENTIFIER:
	case MEMBER_ID:
		return py_number(s->id);
	case MEMBER_IP:
		return py_number(s->ip);
	case MEMBER_ADDR:
		return py_number(s->addr);
	case MEMBER_STREAM_ID:
		return py_number(s->stream_id);
	case MEMBER_READ:
		return read_values(self);
	case MEMBER_RAW:
		return bytes_value(s->raw, s->raw_size);
	case MEMBER_BRANCH_STACK:
		return branch_stack(s);
	case MEMBER_REGS_USER:
		return registers(s->user_abi, s->user_regs, attr->sample_regs_user);
	case MEMBER_REGS_INTR:
		return registers(s->intr_abi, s->intr_regs, attr->sample_regs_intr);
	case MEMBER_STACK_USER:
		return bytes_value(s->user_stack, s->user_stack_size);
	case MEMBER_WEIGHT:
		return py_number(s->weight);
	case MEMBER_DATA_SRC:
		return py_number(s->data_src);
	case MEMBER_TRANSACTION:
		return py_number(s->transaction);
	case MEMBER_PHYS_ADDR:
		return py_number(s->phys_addr);
	case MEMBER_CGROUP:
		return py_number(s->cgroup);
	case MEMBER_DATA_PAGE_SIZE:
		return py_number(s->data_page_size);
	case MEMBER_CODE_PAGE_SIZE:
		return py_number(s->code_page_size);
	}
	Py_UNREACHABLE();
}

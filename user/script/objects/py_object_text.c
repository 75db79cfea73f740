// SPDX-License-Identifier: GPL-2.0
#include "script/objects/py_object_state.h"

#include <string.h>
#include <time.h>

#include "lib/strbuf.h"

#define NSEC_PER_SEC 1000000000

static void add_flags_text(const struct field_name *names, size_t nr, uint64_t value,
			   const char *delimiter, struct strbuf *text)
{
	for (size_t i = 0; i < nr; i++) {
		uint64_t bits = names[i].value;

		if (bits ? (value & bits) != bits : value != 0)
			continue;
		strbuf_addf(text, "%s%s", text->len ? delimiter : "", names[i].name);
		value &= ~bits;
		if (!bits)
			return;
	}
	if (value)
		strbuf_addf(text, "%s%#llx", text->len ? delimiter : "", (unsigned long long)value);
}

PyObject *py_object_text(PyObject *self, PyObject *name)
{
	const struct py_object *object = (struct py_object *)self;
	_cleanup_(strbuf) struct strbuf text = STRBUF_INIT;
	struct py_entry *entry;
	const struct field *field;
	PyObject *value, *result;
	uint64_t number;

	if (!PyUnicode_Check(name))
		return PyErr_Format(PyExc_TypeError, "text() takes the name of a field");
	entry = py_kind_entry(object->kind, name);
	if (!entry)
		return PyErr_Occurred() ? NULL : py_object_missing(name);
	field = entry->member == MEMBER_FIELD ? entry->field : NULL;
	if (!field || !(field->is_flags || field->is_symbolic)) {
		value = py_member_value(object, entry);
		result = value ? PyObject_Str(value) : NULL;
		Py_XDECREF(value);
		return result;
	}
	number = field_u64(field, object->sample->raw, object->raw_size);
	if (field->is_flags) {
		add_flags_text(field->names, field->nr_names, number,
			       field->flag_delimiter ? field->flag_delimiter : "|", &text);
	} else {
		for (size_t i = 0; i < field->nr_names && !text.len; i++)
			if (field->names[i].value == number)
				strbuf_addstr(&text, field->names[i].name);
		if (!text.len)
			strbuf_addf(&text, "%llu", (unsigned long long)number);
	}
	return PyUnicode_FromString(strbuf_str(&text));
}

static void add_event_text(const struct py_object *self, struct strbuf *text)
{
	if (self->kind->format)
		event_format_print(self->kind->format, self->sample->raw, self->raw_size,
				   self->sample->cpu, text);
	else
		strbuf_addf(text, "%llu %llx", (unsigned long long)self->sample->period,
			    (unsigned long long)self->sample->ip);
}

PyObject *py_object_format(PyObject *self, PyObject *unused)
{
	_cleanup_(strbuf) struct strbuf text = STRBUF_INIT;

	add_event_text((struct py_object *)self, &text);
	return PyUnicode_DecodeUTF8(strbuf_str(&text), text.len, "surrogateescape");
}

static unsigned int common_number(const struct py_object *self, const char *name)
{
	const struct field *field = self->kind->format ?
				    event_format_field(self->kind->format, name) : NULL;

	return field ? field_u64(field, self->sample->raw, self->raw_size) : 0;
}

/* Flags as ftrace shows them: irqs off, resched, the context, and the preempt depth. */
static void add_latency_flags(const struct py_object *self, struct strbuf *text)
{
	unsigned int flags = common_number(self, "common_flags");
	unsigned int depth = common_number(self, "common_preempt_count") & 15;
	bool hard = flags & 8, soft = flags & 16;

	strbuf_addch(text, flags & 1 ? 'd' : flags & 2 ? 'X' : '.');
	strbuf_addch(text, flags & 4 ? 'N' : flags & 32 ? 'p' : '.');
	strbuf_addch(text, hard && soft ? 'H' : hard ? 'h' : soft ? 's' : '.');
	if (depth)
		strbuf_addf(text, "%x", depth);
	else
		strbuf_addch(text, '.');
}

static void add_wall_time(const struct py_object *self, struct strbuf *text)
{
	int64_t wall = self->sample->time + self->kinds->config.wall_offset;
	time_t seconds = wall / NSEC_PER_SEC;
	char buffer[32];
	struct tm tm;

	if (!self->kinds->config.has_wall_offset || !localtime_r(&seconds, &tm))
		return;
	strftime(buffer, sizeof(buffer), "%Y-%m-%d %H:%M:%S", &tm);
	strbuf_addf(text, "%s.%06d ", buffer, (int)(wall % NSEC_PER_SEC / 1000));
}

static int add_frames(const struct py_object *self, struct strbuf *text)
{
	PyObject *list = py_member_frames(self);

	for (Py_ssize_t i = 0; list && i < PyList_GET_SIZE(list); i++) {
		PyObject *frame = PyList_GET_ITEM(list, i);
		PyObject *symbol = PyDict_GetItemString(frame, "symbol");
		PyObject *dso = PyDict_GetItemString(frame, "dso");

		strbuf_addf(text, "    %16llx %s",
			    PyLong_AsUnsignedLongLong(PyDict_GetItemString(frame, "addr")),
			    PyUnicode_AsUTF8(symbol));
		if (PyUnicode_CompareWithASCIIString(symbol, "Unknown"))
			strbuf_addf(text, "+%#llx",
				    PyLong_AsUnsignedLongLong(PyDict_GetItemString(frame, "offset")));
		strbuf_addf(text, " (%s)\n", PyUnicode_AsUTF8(dso));
	}
	Py_XDECREF(list);
	return list && !PyErr_Occurred() ? 0 : -1;
}

PyObject *py_object_print(PyObject *self, PyObject *args, PyObject *keywords)
{
	static char *names[] = { "timestamp", "callchain", NULL };
	const struct py_object *object = (struct py_object *)self;
	_cleanup_(strbuf) struct strbuf text = STRBUF_INIT;
	int timestamp = true, callchain = true;
	PyObject *line, *out, *done;
	char name[128];

	if (!PyArg_ParseTupleAndKeywords(args, keywords, "|pp:print", names, &timestamp, &callchain))
		return NULL;
	if (timestamp)
		add_wall_time(object, &text);
	strbuf_addf(&text, "%16s %6d ", object->comm, object->sample->tid);
	add_latency_flags(object, &text);
	snprintf(name, sizeof(name), "%s", PyUnicode_AsUTF8(object->kind->name));
	strbuf_addf(&text, " [%03d] %llu.%06llu: %s: ", object->sample->cpu,
		    (unsigned long long)object->sample->time / NSEC_PER_SEC,
		    (unsigned long long)object->sample->time % NSEC_PER_SEC / 1000, name);
	add_event_text(object, &text);
	strbuf_addch(&text, '\n');
	if (callchain && add_frames(object, &text) < 0)
		return NULL;
	if (text.failed)
		return PyErr_NoMemory();
	/* Write to sys.stdout, so that the text is in order with the script's own output. */
	line = PyUnicode_DecodeUTF8(text.data, text.len, "surrogateescape");
	out = PySys_GetObject("stdout");
	done = line && out ? PyObject_CallMethod(out, "write", "O", line) : NULL;
	Py_XDECREF(line);
	if (!done)
		return NULL;
	Py_DECREF(done);
	Py_RETURN_NONE;
}

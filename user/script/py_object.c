// SPDX-License-Identifier: GPL-2.0
#include "script/py_object.h"

#include <string.h>
#include <time.h>

#include "lib/array.h"
#include "lib/hash.h"
#include "lib/strbuf.h"
#include "script/registers.h"

#define NSEC_PER_SEC 1000000000

/* What a name of an event can stand for. */
enum member {
	MEMBER_PID, MEMBER_TID, MEMBER_TIME, MEMBER_CPU, MEMBER_PERIOD, MEMBER_REALTIME,
	MEMBER_CALLCHAIN, MEMBER_EVENT, MEMBER_COMM,
	MEMBER_FIELD,		/* of the format */
	MEMBER_COMMON_FIELD,	/* of the device's trailer */
	/* Members of samples that are no tracepoints, by their sample_type. */
	MEMBER_IDENTIFIER, MEMBER_IP, MEMBER_ADDR, MEMBER_ID, MEMBER_STREAM_ID, MEMBER_READ,
	MEMBER_RAW, MEMBER_BRANCH_STACK, MEMBER_REGS_USER, MEMBER_STACK_USER, MEMBER_WEIGHT,
	MEMBER_DATA_SRC, MEMBER_TRANSACTION, MEMBER_REGS_INTR, MEMBER_PHYS_ADDR, MEMBER_CGROUP,
	MEMBER_DATA_PAGE_SIZE, MEMBER_CODE_PAGE_SIZE,
};

struct entry {
	PyObject *name;		/* interned; owned */
	enum member member;
	const struct field *field;
	enum common_field common;
	bool listed;		/* by keys() */
};

/* What all samples of one event share. */
struct kind {
	const struct event *event;
	const struct event_format *format;
	PyObject *name;
	struct entry *items;
	size_t nr, alloc, nr_listed;
	PyObject *numbers;	/* dict: name -> number of its entry */
	struct entry **slots;	/* by the address of the interned name; NULL: free */
	size_t mask;
};

struct kinds {
	PyObject_HEAD
	PyObject *owner;
	struct py_kinds_config config;
	struct kind **items;	/* by event->index */
	size_t nr, alloc;
};

struct object {
	PyObject_HEAD
	struct kinds *kinds;
	const struct kind *kind;
	struct perf_event_header *copy;	/* room for a record of its own; NULL: none yet */
	size_t copy_alloc;
	const struct perf_event_header *header;
	struct sample sample;
	uint32_t raw_size;		/* without the trailer */
	struct machine *machine;	/* names the frames of its call chain; NULL: nobody does */
	const struct maps *maps;
	bool keeps_maps;
	char comm[32];
};

static PyTypeObject object_type, kinds_type;
static PyObject *missing_error;		/* both KeyError and AttributeError */

/* Objects that wait to be used again, with the room they have. */
#define MAX_SPARES 8
static struct object *spares[MAX_SPARES];
static size_t nr_spares;

/* ---- kinds --------------------------------------------------------------- */

static const struct {
	const char *name;
	enum member member;
} tracepoint_heads[] = {
	{ "_pid", MEMBER_PID }, { "_tid", MEMBER_TID }, { "_time", MEMBER_TIME },
	{ "_cpu", MEMBER_CPU }, { "_period", MEMBER_PERIOD },
}, other_heads[] = {
	{ "_pid", MEMBER_PID }, { "_tid", MEMBER_TID }, { "_time", MEMBER_TIME },
	{ "_cpu", MEMBER_CPU }, { "_realtime", MEMBER_REALTIME }, { "_event", MEMBER_EVENT },
}, derived[] = {
	{ "_realtime", MEMBER_REALTIME }, { "_callchain", MEMBER_CALLCHAIN },
	{ "_event", MEMBER_EVENT },
};

/* Members by the bit of sample_type, in the order of its bits in a record. */
static const struct {
	uint64_t bit;
	const char *name;
	enum member member;
} sampled[] = {
	{ PERF_SAMPLE_IDENTIFIER, "identifier", MEMBER_IDENTIFIER },
	{ PERF_SAMPLE_IP, "ip", MEMBER_IP },
	{ PERF_SAMPLE_TID, "pid", MEMBER_PID },
	{ PERF_SAMPLE_TID, "tid", MEMBER_TID },
	{ PERF_SAMPLE_TIME, "time", MEMBER_TIME },
	{ PERF_SAMPLE_ADDR, "addr", MEMBER_ADDR },
	{ PERF_SAMPLE_ID, "id", MEMBER_ID },
	{ PERF_SAMPLE_STREAM_ID, "stream_id", MEMBER_STREAM_ID },
	{ PERF_SAMPLE_CPU, "cpu", MEMBER_CPU },
	{ PERF_SAMPLE_PERIOD, "period", MEMBER_PERIOD },
	{ PERF_SAMPLE_READ, "read", MEMBER_READ },
	{ PERF_SAMPLE_CALLCHAIN, "callchain", MEMBER_CALLCHAIN },
	{ PERF_SAMPLE_RAW, "raw", MEMBER_RAW },
	{ PERF_SAMPLE_BRANCH_STACK, "branch_stack", MEMBER_BRANCH_STACK },
	{ PERF_SAMPLE_REGS_USER, "regs_user", MEMBER_REGS_USER },
	{ PERF_SAMPLE_STACK_USER, "stack_user", MEMBER_STACK_USER },
	{ PERF_SAMPLE_WEIGHT | PERF_SAMPLE_WEIGHT_STRUCT, "weight", MEMBER_WEIGHT },
	{ PERF_SAMPLE_DATA_SRC, "data_src", MEMBER_DATA_SRC },
	{ PERF_SAMPLE_TRANSACTION, "transaction", MEMBER_TRANSACTION },
	{ PERF_SAMPLE_REGS_INTR, "regs_intr", MEMBER_REGS_INTR },
	{ PERF_SAMPLE_PHYS_ADDR, "phys_addr", MEMBER_PHYS_ADDR },
	{ PERF_SAMPLE_CGROUP, "cgroup", MEMBER_CGROUP },
	{ PERF_SAMPLE_DATA_PAGE_SIZE, "data_page_size", MEMBER_DATA_PAGE_SIZE },
	{ PERF_SAMPLE_CODE_PAGE_SIZE, "code_page_size", MEMBER_CODE_PAGE_SIZE },
};

static void kind_destroy(struct kind *kind)
{
	if (!kind)
		return;
	for (size_t i = 0; i < kind->nr; i++)
		Py_XDECREF(kind->items[i].name);
	Py_XDECREF(kind->name);
	Py_XDECREF(kind->numbers);
	free(kind->items);
	free(kind->slots);
	free(kind);
}

static int add_entry(struct kind *kind, const char *name, struct entry entry, bool listed)
{
	entry.name = PyUnicode_InternFromString(name);
	entry.listed = listed;
	if (!entry.name)
		return -1;
	if (!array_push(kind, entry)) {
		Py_DECREF(entry.name);
		PyErr_NoMemory();
		return -1;
	}
	kind->nr_listed += listed;
	return 0;
}

static int add_member(struct kind *kind, const char *name, enum member member, bool listed)
{
	return add_entry(kind, name, (struct entry){ .member = member }, listed);
}

static int add_fields(struct kind *kind, size_t from, size_t to)
{
	for (size_t i = from; i < to; i++) {
		const struct field *field = &kind->format->fields[i];

		if (add_entry(kind, field->name,
			      (struct entry){ .member = MEMBER_FIELD, .field = field }, true) < 0)
			return -1;
	}
	return 0;
}

static int add_tracepoint(struct kind *kind)
{
	int result = 0;

	for (size_t i = 0; result == 0 && i < ARRAY_SIZE(tracepoint_heads); i++)
		result = add_member(kind, tracepoint_heads[i].name,
				    tracepoint_heads[i].member, true);
	if (result == 0)
		result = add_fields(kind, 0, kind->format->nr_common);
	for (size_t i = 0; result == 0 && i < ARRAY_SIZE(derived); i++)
		result = add_member(kind, derived[i].name, derived[i].member, true);
	if (result == 0)
		result = add_fields(kind, kind->format->nr_common, kind->format->nr_fields);
	for (int i = 0; result == 0 && i < COMMON_FIELD_NR; i++) {
		char name[32];

		if (!(kind->event->common_fields >> i & 1))
			continue;
		snprintf(name, sizeof(name), "common_%s", common_field_name(i));
		result = add_entry(kind, name, (struct entry){ .member = MEMBER_COMMON_FIELD,
							       .common = i }, true);
	}
	return result;
}

static int add_other(struct kind *kind)
{
	uint64_t type = kind->event->attr.sample_type;
	int result = 0;

	for (size_t i = 0; result == 0 && i < ARRAY_SIZE(other_heads); i++)
		result = add_member(kind, other_heads[i].name, other_heads[i].member, true);
	for (size_t i = 0; result == 0 && i < ARRAY_SIZE(sampled); i++)
		if (type & sampled[i].bit)
			result = add_member(kind, sampled[i].name, sampled[i].member, true);
	if (result == 0)
		result = add_member(kind, "_period", MEMBER_PERIOD, false);
	return result == 0 ? add_member(kind, "_callchain", MEMBER_CALLCHAIN, false) : result;
}

static size_t slot_of(const struct kind *kind, PyObject *name)
{
	return ((uintptr_t)name >> 4) * 0x9e3779b97f4a7c15ull >> 40 & kind->mask;
}

static int index_entries(struct kind *kind)
{
	kind->numbers = PyDict_New();
	for (kind->mask = 15; kind->mask < kind->nr * 4; kind->mask = kind->mask * 2 + 1)
		;
	kind->slots = calloc(kind->mask + 1, sizeof(*kind->slots));
	if (!kind->numbers || !kind->slots)
		return -1;
	for (size_t i = 0; i < kind->nr; i++) {
		PyObject *number = PyLong_FromSize_t(i), *name = kind->items[i].name;
		int there = number ? PyDict_Contains(kind->numbers, name) : -1;
		size_t slot = slot_of(kind, name);

		/* Of equal names the first one counts. */
		if (there == 0)
			there = PyDict_SetItem(kind->numbers, name, number);
		Py_XDECREF(number);
		if (there < 0)
			return -1;
		while (kind->slots[slot] && kind->slots[slot]->name != name)
			slot = (slot + 1) & kind->mask;
		if (!kind->slots[slot])
			kind->slots[slot] = &kind->items[i];
	}
	return 0;
}

static struct kind *kind_create(const struct kinds *kinds, const struct event *event,
				const struct event_format *format)
{
	struct kind *kind = calloc(1, sizeof(*kind));
	const char *alias = NULL;
	int result;

	if (!kind) {
		PyErr_NoMemory();
		return NULL;
	}
	kind->event = event;
	kind->format = format;
	if (kinds->config.alias)
		alias = kinds->config.alias(kinds->config.data, event);
	kind->name = PyUnicode_InternFromString(alias ? alias : event->name);
	result = kind->name ? 0 : -1;
	if (result == 0)
		result = format ? add_tracepoint(kind) : add_other(kind);
	/* Reachable, but not among the keys: scripts count on how many there are. */
	if (result == 0)
		result = add_member(kind, "_comm", MEMBER_COMM, false);
	if (result == 0)
		result = index_entries(kind);
	if (result < 0) {
		if (!PyErr_Occurred())
			PyErr_NoMemory();
		kind_destroy(kind);
		return NULL;
	}
	return kind;
}

static const struct kind *find_kind(struct kinds *kinds, const struct session_record *r)
{
	size_t index = r->event->index;

	while (kinds->nr <= index) {
		if (!array_push(kinds, NULL)) {
			PyErr_NoMemory();
			return NULL;
		}
	}
	if (!kinds->items[index])
		kinds->items[index] = kind_create(kinds, r->event, r->format);
	return kinds->items[index];
}

static void kinds_dealloc(PyObject *self)
{
	struct kinds *kinds = (struct kinds *)self;

	for (size_t i = 0; i < kinds->nr; i++)
		kind_destroy(kinds->items[i]);
	free(kinds->items);
	Py_XDECREF(kinds->owner);
	Py_TYPE(self)->tp_free(self);
}

static PyTypeObject kinds_type = {
	PyVarObject_HEAD_INIT(NULL, 0)
	.tp_name = "ktrace.Kinds",
	.tp_basicsize = sizeof(struct kinds),
	.tp_dealloc = kinds_dealloc,
	.tp_flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_DISALLOW_INSTANTIATION,
	.tp_doc = "What the events of a recording are called.",
};

PyObject *py_kinds_new(const struct py_kinds_config *config, PyObject *owner)
{
	struct kinds *kinds = (struct kinds *)kinds_type.tp_alloc(&kinds_type, 0);

	if (!kinds)
		return NULL;
	kinds->owner = Py_XNewRef(owner);
	if (config)
		kinds->config = *config;
	return (PyObject *)kinds;
}

/* ---- values -------------------------------------------------------------- */

static PyObject *frames(const struct object *self)
{
	const struct session_record r = {
		.record = { .header = self->header, .event = self->kind->event,
			    .time = self->sample.time },
		.sample = self->sample, .event = self->kind->event, .format = self->kind->format,
		.pid = self->sample.pid, .tid = self->sample.tid, .comm = self->comm,
		.machine = self->machine, .maps = self->maps,
	};

	return py_frames(&r, self->kinds->config.hide_kernel, self->kinds->config.hide_user);
}

static PyObject *u64(uint64_t value)
{
	return PyLong_FromUnsignedLong(value);
}

static PyObject *bytes_value(const void *bytes, size_t len)
{
	return PyBytes_FromStringAndSize(bytes, bytes ? len : 0);
}

static PyObject *field_value(const struct object *self, const struct field *field)
{
	const void *bytes;
	size_t len;

	switch (field->kind) {
	case FIELD_ARRAY:
	case FIELD_DYNAMIC_ARRAY:
	case FIELD_REL_ARRAY:
		bytes = field_bytes(field, self->sample.raw, self->raw_size, &len);
		return bytes_value(bytes, len);
	default:
		return py_field_value(field, self->sample.raw, self->raw_size);
	}
}

static PyObject *realtime(const struct object *self)
{
	if (!self->kinds->config.has_wall_offset || !self->sample.time)
		Py_RETURN_NONE;
	return PyLong_FromLong(self->sample.time + self->kinds->config.wall_offset);
}

static PyObject *read_values(const struct object *self)
{
	struct sample_value values[64];
	uint64_t format = self->kind->event->attr.read_format, enabled, running;
	size_t nr = sample_values(self->kind->event, &self->sample, values, ARRAY_SIZE(values),
				  &enabled, &running);
	PyObject *dict = PyDict_New(), *list = NULL;

	if (format & PERF_FORMAT_GROUP)
		list = PyList_New(0);
	for (size_t i = 0; dict && i < nr; i++) {
		PyObject *item = list ? PyDict_New() : Py_NewRef(dict);
		PyObject *value = u64(values[i].value), *id = u64(values[i].id);
		PyObject *lost = u64(values[i].lost);

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
		value = u64(*values++);
		if (!value || PyDict_SetItemString(dict, name, value) < 0)
			Py_CLEAR(dict);
		Py_XDECREF(value);
	}
	return dict;
}

/* What perf-prof calls branch_stack: the count and the entries. */
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

static PyObject *common_field_value(const struct object *self, enum common_field common)
{
	const struct session_record r = { .event = self->kind->event, .sample = self->sample };
	PyObject *value = py_common_field(&r, common);

	return value || PyErr_Occurred() ? value : Py_NewRef(Py_None);
}

static PyObject *member_value(const struct object *self, const struct entry *entry)
{
	const struct perf_event_attr *attr = &self->kind->event->attr;
	const struct sample *s = &self->sample;

	switch (entry->member) {
	case MEMBER_FIELD:
		return field_value(self, entry->field);
	case MEMBER_COMMON_FIELD:
		return common_field_value(self, entry->common);
	case MEMBER_PID:
		return PyLong_FromLong(s->pid);
	case MEMBER_TID:
		return PyLong_FromLong(s->tid);
	case MEMBER_TIME:
		return u64(s->time);
	case MEMBER_CPU:
		return PyLong_FromLong(s->cpu);
	case MEMBER_PERIOD:
		return u64(s->period);
	case MEMBER_REALTIME:
		return realtime(self);
	case MEMBER_CALLCHAIN:
		return frames(self);
	case MEMBER_EVENT:
		return Py_NewRef(self->kind->name);
	case MEMBER_COMM:
		return py_text(self->comm, strlen(self->comm));
	case MEMBER_IDENTIFIER:
	case MEMBER_ID:
		return u64(s->id);
	case MEMBER_IP:
		return u64(s->ip);
	case MEMBER_ADDR:
		return u64(s->addr);
	case MEMBER_STREAM_ID:
		return u64(s->stream_id);
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
		return u64(s->weight);
	case MEMBER_DATA_SRC:
		return u64(s->data_src);
	case MEMBER_TRANSACTION:
		return u64(s->transaction);
	case MEMBER_PHYS_ADDR:
		return u64(s->phys_addr);
	case MEMBER_CGROUP:
		return u64(s->cgroup);
	case MEMBER_DATA_PAGE_SIZE:
		return u64(s->data_page_size);
	case MEMBER_CODE_PAGE_SIZE:
		return u64(s->code_page_size);
	}
	Py_UNREACHABLE();
}

/* NULL without an exception: there is none of that name. */
static const struct entry *find_entry(const struct kind *kind, PyObject *name)
{
	PyObject *number;

	for (size_t slot = slot_of(kind, name); kind->slots[slot];
	     slot = (slot + 1) & kind->mask)
		if (kind->slots[slot]->name == name)
			return kind->slots[slot];
	number = PyDict_GetItemWithError(kind->numbers, name);
	return number ? &kind->items[PyLong_AsSsize_t(number)] : NULL;
}

/* ---- the type ------------------------------------------------------------ */

static PyObject *object_getattro(PyObject *self, PyObject *name)
{
	struct object *object = (struct object *)self;
	const struct entry *entry = find_entry(object->kind, name);
	PyObject *value;

	if (entry)
		return member_value(object, entry);
	if (PyErr_Occurred())
		return NULL;
	value = PyObject_GenericGetAttr(self, name);
	if (!value && PyErr_ExceptionMatches(PyExc_AttributeError))
		PyErr_Format(missing_error, "'PerfEvent' object has no attribute '%U'", name);
	return value;
}

static PyObject *object_subscript(PyObject *self, PyObject *name)
{
	struct object *object = (struct object *)self;
	const struct entry *entry;

	if (!PyUnicode_Check(name))
		return PyErr_Format(PyExc_TypeError, "the index of a PerfEvent is the name of a "
				    "field, not %s", Py_TYPE(name)->tp_name);
	entry = find_entry(object->kind, name);
	if (entry)
		return member_value(object, entry);
	if (!PyErr_Occurred())
		PyErr_Format(missing_error, "'PerfEvent' object has no attribute '%U'", name);
	return NULL;
}

static Py_ssize_t object_length(PyObject *self)
{
	return ((struct object *)self)->kind->nr_listed;
}

static int object_contains(PyObject *self, PyObject *name)
{
	if (!PyUnicode_Check(name))
		return 0;
	if (find_entry(((struct object *)self)->kind, name))
		return 1;
	return PyErr_Occurred() ? -1 : 0;
}

enum part { PART_KEY, PART_VALUE, PART_PAIR };

static PyObject *make_part(const struct object *self, const struct entry *entry, enum part part)
{
	PyObject *value;

	if (part == PART_KEY)
		return Py_NewRef(entry->name);
	value = member_value(self, entry);
	if (!value || part == PART_VALUE)
		return value;
	return Py_BuildValue("(ON)", entry->name, value);
}

static PyObject *make_list(PyObject *self, enum part part)
{
	const struct object *object = (struct object *)self;
	PyObject *list = PyList_New(0);

	for (size_t i = 0; list && i < object->kind->nr; i++) {
		PyObject *item;

		if (!object->kind->items[i].listed)
			continue;
		item = make_part(object, &object->kind->items[i], part);
		if (!item || PyList_Append(list, item) < 0)
			Py_CLEAR(list);
		Py_XDECREF(item);
	}
	return list;
}

static PyObject *object_keys(PyObject *self, PyObject *unused)
{
	return make_list(self, PART_KEY);
}

static PyObject *object_values(PyObject *self, PyObject *unused)
{
	return make_list(self, PART_VALUE);
}

static PyObject *object_items(PyObject *self, PyObject *unused)
{
	return make_list(self, PART_PAIR);
}

static PyObject *object_iter(PyObject *self)
{
	PyObject *list = make_list(self, PART_PAIR);
	PyObject *iterator = list ? PyObject_GetIter(list) : NULL;

	Py_XDECREF(list);
	return iterator;
}

static PyObject *object_to_dict(PyObject *self, PyObject *unused)
{
	PyObject *pairs = make_list(self, PART_PAIR), *dict = PyDict_New();

	if (pairs && dict && PyDict_MergeFromSeq2(dict, pairs, 1) < 0)
		Py_CLEAR(dict);
	if (!pairs)
		Py_CLEAR(dict);
	Py_XDECREF(pairs);
	return dict;
}

static PyObject *object_str(PyObject *self)
{
	PyObject *dict = object_to_dict(self, NULL);
	PyObject *text = dict ? PyObject_Str(dict) : NULL;

	Py_XDECREF(dict);
	return text;
}

static PyObject *object_repr(PyObject *self)
{
	const struct object *object = (struct object *)self;

	return PyUnicode_FromFormat("<PerfEvent %U cpu=%d pid=%d time=%llu>", object->kind->name,
				    object->sample.cpu, object->sample.pid,
				    (unsigned long long)object->sample.time);
}

/* Of the whole record: equal records are equal. */
static Py_hash_t object_hash(PyObject *self)
{
	const struct object *object = (struct object *)self;
	uint64_t hash = hash_bytes(HASH_INIT, object->header, object->header->size);

	return (Py_hash_t)hash == -1 ? -2 : (Py_hash_t)hash;
}

static PyObject *object_compare(PyObject *self, PyObject *other, int op)
{
	const struct object *a = (struct object *)self, *b = (struct object *)other;
	bool equal;

	if ((op != Py_EQ && op != Py_NE) || !Py_IS_TYPE(other, &object_type))
		Py_RETURN_NOTIMPLEMENTED;
	/* Kinds are made for each pass over a file. */
	equal = a->header->size == b->header->size &&
		!memcmp(a->header, b->header, a->header->size) &&
		!PyUnicode_Compare(a->kind->name, b->kind->name);
	return PyBool_FromLong(equal == (op == Py_EQ));
}

static PyObject *object_get(PyObject *self, PyObject *args, PyObject *keywords)
{
	static char *names[] = { "field", "default", NULL };
	const struct object *object = (struct object *)self;
	PyObject *name, *otherwise = Py_None;
	const struct entry *entry;

	if (!PyArg_ParseTupleAndKeywords(args, keywords, "U|O:get", names, &name, &otherwise))
		return NULL;
	entry = find_entry(object->kind, name);
	if (entry)
		return member_value(object, entry);
	return PyErr_Occurred() ? NULL : Py_NewRef(otherwise);
}

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

static PyObject *object_text(PyObject *self, PyObject *name)
{
	const struct object *object = (struct object *)self;
	_cleanup_(strbuf) struct strbuf text = STRBUF_INIT;
	const struct entry *entry;
	const struct field *field;
	PyObject *value, *result;
	uint64_t number;

	if (!PyUnicode_Check(name))
		return PyErr_Format(PyExc_TypeError, "text() takes the name of a field");
	entry = find_entry(object->kind, name);
	if (!entry)
		return PyErr_Occurred() ? NULL : object_subscript(self, name);
	field = entry->member == MEMBER_FIELD ? entry->field : NULL;
	if (!field || !(field->is_flags || field->is_symbolic)) {
		value = member_value(object, entry);
		result = value ? PyObject_Str(value) : NULL;
		Py_XDECREF(value);
		return result;
	}
	number = field_u64(field, object->sample.raw, object->raw_size);
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

static void add_format(const struct object *self, struct strbuf *text)
{
	if (self->kind->format)
		event_format_print(self->kind->format, self->sample.raw, self->raw_size,
				   self->sample.cpu, text);
	else
		strbuf_addf(text, "%llu %llx", (unsigned long long)self->sample.period,
			    (unsigned long long)self->sample.ip);
}

static PyObject *object_format(PyObject *self, PyObject *unused)
{
	_cleanup_(strbuf) struct strbuf text = STRBUF_INIT;

	add_format((struct object *)self, &text);
	return PyUnicode_DecodeUTF8(strbuf_str(&text), text.len, "surrogateescape");
}

static unsigned int common_number(const struct object *self, const char *name)
{
	const struct field *field = self->kind->format ?
				    event_format_field(self->kind->format, name) : NULL;

	return field ? field_u64(field, self->sample.raw, self->raw_size) : 0;
}

/* irqs off, resched, the context, and the preempt depth, as ftrace shows them. */
static void add_latency_flags(const struct object *self, struct strbuf *text)
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

static void add_wall_time(const struct object *self, struct strbuf *text)
{
	int64_t wall = self->sample.time + self->kinds->config.wall_offset;
	time_t seconds = wall / NSEC_PER_SEC;
	char buffer[32];
	struct tm tm;

	if (!self->kinds->config.has_wall_offset || !localtime_r(&seconds, &tm))
		return;
	strftime(buffer, sizeof(buffer), "%Y-%m-%d %H:%M:%S", &tm);
	strbuf_addf(text, "%s.%06d ", buffer, (int)(wall % NSEC_PER_SEC / 1000));
}

static int add_frames(const struct object *self, struct strbuf *text)
{
	PyObject *list = frames(self);

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

static PyObject *object_print(PyObject *self, PyObject *args, PyObject *keywords)
{
	static char *names[] = { "timestamp", "callchain", NULL };
	const struct object *object = (struct object *)self;
	_cleanup_(strbuf) struct strbuf text = STRBUF_INIT;
	int timestamp = true, callchain = true;
	PyObject *line, *out, *done;
	char name[128];

	if (!PyArg_ParseTupleAndKeywords(args, keywords, "|pp:print", names, &timestamp, &callchain))
		return NULL;
	if (timestamp)
		add_wall_time(object, &text);
	strbuf_addf(&text, "%16s %6d ", object->comm, object->sample.tid);
	add_latency_flags(object, &text);
	snprintf(name, sizeof(name), "%s", PyUnicode_AsUTF8(object->kind->name));
	strbuf_addf(&text, " [%03d] %llu.%06llu: %s: ", object->sample.cpu,
		    (unsigned long long)object->sample.time / NSEC_PER_SEC,
		    (unsigned long long)object->sample.time % NSEC_PER_SEC / 1000, name);
	add_format(object, &text);
	strbuf_addch(&text, '\n');
	if (callchain && add_frames(object, &text) < 0)
		return NULL;
	if (text.failed)
		return PyErr_NoMemory();
	/* By way of sys.stdout: among what the script prints, in its order. */
	line = PyUnicode_DecodeUTF8(text.data, text.len, "surrogateescape");
	out = PySys_GetObject("stdout");
	done = line && out ? PyObject_CallMethod(out, "write", "O", line) : NULL;
	Py_XDECREF(line);
	if (!done)
		return NULL;
	Py_DECREF(done);
	Py_RETURN_NONE;
}

static void object_dealloc(PyObject *self)
{
	struct object *object = (struct object *)self;

	if (object->keeps_maps)
		maps_put((struct maps *)object->maps);
	object->keeps_maps = false;
	Py_CLEAR(object->kinds);
	if (nr_spares < MAX_SPARES) {
		spares[nr_spares++] = object;
		return;
	}
	PyMem_Free(object->copy);
	Py_TYPE(self)->tp_free(self);
}

static const char object_doc[] =
"One sample of an event.\n"
"\n"
"Values are read as attributes (event.prev_comm), as items (event['prev_comm']),\n"
"or with get().  Of every event:\n"
"\n"
"  _pid, _tid   process and thread that ran (int)\n"
"  _time        ns of the recording's clock (int)\n"
"  _cpu         where it happened (int)\n"
"  _comm        name of the thread at that time (str)\n"
"  _realtime    ns since 1970 (int); None where the recording cannot tell\n"
"  _callchain   frames, innermost first: a list of dicts with addr, symbol,\n"
"               offset, kernel and dso; empty without call chains\n"
"  _event       'system:name', or the alias (str)\n"
"\n"
"Of tracepoints also _period, common_type, common_flags, common_preempt_count,\n"
"common_pid, and the fields of the event: integers are int, char arrays str,\n"
"other arrays bytes.  Of other events what was sampled: ip, addr, period, read,\n"
"regs_user ...\n"
"\n"
"An event can be kept; it then holds a copy of its record.  Two events are equal\n"
"when their records are.";

static PyMethodDef object_methods[] = {
	{ "get", (PyCFunction)(void (*)(void))object_get, METH_VARARGS | METH_KEYWORDS,
	  "get(field, default=None) -> value\n\nThe value of a field, or default." },
	{ "keys", object_keys, METH_NOARGS, "keys() -> list of the names of all fields" },
	{ "values", object_values, METH_NOARGS, "values() -> list of the values of all fields" },
	{ "items", object_items, METH_NOARGS, "items() -> list of (name, value) of all fields" },
	{ "to_dict", object_to_dict, METH_NOARGS, "to_dict() -> dict of all fields" },
	{ "text", object_text, METH_O,
	  "text(field) -> str\n\nThe value as the event's print format names it: flags and\n"
	  "symbols by name, others as str()." },
	{ "format", object_format, METH_NOARGS,
	  "format() -> str\n\nThe text of the event, as ktrace script prints it." },
	{ "print", (PyCFunction)(void (*)(void))object_print, METH_VARARGS | METH_KEYWORDS,
	  "print(timestamp=True, callchain=True)\n\nPrint the event in one line, with the wall\n"
	  "clock's time before it and the call chain behind it." },
	{ NULL, NULL, 0, NULL },
};

static PySequenceMethods object_sequence = {
	.sq_contains = object_contains,
};

static PyMappingMethods object_mapping = {
	.mp_length = object_length,
	.mp_subscript = object_subscript,
};

static PyTypeObject object_type = {
	PyVarObject_HEAD_INIT(NULL, 0)
	.tp_name = "perf_prof.PerfEvent",
	.tp_basicsize = sizeof(struct object),
	.tp_dealloc = object_dealloc,
	.tp_repr = object_repr,
	.tp_as_sequence = &object_sequence,
	.tp_as_mapping = &object_mapping,
	.tp_hash = object_hash,
	.tp_str = object_str,
	.tp_getattro = object_getattro,
	.tp_flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_DISALLOW_INSTANTIATION,
	.tp_doc = object_doc,
	.tp_richcompare = object_compare,
	.tp_iter = object_iter,
	.tp_methods = object_methods,
};

int py_object_init(void)
{
	PyObject *bases;

	if (missing_error)
		return 0;
	if (PyType_Ready(&object_type) < 0 || PyType_Ready(&kinds_type) < 0)
		return -1;
	bases = PyTuple_Pack(2, PyExc_KeyError, PyExc_AttributeError);
	missing_error = bases ? PyErr_NewExceptionWithDoc("perf_prof.MissingField",
			"The event has no such field: both a KeyError and an AttributeError.",
			bases, NULL) : NULL;
	Py_XDECREF(bases);
	return missing_error ? 0 : -1;
}

PyTypeObject *py_object_type(void)
{
	return &object_type;
}

static void move(const void *pointer, ptrdiff_t by)
{
	const char **p = (const char **)pointer;

	if (*p)
		*p += by;
}

/* Make the record the object's own: what points into it goes along. */
static int keep_record(struct object *object)
{
	size_t size = object->header->size;
	struct sample *s = &object->sample;
	ptrdiff_t by;

	if (object->copy_alloc < size) {
		size_t alloc = size < 256 ? 256 : size;
		void *grown = PyMem_Realloc(object->copy, alloc);

		if (!grown) {
			PyErr_NoMemory();
			return -1;
		}
		object->copy = grown;
		object->copy_alloc = alloc;
	}
	memcpy(object->copy, object->header, size);
	if (s->nr_callchain && object->maps) {
		maps_get((struct maps *)object->maps);
		object->keeps_maps = true;
	}
	by = (char *)object->copy - (char *)object->header;
	object->header = object->copy;
	move(&s->read, by);
	move(&s->callchain, by);
	move(&s->raw, by);
	move(&s->branch_stack, by);
	move(&s->user_regs, by);
	move(&s->intr_regs, by);
	move(&s->user_stack, by);
	return 0;
}

static struct object *take_object(void)
{
	struct object *object;

	if (!nr_spares)
		return (struct object *)object_type.tp_alloc(&object_type, 0);
	object = spares[--nr_spares];
	Py_SET_REFCNT((PyObject *)object, 1);
	return object;
}

PyObject *py_object_new(PyObject *kinds, const struct session_record *r, bool copy)
{
	const struct kind *kind = find_kind((struct kinds *)kinds, r);
	struct object *object = kind ? take_object() : NULL;

	if (!object)
		return NULL;
	object->kinds = (struct kinds *)Py_NewRef(kinds);
	object->kind = kind;
	object->header = r->record.header;
	object->sample = r->sample;
	object->machine = r->machine;
	object->maps = r->maps;
	object->raw_size = r->sample.raw ? common_field_raw_size(r->event, &r->sample) : 0;
	memcpy(object->comm, r->comm, strnlen(r->comm, sizeof(object->comm) - 1) + 1);
	object->comm[sizeof(object->comm) - 1] = '\0';
	if (copy && keep_record(object) < 0)
		Py_CLEAR(object);
	return (PyObject *)object;
}

int py_object_release(PyObject *self)
{
	struct object *object = (struct object *)self;
	int result = 0;

	if (Py_REFCNT(self) > 1)
		result = keep_record(object);
	Py_DECREF(self);
	return result;
}

void py_object_forget(void)
{
	while (nr_spares) {
		struct object *object = spares[--nr_spares];

		PyMem_Free(object->copy);
		object_type.tp_free((PyObject *)object);
	}
	Py_CLEAR(missing_error);
}

// SPDX-License-Identifier: GPL-2.0
#include "script/objects/py_object.h"

#include <limits.h>

#include "lib/array.h"
#include "session/cgroups.h"

static const struct {
	const char *name;
	enum py_member member;
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

/* Members by the bit of sample_type, in the order in which a record has them. */
static const struct {
	uint64_t bit;
	const char *name;
	enum py_member member;
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

static void kind_destroy(struct py_kind *kind)
{
	if (!kind)
		return;
	for (size_t i = 0; i < kind->nr; i++) {
		Py_XDECREF(kind->items[i].name);
		Py_XDECREF(kind->items[i].last);
	}
	Py_XDECREF(kind->name);
	Py_XDECREF(kind->numbers);
	free(kind->items);
	free(kind->slots);
	free(kind);
}

static int kind_add_entry(struct py_kind *kind, const char *name, struct py_entry entry,
			  bool listed)
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

static int add_member(struct py_kind *kind, const char *name, enum py_member member, bool listed)
{
	return kind_add_entry(kind, name, (struct py_entry){ .member = member }, listed);
}

static int kind_add_fields(struct py_kind *kind, size_t from, size_t to)
{
	for (size_t i = from; i < to; i++) {
		const struct field *field = &kind->format->fields[i];

		if (kind_add_entry(kind, field->name,
				   (struct py_entry){ .member = MEMBER_FIELD, .field = field },
				   true) < 0)
			return -1;
	}
	return 0;
}

static int kind_add_tracepoint(struct py_kind *kind)
{
	int result = 0;

	for (size_t i = 0; result == 0 && i < ARRAY_SIZE(tracepoint_heads); i++)
		result = add_member(kind, tracepoint_heads[i].name,
				    tracepoint_heads[i].member, true);
	if (result == 0)
		result = kind_add_fields(kind, 0, kind->format->nr_common);
	for (size_t i = 0; result == 0 && i < ARRAY_SIZE(derived); i++)
		result = add_member(kind, derived[i].name, derived[i].member, true);
	if (result == 0)
		result = kind_add_fields(kind, kind->format->nr_common, kind->format->nr_fields);
	for (size_t i = 0; result == 0 && i < kind->event->common.nr; i++) {
		const struct common_slot *slot = &kind->event->common.items[i];
		char name[sizeof("common_") + COMMON_NAME_SIZE];

		snprintf(name, sizeof(name), "common_%s", slot->name);
		result = kind_add_entry(kind, name,
					(struct py_entry){ .member = MEMBER_COMMON_FIELD,
							   .common = slot }, true);
	}
	return result;
}

static int add_other(struct py_kind *kind)
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

static size_t kind_slot(const struct py_kind *kind, PyObject *name)
{
	return ((uintptr_t)name >> 4) * 0x9e3779b97f4a7c15ull >> 40 & kind->mask;
}

static int index_entries(struct py_kind *kind)
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
		size_t slot = kind_slot(kind, name);

		/* If a name comes twice, the first one counts. */
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

static struct py_kind *kind_create(const struct py_kinds *kinds, const struct event *event,
				const struct event_format *format)
{
	struct py_kind *kind = calloc(1, sizeof(*kind));
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
	kind->max_stack = kinds->config.max_stack ?
			  kinds->config.max_stack(kinds->config.data, event) : UINT_MAX;
	kind->name = PyUnicode_InternFromString(alias ? alias : event->name);
	result = kind->name ? 0 : -1;
	if (result == 0)
		result = format ? kind_add_tracepoint(kind) : add_other(kind);
	/* This can be read, but is not among the keys, as scripts rely on their number. */
	if (result == 0)
		result = add_member(kind, "_comm", MEMBER_COMM, false);
	if (result == 0)
		result = add_member(kind, "_origin", MEMBER_ORIGIN, false);
	if (result == 0 && event_has_cgroup(event))
		result = add_member(kind, "_cgroup", MEMBER_CGROUP_PATH, false);
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

const struct py_kind *py_kinds_find(struct py_kinds *kinds, const struct session_record *r)
{
	size_t index = r->event->index;

	if (!array_at(kinds, index, 0)) {
		PyErr_NoMemory();
		return NULL;
	}
	if (!kinds->items[index])
		kinds->items[index] = kind_create(kinds, r->event, r->format);
	return kinds->items[index];
}

struct py_entry *py_kind_entry(const struct py_kind *kind, PyObject *name)
{
	PyObject *number;

	for (size_t slot = kind_slot(kind, name); kind->slots[slot];
	     slot = (slot + 1) & kind->mask)
		if (kind->slots[slot]->name == name)
			return kind->slots[slot];
	number = PyDict_GetItemWithError(kind->numbers, name);
	return number ? &kind->items[PyLong_AsSsize_t(number)] : NULL;
}

static void kinds_dealloc(PyObject *self)
{
	struct py_kinds *kinds = (struct py_kinds *)self;

	for (size_t i = 0; i < kinds->nr; i++)
		kind_destroy(kinds->items[i]);
	free(kinds->items);
	Py_XDECREF(kinds->owner);
	Py_TYPE(self)->tp_free(self);
}

static PyTypeObject kinds_type = {
	PyVarObject_HEAD_INIT(NULL, 0)
	.tp_name = "ktrace.Kinds",
	.tp_basicsize = sizeof(struct py_kinds),
	.tp_dealloc = kinds_dealloc,
	.tp_flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_DISALLOW_INSTANTIATION,
	.tp_doc = "The names of the events of a recording.",
};

PyObject *py_kinds_new(const struct py_kinds_config *config, PyObject *owner)
{
	struct py_kinds *kinds = (struct py_kinds *)kinds_type.tp_alloc(&kinds_type, 0);

	if (!kinds)
		return NULL;
	kinds->owner = Py_XNewRef(owner);
	if (config)
		kinds->config = *config;
	return (PyObject *)kinds;
}

int py_kinds_init(void)
{
	return PyType_Ready(&kinds_type);
}

// SPDX-License-Identifier: GPL-2.0
#include "script/objects/py_object_state.h"

#include <string.h>

#include "lib/hash.h"

static PyTypeObject object_type;

/* Objects to be used again, which keep their room for a record. */
#define MAX_SPARES 8
static struct py_object *spares[MAX_SPARES];
static size_t nr_spares;

static PyObject *object_getattro(PyObject *self, PyObject *name)
{
	struct py_object *object = (struct py_object *)self;
	struct py_entry *entry = py_kind_entry(object->kind, name);
	PyObject *value;

	if (entry)
		return py_member_value(object, entry);
	if (PyErr_Occurred())
		return NULL;
	value = PyObject_GenericGetAttr(self, name);
	if (!value && PyErr_ExceptionMatches(PyExc_AttributeError))
		py_object_missing(name);
	return value;
}

static PyObject *object_subscript(PyObject *self, PyObject *name)
{
	struct py_object *object = (struct py_object *)self;
	struct py_entry *entry;

	if (!PyUnicode_Check(name))
		return PyErr_Format(PyExc_TypeError, "the index of a PerfEvent is the name of a "
				    "field, not %s", Py_TYPE(name)->tp_name);
	entry = py_kind_entry(object->kind, name);
	if (entry)
		return py_member_value(object, entry);
	return PyErr_Occurred() ? NULL : py_object_missing(name);
}

static Py_ssize_t object_length(PyObject *self)
{
	return ((struct py_object *)self)->kind->nr_listed;
}

static int object_contains(PyObject *self, PyObject *name)
{
	if (!PyUnicode_Check(name))
		return 0;
	if (py_kind_entry(((struct py_object *)self)->kind, name))
		return 1;
	return PyErr_Occurred() ? -1 : 0;
}

enum part { PART_KEY, PART_VALUE, PART_PAIR };

static PyObject *make_part(const struct py_object *self, struct py_entry *entry,
			   enum part part)
{
	PyObject *value;

	if (part == PART_KEY)
		return Py_NewRef(entry->name);
	value = py_member_value(self, entry);
	if (!value || part == PART_VALUE)
		return value;
	return Py_BuildValue("(ON)", entry->name, value);
}

static PyObject *make_member_list(PyObject *self, enum part part)
{
	const struct py_object *object = (struct py_object *)self;
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
	return make_member_list(self, PART_KEY);
}

static PyObject *object_values(PyObject *self, PyObject *unused)
{
	return make_member_list(self, PART_VALUE);
}

static PyObject *object_items(PyObject *self, PyObject *unused)
{
	return make_member_list(self, PART_PAIR);
}

static PyObject *object_iter(PyObject *self)
{
	PyObject *list = make_member_list(self, PART_PAIR);
	PyObject *iterator = list ? PyObject_GetIter(list) : NULL;

	Py_XDECREF(list);
	return iterator;
}

static PyObject *object_to_dict(PyObject *self, PyObject *unused)
{
	PyObject *pairs = make_member_list(self, PART_PAIR), *dict = PyDict_New();

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
	const struct py_object *object = (struct py_object *)self;

	return PyUnicode_FromFormat("<PerfEvent %U cpu=%d pid=%d time=%llu>", object->kind->name,
				    object->sample->cpu, object->sample->pid,
				    (unsigned long long)object->sample->time);
}

/* Hash the whole record, as objects with equal records are equal. */
static Py_hash_t object_hash(PyObject *self)
{
	const struct py_object *object = (struct py_object *)self;
	uint64_t hash = hash_bytes(HASH_INIT, object->header, object->header->size);

	return (Py_hash_t)hash == -1 ? -2 : (Py_hash_t)hash;
}

static PyObject *object_compare(PyObject *self, PyObject *other, int op)
{
	const struct py_object *a = (struct py_object *)self, *b = (struct py_object *)other;
	bool equal;

	if ((op != Py_EQ && op != Py_NE) || !Py_IS_TYPE(other, &object_type))
		Py_RETURN_NOTIMPLEMENTED;
	/* Compare names, because each pass over a file creates its own kinds. */
	equal = a->header->size == b->header->size &&
		!memcmp(a->header, b->header, a->header->size) &&
		!PyUnicode_Compare(a->kind->name, b->kind->name);
	return PyBool_FromLong(equal == (op == Py_EQ));
}

static PyObject *object_get(PyObject *self, PyObject *args, PyObject *keywords)
{
	static char *names[] = { "field", "default", NULL };
	const struct py_object *object = (struct py_object *)self;
	PyObject *name, *otherwise = Py_None;
	struct py_entry *entry;

	if (!PyArg_ParseTupleAndKeywords(args, keywords, "U|O:get", names, &name, &otherwise))
		return NULL;
	entry = py_kind_entry(object->kind, name);
	if (entry)
		return py_member_value(object, entry);
	return PyErr_Occurred() ? NULL : Py_NewRef(otherwise);
}

static void object_dealloc(PyObject *self)
{
	struct py_object *object = (struct py_object *)self;

	maps_release(&object->held);
	Py_CLEAR(object->kinds);
	if (nr_spares < MAX_SPARES) {
		spares[nr_spares++] = object;
		return;
	}
	PyMem_Free(object->copy);
	Py_TYPE(self)->tp_free(self);
}

/* An object never changes, so it can be its own copy. */
static PyObject *object_copy(PyObject *self, PyObject *unused)
{
	return Py_NewRef(self);
}

static int add_texts(PyObject *self, PyObject *texts)
{
	const struct py_object *object = (struct py_object *)self;
	int result = 0;

	for (size_t i = 0; result == 0 && i < object->kind->nr; i++) {
		const struct py_entry *entry = &object->kind->items[i];
		PyObject *text;

		if (entry->member != MEMBER_FIELD ||
		    !(entry->field->is_flags || entry->field->is_symbolic))
			continue;
		text = py_object_text(self, entry->name);
		result = text ? PyDict_SetItem(texts, entry->name, text) : -1;
		Py_XDECREF(text);
	}
	return result;
}

static int add_unlisted(const struct py_object *object, PyObject *values)
{
	int result = 0;

	for (size_t i = 0; result == 0 && i < object->kind->nr; i++) {
		struct py_entry *entry = &object->kind->items[i];
		PyObject *value;

		if (entry->listed)
			continue;
		value = py_member_value(object, entry);
		result = value ? PyDict_SetItem(values, entry->name, value) : -1;
		Py_XDECREF(value);
	}
	return result;
}

/* Objects are pickled as ktrace.SavedEvent, which has all values and needs no recording. */
static PyObject *object_reduce(PyObject *self, PyObject *unused)
{
	const struct py_object *object = (struct py_object *)self;
	PyObject *module = PyImport_ImportModule("ktrace.saved");
	PyObject *type = module ? PyObject_GetAttrString(module, "SavedEvent") : NULL;
	PyObject *listed = object_to_dict(self, NULL), *others = PyDict_New();
	PyObject *texts = PyDict_New(), *format = py_object_format(self, NULL);
	PyObject *reduced = NULL;

	if (type && listed && others && texts && format && add_unlisted(object, others) == 0 &&
	    add_texts(self, texts) == 0)
		reduced = Py_BuildValue("(O(OOOO))", type, listed, others, texts, format);
	Py_XDECREF(format);
	Py_XDECREF(texts);
	Py_XDECREF(others);
	Py_XDECREF(listed);
	Py_XDECREF(type);
	Py_XDECREF(module);
	return reduced;
}

static const char object_doc[] =
"One sample of an event.\n\n"
"Values are read as attributes (event.prev_comm), as items (event['prev_comm']),\n"
"or with get().  Of every event:\n\n"
"  _pid, _tid   process and thread that ran (int)\n"
"  _time        ns of the recording's clock (int)\n"
"  _cpu         where it happened (int)\n"
"  _comm        name of the thread at that time (str)\n"
"  _origin      host or file of one of several recordings (str, or None)\n"
"  _cgroup      path of the task's cgroup (str; None where it is unknown), if samples\n"
"               tell the cgroup: record --all-cgroups, or --fields cgroup\n"
"  _realtime    ns since 1970 (int); None if it is unknown\n"
"  _callchain   frames, innermost first: a list of dicts with addr, symbol,\n"
"               offset, kernel and dso; empty without call chains\n"
"  _event       'system:name', or the alias (str)\n\n"
"Of tracepoints also _period, common_type, common_flags, common_preempt_count,\n"
"common_pid, and the fields of the event: integers are int, char arrays str,\n"
"other arrays bytes.  Other events have their sampled values: ip, addr, period, read,\n"
"regs_user ...\n\n"
"An event can be kept; it then holds a copy of its record.  Two events are equal\n"
"when their records are.";

static PyMethodDef object_methods[] = {
	{ "get", (PyCFunction)(void (*)(void))object_get, METH_VARARGS | METH_KEYWORDS,
	  "get(field, default=None) -> value\n\nThe value of a field, or default." },
	{ "keys", object_keys, METH_NOARGS, "keys() -> list of the names of all fields" },
	{ "values", object_values, METH_NOARGS, "values() -> list of the values of all fields" },
	{ "items", object_items, METH_NOARGS, "items() -> list of (name, value) of all fields" },
	{ "to_dict", object_to_dict, METH_NOARGS, "to_dict() -> dict of all fields" },
	{ "text", py_object_text, METH_O,
	  "text(field) -> str\n\nThe value as the event's print format names it: flags and\n"
	  "symbols by name, others as str()." },
	{ "format", py_object_format, METH_NOARGS,
	  "format() -> str\n\nThe text of the event, as ktrace script prints it." },
	{ "__copy__", object_copy, METH_NOARGS, NULL },
	{ "__deepcopy__", object_copy, METH_O, NULL },
	{ "__reduce__", object_reduce, METH_NOARGS, NULL },
	{ "print", (PyCFunction)(void (*)(void))py_object_print, METH_VARARGS | METH_KEYWORDS,
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
	.tp_basicsize = sizeof(struct py_object),
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
	PyObject *prof = PyDict_GetItemString(PyImport_GetModuleDict(), "perf_prof");
	PyObject *given = prof ? PyObject_GetAttrString(prof, "PerfEvent") : NULL;

	/*
	 * Inside a tool that has created this type already, such as ktrace python, derive ours from
	 * it.
	 */
	if (given && !object_type.tp_base && PyType_Check(given) &&
	    given != (PyObject *)&object_type &&
	    ((PyTypeObject *)given)->tp_basicsize == object_type.tp_basicsize)
		object_type.tp_base = (PyTypeObject *)Py_NewRef(given);
	Py_XDECREF(given);
	PyErr_Clear();
	if (PyType_Ready(&object_type) < 0 || py_kinds_init() < 0)
		return -1;
	return py_missing_init();
}

PyTypeObject *py_object_type(void)
{
	PyTypeObject *base = object_type.tp_base;

	return base && base != &PyBaseObject_Type ? base : &object_type;
}

static void moved_pointer(const void *pointer, ptrdiff_t by)
{
	const char **p = (const char **)pointer;

	if (*p)
		*p += by;
}

static int object_make_room(struct py_object *object, size_t size)
{
	size_t alloc = size < 256 ? 256 : size;
	void *grown;

	if (object->copy_alloc >= size)
		return 0;
	grown = PyMem_Realloc(object->copy, sizeof(*object->copy) + alloc);
	if (!grown) {
		PyErr_NoMemory();
		return -1;
	}
	object->copy = grown;
	object->copy_alloc = alloc;
	return 0;
}

/*
 * The names of frames are looked up at the first access, in the maps at the time of the sample:
 * keep these maps.
 */
static void hold_maps(struct py_object *object)
{
	if (object->maps && (object->sample->nr_callchain || object->sample->user_stack_size))
		maps_hold(&object->held, object->maps);
	object->maps = object->held.users ? &object->held : NULL;
}

/* Copy the record into the object, and make all pointers point into the copy. */
static int keep_record(struct py_object *object)
{
	struct py_object_copy *copy;
	struct sample *s;
	ptrdiff_t by;

	if (object_make_room(object, object->header->size) < 0)
		return -1;
	copy = object->copy;
	memcpy(copy->header, object->header, object->header->size);
	copy->sample = *object->sample;
	memcpy(copy->comm, object->comm, strnlen(object->comm, sizeof(copy->comm) - 1) + 1);
	copy->comm[sizeof(copy->comm) - 1] = '\0';
	s = &copy->sample;
	hold_maps(object);
	by = (char *)copy->header - (char *)object->header;
	moved_pointer(&s->read, by);
	moved_pointer(&s->callchain, by);
	moved_pointer(&s->raw, by);
	moved_pointer(&s->branch_stack, by);
	moved_pointer(&s->user_regs, by);
	moved_pointer(&s->intr_regs, by);
	moved_pointer(&s->user_stack, by);
	object->header = copy->header;
	object->sample = s;
	object->comm = copy->comm;
	return 0;
}

static struct py_object *take_object(PyObject *kinds)
{
	struct py_object *object;

	if (nr_spares) {
		object = spares[--nr_spares];
		Py_SET_REFCNT((PyObject *)object, 1);
	} else {
		object = (struct py_object *)object_type.tp_alloc(&object_type, 0);
	}
	if (object)
		object->kinds = (struct py_kinds *)Py_NewRef(kinds);
	return object;
}

static void point_to(struct py_object *object, const struct py_kind *kind,
		     const struct session_record *r)
{
	object->kind = kind;
	object->header = r->record.header;
	object->sample = &r->sample;
	object->comm = r->comm;
	object->origin = r->origin;
	object->machine = r->machine;
	object->maps = r->maps;
	object->raw_size = r->sample.raw ? common_field_raw_size(r->event, &r->sample) : 0;
}

/* The record goes away, and there is no memory for a copy: leave an empty sample. */
static void point_nowhere(struct py_object *object)
{
	static const struct perf_event_header no_record = { .size = sizeof(no_record) };
	static const struct sample no_sample = { .pid = -1, .tid = -1, .cpu = -1 };

	object->header = &no_record;
	object->sample = &no_sample;
	object->comm = "";
	object->raw_size = 0;
	object->maps = NULL;
}

PyObject *py_object_new(PyObject *kinds, const struct session_record *r)
{
	const struct py_kind *kind = py_kinds_find((struct py_kinds *)kinds, r);
	struct py_object *object = kind ? take_object(kinds) : NULL;

	if (!object)
		return NULL;
	point_to(object, kind, r);
	if (keep_record(object) < 0)
		Py_CLEAR(object);
	return (PyObject *)object;
}

int py_object_lend(PyObject **lent, PyObject *kinds, const struct session_record *r)
{
	const struct py_kind *kind = py_kinds_find((struct py_kinds *)kinds, r);

	if (kind && !*lent)
		*lent = (PyObject *)take_object(kinds);
	if (!kind || !*lent)
		return -1;
	point_to((struct py_object *)*lent, kind, r);
	return 0;
}

int py_object_take_back(PyObject **lent)
{
	PyObject *object = *lent;
	int result;

	if (!object || Py_REFCNT(object) == 1)
		return 0;
	*lent = NULL;
	result = keep_record((struct py_object *)object);
	if (result < 0)
		point_nowhere((struct py_object *)object);
	Py_DECREF(object);
	return result;
}

void py_object_forget(void)
{
	while (nr_spares) {
		struct py_object *object = spares[--nr_spares];

		PyMem_Free(object->copy);
		object_type.tp_free((PyObject *)object);
	}
	py_missing_forget();
}

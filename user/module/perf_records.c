// SPDX-License-Identifier: GPL-2.0
/*
 * The objects of records.  Each has a copy of its record, and refers to its event.
 */
#include "module/perf.h"

#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include "record/body.h"
#include "record/record.h"
#include "record/sample.h"

/* Where an attribute is. */
enum place_of { IN_HEADER, IN_SAMPLE, IN_BODY };
enum kind_of { KIND_U16, KIND_U32, KIND_S32, KIND_U64, KIND_TEXT };

struct attribute {
	enum place_of place;
	enum kind_of kind;
	size_t offset;		/* of a body: behind the header */
};

/* A text ends at its NUL, or with the record. */
static PyObject *record_text(const struct perf_record *self, size_t offset)
{
	const char *text = (const char *)self->header + offset;

	if (offset >= self->header->size)
		return PyUnicode_FromString("");
	return py_text(text, strnlen(text, self->header->size - offset));
}

static PyObject *record_number(const void *at, enum kind_of kind)
{
	uint16_t u16;
	uint32_t u32;
	uint64_t u64;

	switch (kind) {
	case KIND_U16:
		memcpy(&u16, at, sizeof(u16));
		return PyLong_FromUnsignedLong(u16);
	case KIND_U32:
		memcpy(&u32, at, sizeof(u32));
		return PyLong_FromUnsignedLong(u32);
	case KIND_S32:
		memcpy(&u32, at, sizeof(u32));
		return PyLong_FromLong((int32_t)u32);
	default:
		memcpy(&u64, at, sizeof(u64));
		return PyLong_FromUnsignedLongLong(u64);
	}
}

static PyObject *record_get(PyObject *object, void *closure)
{
	static const uint64_t absent;
	const struct perf_record *self = (struct perf_record *)object;
	const struct attribute *a = closure;
	size_t offset = a->offset;

	if (a->place == IN_SAMPLE)
		return record_number((const char *)&self->sample + offset, a->kind);
	if (a->place == IN_BODY)
		offset += sizeof(*self->header);
	if (a->kind == KIND_TEXT)
		return record_text(self, offset);
	if (offset + (a->kind == KIND_U64 ? 8 : 4) > self->header->size)
		return record_number(&absent, a->kind);
	return record_number((const char *)self->header + offset, a->kind);
}

static uint64_t record_u64(PyObject *object, size_t offset)
{
	const struct perf_event_header *header = ((struct perf_record *)object)->header;
	uint64_t value = 0;

	if (sizeof(*header) + offset + sizeof(value) <= header->size)
		memcpy(&value, (const char *)(header + 1) + offset, sizeof(value));
	return value;
}

static uint32_t record_u32(PyObject *object, size_t offset)
{
	const struct perf_event_header *header = ((struct perf_record *)object)->header;
	uint32_t value = 0;

	if (sizeof(*header) + offset + sizeof(value) <= header->size)
		memcpy(&value, (const char *)(header + 1) + offset, sizeof(value));
	return value;
}

static uint32_t record_type(PyObject *object)
{
	return ((struct perf_record *)object)->header->type;
}

static PyObject *record_evsel(PyObject *object, void *unused)
{
	const struct perf_record *self = (struct perf_record *)object;

	return Py_NewRef(self->is_its ? (PyObject *)self->evsel : Py_None);
}

/* Members that perf fills only from hardware traces, or for guests, which are not read. */
static PyObject *record_zero(PyObject *object, void *unused)
{
	return PyLong_FromLong(0);
}

#define AT(place, kind, offset) (void *)&(const struct attribute){ place, KIND_##kind, offset }
#define SAMPLE(name, kind, doc) \
	{ "sample_" #name, record_get, NULL, doc, AT(IN_SAMPLE, kind, offsetof(struct sample, name)) }
#define COMMON \
	{ "type", record_get, NULL, "RECORD_*", \
	  AT(IN_HEADER, U32, offsetof(struct perf_event_header, type)) }, \
	{ "misc", record_get, NULL, "RECORD_MISC_* and the mode of the CPU", \
	  AT(IN_HEADER, U16, offsetof(struct perf_event_header, misc)) }, \
	SAMPLE(ip, U64, "address of the instruction"), \
	SAMPLE(pid, S32, "process; -1: not sampled"), \
	SAMPLE(tid, S32, "task; -1: not sampled"), \
	SAMPLE(time, U64, "ns of the kernel's clock for perf"), \
	SAMPLE(addr, U64, "address of the data"), \
	SAMPLE(id, U64, "number of the event"), \
	SAMPLE(stream_id, U64, "number of the event that was opened"), \
	SAMPLE(period, U64, "how many events the sample stands for"), \
	SAMPLE(cpu, U32, "CPU; 4294967295: not sampled"), \
	{ "evsel", record_evsel, NULL, "the event that it belongs to; None: it is not known", NULL }, \
	{ "machine_pid", record_zero, NULL, "0: no guest", NULL }, \
	{ "vcpu", record_zero, NULL, "0: no guest", NULL }
#define BODY(name, kind, offset, doc) { #name, record_get, NULL, doc, AT(IN_BODY, kind, offset) }
#define TASK \
	BODY(pid, U32, 0, "process"), BODY(tid, U32, 4, "task")
#define END { NULL, NULL, NULL, NULL, NULL }

static PyGetSetDef mmap_members[] = {
	COMMON, TASK,
	BODY(addr, U64, 8, "start of the map"), BODY(start, U64, 8, "start of the map"),
	BODY(len, U64, 16, "bytes"), BODY(pgoff, U64, 24, "offset in the file, bytes"),
	BODY(filename, TEXT, 32, "the name of the mapped file"), END,
};

/* NULL: the record is too short, or has the file's numbers instead of a build id. */
static const struct body_mmap2 *mmap2_with_id(PyObject *object, bool with)
{
	const struct perf_event_header *header = ((struct perf_record *)object)->header;
	const struct body_mmap2 *body = body_of(header, struct body_mmap2);

	return body && body_mmap2_has_build_id(header, body) == with ? body : NULL;
}

/* The file is identified by its build id, or by these numbers. */
static PyObject *mmap2_number(PyObject *object, void *offset)
{
	size_t at = (size_t)offset;

	if (!mmap2_with_id(object, false))
		Py_RETURN_NONE;
	if (at < offsetof(struct body_mmap2, inode))
		return PyLong_FromUnsignedLong(record_u32(object, at));
	return PyLong_FromUnsignedLongLong(record_u64(object, at));
}

static PyObject *mmap2_build_id(PyObject *object, void *unused)
{
	const struct body_mmap2 *body = mmap2_with_id(object, true);

	if (!body)
		Py_RETURN_NONE;
	return PyBytes_FromStringAndSize((const char *)body->build_id, body->build_id_size);
}

#define MMAP2_NUMBER(name, member, doc) \
	{ #name, mmap2_number, NULL, doc, (void *)offsetof(struct body_mmap2, member) }

static PyGetSetDef mmap2_members[] = {
	COMMON, TASK,
	BODY(start, U64, 8, "start of the map"), BODY(len, U64, 16, "bytes"),
	BODY(pgoff, U64, 24, "offset in the file, bytes"),
	MMAP2_NUMBER(maj, major, "of the file's device"),
	MMAP2_NUMBER(min, minor, "of the file's device"),
	MMAP2_NUMBER(ino, inode, "the file's inode"),
	MMAP2_NUMBER(ino_generation, generation, "of the inode"),
	{ "build_id", mmap2_build_id, NULL, "of the file; None: it has the numbers", NULL },
	BODY(prot, U32, 56, "PROT_*"), BODY(flags, U32, 60, "MAP_*"),
	BODY(filename, TEXT, 64, "the name of the mapped file"), END,
};

static PyObject *mmap2_repr(PyObject *o)
{
	PyObject *name = record_text((struct perf_record *)o, 72), *text;
	char numbers[160];

	snprintf(numbers, sizeof(numbers),
		 "start: %#llx, length: %#llx, offset: %#llx, flags: %#x, prot: %#x",
		 (unsigned long long)record_u64(o, 8), (unsigned long long)record_u64(o, 16),
		 (unsigned long long)record_u64(o, 24), record_u32(o, 60), record_u32(o, 56));
	if (!name)
		return NULL;
	text = PyUnicode_FromFormat("{ type: mmap2, pid: %u, tid: %u, %s, filename: %U }",
				    record_u32(o, 0), record_u32(o, 4), numbers, name);
	Py_XDECREF(name);
	return text;
}

static PyObject *mmap_repr(PyObject *o)
{
	PyObject *name = record_text((struct perf_record *)o, 40), *text;
	char numbers[128];

	snprintf(numbers, sizeof(numbers), "start: %#llx, length: %#llx, offset: %#llx",
		 (unsigned long long)record_u64(o, 8), (unsigned long long)record_u64(o, 16),
		 (unsigned long long)record_u64(o, 24));
	if (!name)
		return NULL;
	text = PyUnicode_FromFormat("{ type: mmap, pid: %u, tid: %u, %s, filename: %U }",
				    record_u32(o, 0), record_u32(o, 4), numbers, name);
	Py_XDECREF(name);
	return text;
}

static PyGetSetDef task_members[] = {
	COMMON,
	BODY(pid, U32, 0, "process"), BODY(ppid, U32, 4, "process of the parent"),
	BODY(tid, U32, 8, "task"), BODY(ptid, U32, 12, "task that was the parent"),
	BODY(time, U64, 16, "ns of the kernel's clock for perf"), END,
};

static PyObject *task_repr(PyObject *o)
{
	return PyUnicode_FromFormat("{ type: %s, pid: %u, ppid: %u, tid: %u, ptid: %u, time: %llu}",
				    record_type(o) == PERF_RECORD_FORK ? "fork" : "exit",
				    record_u32(o, 0), record_u32(o, 4), record_u32(o, 8),
				    record_u32(o, 12), (unsigned long long)record_u64(o, 16));
}

static PyGetSetDef comm_members[] = {
	COMMON, TASK, BODY(comm, TEXT, 8, "name of the task"), END,
};

static PyObject *comm_repr(PyObject *o)
{
	PyObject *name = record_text((struct perf_record *)o, 16), *text;

	text = name ? PyUnicode_FromFormat("{ type: comm, pid: %u, tid: %u, comm: %U }",
					   record_u32(o, 0), record_u32(o, 4), name) : NULL;
	Py_XDECREF(name);
	return text;
}

static PyGetSetDef throttle_members[] = {
	COMMON, BODY(time, U64, 0, "ns of the kernel's clock for perf"),
	BODY(id, U64, 8, "number of the event"),
	BODY(stream_id, U64, 16, "number of the event that was opened"), END,
};

static PyObject *throttle_repr(PyObject *o)
{
	return PyUnicode_FromFormat("{ type: %sthrottle, time: %llu, id: %llu, stream_id: %llu }",
				    record_type(o) == PERF_RECORD_THROTTLE ? "" : "un",
				    (unsigned long long)record_u64(o, 0),
				    (unsigned long long)record_u64(o, 8),
				    (unsigned long long)record_u64(o, 16));
}

/* PERF_RECORD_LOST_SAMPLES has the number alone. */
static uint64_t lost_number(PyObject *o, bool id)
{
	if (record_type(o) == PERF_RECORD_LOST)
		return record_u64(o, id ? 0 : 8);
	return id ? ((struct perf_record *)o)->sample.id : record_u64(o, 0);
}

static PyObject *lost_get(PyObject *o, void *id)
{
	return PyLong_FromUnsignedLongLong(lost_number(o, id));
}

static PyGetSetDef lost_members[] = {
	COMMON, { "id", lost_get, NULL, "number of the event", "" },
	{ "lost", lost_get, NULL, "number of records that found no room", NULL }, END,
};

static PyObject *lost_repr(PyObject *o)
{
	char text[96];

	snprintf(text, sizeof(text), "{ type: lost, id: %#llx, lost: %#llx }",
		 (unsigned long long)lost_number(o, true),
		 (unsigned long long)lost_number(o, false));
	return PyUnicode_FromString(text);
}

static PyObject *record_read_values(PyObject *object, void *unused)
{
	const struct perf_record *self = (struct perf_record *)object;
	struct sample_value values[64];
	uint64_t enabled, running;
	size_t nr = sample_values(self->evsel->event, &self->sample, values, 64, &enabled,
				  &running);
	PyObject *list = PyList_New(nr);

	for (size_t i = 0; list && i < nr; i++) {
		PyObject *number = PyLong_FromUnsignedLongLong(values[i].value);

		if (number)
			PyList_SET_ITEM(list, i, number);
		else
			Py_CLEAR(list);
	}
	return list;
}

static PyGetSetDef read_members[] = {
	COMMON, TASK,
	{ "values", record_read_values, NULL, "counts of the event and its group", NULL }, END,
};

static PyObject *read_repr(PyObject *o)
{
	return PyUnicode_FromFormat("{ type: read, pid: %u, tid: %u }", record_u32(o, 0),
				    record_u32(o, 4));
}

static PyGetSetDef switch_members[] = {
	COMMON, BODY(next_prev_pid, U32, 0, "process of the other task; 0: not recorded"),
	BODY(next_prev_tid, U32, 4, "the other task; 0: not recorded"), END,
};

/* Only the record for a whole CPU names the other task. */
static PyObject *switch_repr(PyObject *o)
{
	bool wide = record_type(o) == PERF_RECORD_SWITCH_CPU_WIDE;
	unsigned int misc = ((struct perf_record *)o)->header->misc;

	return PyUnicode_FromFormat("{ type: context_switch, next_prev_pid: %u, next_prev_tid: %u, "
				    "switch_out: %u }", wide ? record_u32(o, 0) : 0,
				    wide ? record_u32(o, 4) : 0,
				    !!(misc & PERF_RECORD_MISC_SWITCH_OUT));
}

static PyObject *sample_raw(PyObject *object, void *unused)
{
	const struct sample *s = &((struct perf_record *)object)->sample;

	return PyByteArray_FromStringAndSize(s->raw, s->raw ? s->raw_size : 0);
}

static PyGetSetDef sample_members[] = {
	COMMON, { "raw_buf", sample_raw, NULL, "bytes of the tracepoint's record", NULL },
	SAMPLE(phys_addr, U64, "physical address of the data"),
	SAMPLE(weight, U64, "the cost of the access, in units of the processor"),
	SAMPLE(data_src, U64, "where the data came from, PERF_MEM_*"),
	{ "transaction", record_get, NULL, "PERF_TXN_*",
	  AT(IN_SAMPLE, U64, offsetof(struct sample, transaction)) },
	{ "sample_insn_count", record_zero, NULL, "0: of hardware traces alone", NULL },
	{ "sample_cyc_count", record_zero, NULL, "0: of hardware traces alone", NULL },
	{ "flags", record_zero, NULL, "0: of hardware traces alone", NULL },
	{ "branch_type", record_zero, NULL, "0: of hardware traces alone", NULL },
	{ "in_tx", record_zero, NULL, "0: of hardware traces alone", NULL }, END,
};

static PyGetSetDef stat_members[] = {
	COMMON, BODY(id, U64, 0, "number of the event"),
	BODY(cpu, U32, 8, "CPU; 4294967295: any"), BODY(thread, U32, 12, "place in the map of threads"),
	BODY(val, U64, 16, "the count since the beginning"),
	BODY(ena, U64, 24, "ns for which it was enabled"), BODY(run, U64, 32, "ns for which it was counted"),
	END,
};

static PyObject *stat_repr(PyObject *o)
{
	return PyUnicode_FromFormat("{ type: stat, id: %llu, cpu: %u, thread: %u, val: %llu, ena: %llu, "
				    "run: %llu }", (unsigned long long)record_u64(o, 0),
				    record_u32(o, 8), record_u32(o, 12),
				    (unsigned long long)record_u64(o, 16),
				    (unsigned long long)record_u64(o, 24),
				    (unsigned long long)record_u64(o, 32));
}

static PyGetSetDef stat_round_members[] = {
	COMMON, BODY(stat_round_type, U64, 0, "0: of an interval, 1: the last one"),
	BODY(time, U64, 8, "ns since the counting began"), END,
};

static PyObject *stat_round_repr(PyObject *o)
{
	return PyUnicode_FromFormat("{ type: stat_round, type: %llu, time: %llu }",
				    (unsigned long long)record_u64(o, 0),
				    (unsigned long long)record_u64(o, 8));
}

static PyObject *sample_repr(PyObject *o)
{
	return PyUnicode_FromString("{ type: sample }");
}

static PyObject *sample_getattro(PyObject *object, PyObject *name)
{
	const struct perf_record *self = (struct perf_record *)object;
	const struct event_format *format = self->evsel->format;
	const char *text = format && self->sample.raw ? PyUnicode_AsUTF8(name) : NULL;
	const struct field *field = text ? event_format_field(format, text) : NULL;

	if (PyErr_Occurred())
		return NULL;
	if (field)
		return py_field_value(field, self->sample.raw, self->sample.raw_size);
	return PyObject_GenericGetAttr(object, name);
}

static PyObject *sample_keys(PyObject *object, PyObject *unused)
{
	const struct perf_record *self = (struct perf_record *)object;
	const struct event_format *format = self->evsel->format;
	PyObject *list = PyObject_Dir((PyObject *)Py_TYPE(object));

	for (size_t i = 0; list && format && i < format->nr_fields; i++) {
		PyObject *name = PyUnicode_FromString(format->fields[i].name);

		if (!name || PyList_Append(list, name) < 0)
			Py_CLEAR(list);
		Py_XDECREF(name);
	}
	return list;
}

/* As in perf, where the code is not known. */
static PyObject *sample_insn(PyObject *object, PyObject *unused)
{
	Py_RETURN_NONE;
}

static PyMethodDef sample_methods[] = {
	{ "srccode", perf_place_source, METH_VARARGS,
	  "srccode(addr=sample_ip) -> (file, line, text)\n\nThe source of an address; None: not known." },
	{ "insn", sample_insn, METH_NOARGS, "insn() -> None\n\nInstructions are not handed on." },
	{ "__dir__", sample_keys, METH_NOARGS, "The attributes, and the tracepoint's fields." },
	{ NULL, NULL, 0, NULL },
};

static int record_traverse(PyObject *object, visitproc visit, void *arg)
{
	Py_VISIT(((struct perf_record *)object)->evsel);
	return 0;
}

static void record_dealloc(PyObject *object)
{
	struct perf_record *self = (struct perf_record *)object;

	PyObject_GC_UnTrack(object);
	free(self->header);
	maps_release(&self->held);
	Py_XDECREF(self->owner);
	Py_XDECREF(self->evsel);
	Py_TYPE(object)->tp_free(object);
}

/* The event that keeps it alive may be of a class with attributes, and part of a cycle. */
#define TYPE(name, what)							\
	{									\
		PyVarObject_HEAD_INIT(NULL, 0)					\
		.tp_name = "ktrace.perf." #name "_event",			\
		.tp_basicsize = sizeof(struct perf_record),			\
		.tp_flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_HAVE_GC,		\
		.tp_doc = what,							\
		.tp_dealloc = record_dealloc,					\
		.tp_traverse = record_traverse,					\
		.tp_repr = name##_repr,						\
		.tp_getset = name##_members,					\
	}

enum { MMAP, MMAP2, TASK_, COMM, THROTTLE, LOST, READ, SWITCH, STAT, STAT_ROUND, SAMPLE_ };

static PyTypeObject record_types[] = {
	[MMAP] = TYPE(mmap, "A task mapped a file."),
	[MMAP2] = TYPE(mmap2, "A task mapped a file, which is told apart."),
	[TASK_] = TYPE(task, "A task was forked, or ended."),
	[COMM] = TYPE(comm, "A task got a name."),
	[THROTTLE] = TYPE(throttle, "The kernel stopped an event that came too often, or let it go on."),
	[LOST] = TYPE(lost, "Records found no room in the ring."),
	[READ] = TYPE(read, "The count of an event for a task that ended."),
	[SWITCH] = TYPE(switch, "A task began to run, or stopped."),
	[STAT] = TYPE(stat, "The count of an event on a CPU or for a thread at the end of an "
		      "interval."),
	[STAT_ROUND] = TYPE(stat_round, "The end of an interval."),
	[SAMPLE_] = TYPE(sample, "An event happened; fields of tracepoints are attributes."),
};

static PyTypeObject *record_type_of(uint32_t type)
{
	switch (type) {
	case PERF_RECORD_MMAP: return &record_types[MMAP];
	case PERF_RECORD_MMAP2: return &record_types[MMAP2];
	case RECORD_STAT: return &record_types[STAT];
	case RECORD_STAT_ROUND: return &record_types[STAT_ROUND];
	case PERF_RECORD_FORK:
	case PERF_RECORD_EXIT: return &record_types[TASK_];
	case PERF_RECORD_COMM: return &record_types[COMM];
	case PERF_RECORD_THROTTLE:
	case PERF_RECORD_UNTHROTTLE: return &record_types[THROTTLE];
	case PERF_RECORD_LOST:
	case PERF_RECORD_LOST_SAMPLES: return &record_types[LOST];
	case PERF_RECORD_READ: return &record_types[READ];
	case PERF_RECORD_SWITCH:
	case PERF_RECORD_SWITCH_CPU_WIDE: return &record_types[SWITCH];
	case PERF_RECORD_SAMPLE: return &record_types[SAMPLE_];
	default: return NULL;
	}
}

static bool record_decode(struct perf_record *self, const struct event *event)
{
	const struct perf_event_header *header = self->header;
	size_t fixed = sizeof(*header) + 8;

	if (header->type == PERF_RECORD_SAMPLE)
		return sample_decode(event, header, &self->sample);
	if (header->type >= RECORD_USER_TYPE_START)
		return true;
	/* Without sample_id_all, nothing is known but the record itself. */
	if (!sample_id_decode(event, header, &self->sample) && event->attr.sample_id_all)
		return false;
	if (header->type == PERF_RECORD_READ && header->size >= fixed) {
		self->sample.read = (const uint64_t *)((const char *)header + fixed);
		self->sample.read_words = (header->size - fixed -
			(event->attr.sample_id_all ? sample_id_size(&event->attr) : 0)) / 8;
	}
	return true;
}

PyObject *perf_record_new(struct perf_evsel *evsel, const struct perf_event_header *header)
{
	PyTypeObject *type = record_type_of(header->type);
	struct perf_record *self = type ? (void *)type->tp_alloc(type, 0) : NULL;

	if (!self)
		return NULL;
	self->evsel = (struct perf_evsel *)Py_NewRef((PyObject *)evsel);
	self->is_its = true;
	self->header = malloc(header->size);
	if (!self->header) {
		Py_DECREF(self);
		return PyErr_NoMemory();
	}
	memcpy(self->header, header, header->size);
	if (record_decode(self, evsel->event))
		return (PyObject *)self;
	PyErr_Format(PyExc_OSError, "A record of %s does not have the layout of its event; add the "
		     "events of a list before they are opened", evsel->event->name);
	Py_DECREF(self);
	return NULL;
}

PyObject *perf_record_recorded(struct perf_evsel *evsel, const struct session_record *r,
			       PyObject *owner)
{
	struct perf_record *self = (struct perf_record *)perf_record_new(evsel, r->record.header);
	const struct sample *sample = &r->sample;

	if (!self)
		return NULL;
	self->is_its = evsel->event == r->event;
	/* Several events of a group share a record, which has the numbers of the leader. */
	self->sample.id = sample->id;
	self->sample.period = sample->period;
	self->sample.time = sample->time;
	self->sample.pid = sample->pid;
	self->sample.tid = sample->tid;
	self->sample.cpu = sample->cpu;
	self->sample.cpumode = sample->cpumode;
	if (r->record.header->type == PERF_RECORD_SAMPLE) {
		self->owner = Py_NewRef(owner);
		self->machine = r->machine;
		if (r->maps)
			maps_hold(&self->held, r->maps);
	}
	return (PyObject *)self;
}

/* The type of samples has the members of two tables. */
static int records_join(PyTypeObject *type)
{
	static PyGetSetDef joined[64];
	size_t nr = 0;

	for (const PyGetSetDef *from = sample_members; from->name; from++)
		joined[nr++] = *from;
	for (const PyGetSetDef *from = perf_place_members; from->name; from++)
		joined[nr++] = *from;
	type->tp_getset = joined;
	return PyType_Ready(type);
}

int perf_records_add(PyObject *module)
{
	record_types[SAMPLE_].tp_getattro = sample_getattro;
	record_types[SAMPLE_].tp_methods = sample_methods;
	if (records_join(&record_types[SAMPLE_]) < 0)
		return -1;
	for (size_t i = 0; i < sizeof(record_types) / sizeof(record_types[0]); i++)
		if (PyModule_AddType(module, &record_types[i]) < 0)
			return -1;
	return 0;
}

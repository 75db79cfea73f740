// SPDX-License-Identifier: GPL-2.0
#include "script/py_other_record.h"

#include <stddef.h>
#include <string.h>

#include "lib/array.h"

/* Layouts of the kernel's records (linux/perf_event.h). */
struct comm_record {
	struct perf_event_header header;
	int32_t pid, tid;
	char comm[];
};

struct task_record {
	struct perf_event_header header;
	int32_t pid, ppid, tid, ptid;
	uint64_t time;
};

struct mmap_record {
	struct perf_event_header header;
	int32_t pid, tid;
	uint64_t addr, len, pgoff;
	char filename[];
};

struct mmap2_record {
	struct perf_event_header header;
	int32_t pid, tid;
	uint64_t addr, len, pgoff;
	char ids[24];
	uint32_t prot, flags;
	char filename[];
};

struct lost_record {
	struct perf_event_header header;
	uint64_t id, lost;
};

static PyObject *text_behind(const struct session_record *r, size_t offset)
{
	const struct perf_event_header *header = r->record.header;
	const char *text = (const char *)header + offset;

	return py_text(text, header->size > offset ? strnlen(text, header->size - offset) : 0);
}

static PyObject *comm_items(const struct session_record *r)
{
	const struct comm_record *told = (const void *)r->record.header;

	return Py_BuildValue("{sisisNsO}", "pid", told->pid, "tid", told->tid,
			     "comm", text_behind(r, sizeof(*told)),
			     "exec", told->header.misc & PERF_RECORD_MISC_COMM_EXEC ?
				     Py_True : Py_False);
}

static PyObject *task_items(const struct session_record *r)
{
	const struct task_record *told = (const void *)r->record.header;

	return Py_BuildValue("{sisisisisN}", "pid", told->pid, "ppid", told->ppid,
			     "tid", told->tid, "ptid", told->ptid,
			     "comm", py_text(r->comm, strlen(r->comm)));
}

static PyObject *mmap_items(const struct session_record *r)
{
	const struct mmap_record *told = (const void *)r->record.header;
	size_t filename = r->record.header->type == PERF_RECORD_MMAP2 ?
			  sizeof(struct mmap2_record) : sizeof(*told);

	return Py_BuildValue("{sisisKsKsKsN}", "pid", told->pid, "tid", told->tid,
			     "addr", (unsigned long long)told->addr,
			     "len", (unsigned long long)told->len,
			     "pgoff", (unsigned long long)told->pgoff,
			     "filename", text_behind(r, filename));
}

static PyObject *lost_items(const struct session_record *r)
{
	const struct lost_record *told = (const void *)r->record.header;

	return Py_BuildValue("{sKsN}", "lost", (unsigned long long)told->lost,
			     "event", r->event ? PyUnicode_FromString(r->event->name) :
						 Py_NewRef(Py_None));
}

static PyObject *switch_items(const struct session_record *r)
{
	bool out = r->record.header->misc & PERF_RECORD_MISC_SWITCH_OUT;
	bool preempt = r->record.header->misc & PERF_RECORD_MISC_SWITCH_OUT_PREEMPT;

	return Py_BuildValue("{sisisOsO}", "pid", r->sample.pid, "tid", r->sample.tid,
			     "out", out ? Py_True : Py_False,
			     "preempt", out && preempt ? Py_True : Py_False);
}

static const struct {
	uint32_t type;
	const char *name;
	size_t size;		/* the least that a record has */
	PyObject *(*items)(const struct session_record *r);
} types[] = {
	{ PERF_RECORD_COMM, "comm", sizeof(struct comm_record), comm_items },
	{ PERF_RECORD_FORK, "fork", sizeof(struct task_record), task_items },
	{ PERF_RECORD_EXIT, "exit", sizeof(struct task_record), task_items },
	{ PERF_RECORD_MMAP, "mmap", sizeof(struct mmap_record), mmap_items },
	{ PERF_RECORD_MMAP2, "mmap", sizeof(struct mmap2_record), mmap_items },
	{ PERF_RECORD_LOST, "lost", sizeof(struct lost_record), lost_items },
	{ PERF_RECORD_SWITCH, "switch", sizeof(struct perf_event_header), switch_items },
	{ PERF_RECORD_SWITCH_CPU_WIDE, "switch", sizeof(struct perf_event_header), switch_items },
};

PyObject *py_other_record(const struct session_record *r)
{
	PyObject *items, *head, *namespace, *made = NULL, *empty;
	bool existing;
	size_t i = 0;

	while (i < ARRAY_SIZE(types) && types[i].type != r->record.header->type)
		i++;
	if (i == ARRAY_SIZE(types) || r->record.header->size < types[i].size)
		return NULL;
	/* Tasks that were there before the recording began are recorded with time 0. */
	existing = !r->sample.time &&
		   (types[i].items == comm_items || types[i].items == task_items ||
		    types[i].items == mmap_items);
	head = Py_BuildValue("{sssKsisO}", "type", types[i].name, "time",
			     (unsigned long long)r->sample.time, "cpu", r->sample.cpu,
			     "existing", existing ? Py_True : Py_False);
	items = types[i].items(r);
	namespace = PyImport_ImportModule("types");
	if (namespace)
		Py_SETREF(namespace, PyObject_GetAttrString(namespace, "SimpleNamespace"));
	empty = PyTuple_New(0);
	if (head && items && namespace && empty && PyDict_Update(head, items) == 0)
		made = PyObject_Call(namespace, empty, head);
	Py_XDECREF(empty);
	Py_XDECREF(namespace);
	Py_XDECREF(items);
	Py_XDECREF(head);
	return made;
}

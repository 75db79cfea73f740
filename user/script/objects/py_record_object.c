// SPDX-License-Identifier: GPL-2.0
#include "script/objects/py_record_object.h"

#include <stddef.h>
#include <string.h>

#include "lib/array.h"
#include "record/body.h"

static PyObject *record_text_object(const struct session_record *r, const char *text)
{
	return py_text(text, body_text_length(r->record.header, text));
}

static PyObject *comm_items(const struct session_record *r)
{
	const struct perf_event_header *header = r->record.header;
	const struct body_comm *body = body_of(header, struct body_comm);

	return Py_BuildValue("{sisisNsO}", "pid", body->pid, "tid", body->tid,
			     "comm", record_text_object(r, body->comm), "exec",
			     header->misc & PERF_RECORD_MISC_COMM_EXEC ? Py_True : Py_False);
}

static PyObject *task_items(const struct session_record *r)
{
	const struct body_task *body = body_of(r->record.header, struct body_task);

	return Py_BuildValue("{sisisisisN}", "pid", body->pid, "ppid", body->ppid,
			     "tid", body->tid, "ptid", body->ptid,
			     "comm", py_text(r->comm, strlen(r->comm)));
}

static PyObject *mmap_items(const struct session_record *r)
{
	const struct body_mmap *body = body_of(r->record.header, struct body_mmap);
	const struct body_mmap2 *mmap2 = body_of(r->record.header, struct body_mmap2);

	return Py_BuildValue("{sisisKsKsKsN}", "pid", body->pid, "tid", body->tid,
			     "addr", (unsigned long long)body->addr,
			     "len", (unsigned long long)body->len,
			     "pgoff", (unsigned long long)body->pgoff, "filename",
			     record_text_object(r, r->record.header->type == PERF_RECORD_MMAP2 ?
					mmap2->filename : body->filename));
}

static PyObject *lost_items(const struct session_record *r)
{
	const struct body_lost *body = body_of(r->record.header, struct body_lost);

	return Py_BuildValue("{sKsN}", "lost", (unsigned long long)body->lost,
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
	size_t size;		/* of the body, bytes at least */
	PyObject *(*items)(const struct session_record *r);
} types[] = {
	{ PERF_RECORD_COMM, "comm", sizeof(struct body_comm), comm_items },
	{ PERF_RECORD_FORK, "fork", sizeof(struct body_task), task_items },
	{ PERF_RECORD_EXIT, "exit", sizeof(struct body_task), task_items },
	{ PERF_RECORD_MMAP, "mmap", sizeof(struct body_mmap), mmap_items },
	{ PERF_RECORD_MMAP2, "mmap", sizeof(struct body_mmap2), mmap_items },
	{ PERF_RECORD_LOST, "lost", sizeof(struct body_lost), lost_items },
	{ PERF_RECORD_SWITCH, "switch", 0, switch_items },
	{ PERF_RECORD_SWITCH_CPU_WIDE, "switch", 0, switch_items },
};

PyObject *py_record_object(const struct session_record *r)
{
	PyObject *items, *head, *namespace, *made = NULL, *empty;
	bool existing;
	size_t i = 0;

	while (i < ARRAY_SIZE(types) && types[i].type != r->record.header->type)
		i++;
	if (i == ARRAY_SIZE(types) || !body_of_size(r->record.header, types[i].size))
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

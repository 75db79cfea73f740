// SPDX-License-Identifier: GPL-2.0
/*
 * data, session and thread: a recording, whose samples, counts and context switches are passed to
 * functions, and its tasks in their state at that instant.
 */
#include "module/perf.h"

#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#include "lib/array.h"
#include "record/body.h"

struct perf_data {
	PyObject_HEAD
	PyObject *path, *recording;	/* NULL: __init__ did not run */
};

struct perf_session {
	PyObject_HEAD
	PyObject *data;
	PyObject *texts[3];		/* vmlinux, kallsyms, symfs; None: not given */
	PyObject *sample, *stat, *context_switch;	/* NULL: nobody wants them */
	struct py_source *source;	/* of the next pass, or of the last one */
	struct processes *processes;	/* in their present state */
	bool has_run, running;
	struct session_consumer consumer;
	/* By the index of their event; NULL: no record was of it. */
	struct perf_evsel **items;
	size_t nr, alloc;
};

struct perf_thread {
	PyObject_HEAD
	struct perf_session *session;
	int32_t pid, tid;
};

static PyTypeObject data_type, session_type, thread_type;

/* The path of a pipe; NULL with an exception. */
static PyObject *data_pipe(int fd, PyObject *path)
{
	struct stat st;

	if (path && PyUnicode_CompareWithASCIIString(path, "-"))
		PyErr_SetString(PyExc_ValueError, "data() takes a path or a pipe, not both");
	else if (fstat(fd, &st) || !S_ISFIFO(st.st_mode))
		PyErr_Format(PyExc_ValueError, "fd=%d is no pipe; give the path of a file", fd);
	else
		return PyUnicode_FromFormat("/proc/self/fd/%d", fd);
	return NULL;
}

static int data_init(PyObject *object, PyObject *args, PyObject *keywords)
{
	static char *names[] = { "path", "fd", NULL };
	struct perf_data *self = (struct perf_data *)object;
	PyObject *path = NULL, *opened;
	int fd = -1;

	if (!PyArg_ParseTupleAndKeywords(args, keywords, "|Ui:data", names, &path, &fd))
		return -1;
	opened = fd >= 0 ? data_pipe(fd, path) : path ? Py_NewRef(path) :
			   PyUnicode_FromString("perf.data");
	if (!opened)
		return -1;
	Py_XSETREF(self->recording, py_recording_given(opened, Py_None));
	Py_XSETREF(self->path, fd >= 0 ? PyUnicode_FromString("-") : Py_NewRef(opened));
	Py_DECREF(opened);
	return self->recording && self->path ? 0 : -1;
}

static PyObject *data_str(PyObject *object)
{
	struct perf_data *self = (struct perf_data *)object;

	return self->path ? Py_NewRef(self->path) : PyUnicode_FromString("[uninitialized]");
}

static void data_dealloc(PyObject *object)
{
	struct perf_data *self = (struct perf_data *)object;

	Py_XDECREF(self->path);
	Py_XDECREF(self->recording);
	Py_TYPE(object)->tp_free(object);
}

static PyTypeObject data_type = {
	PyVarObject_HEAD_INIT(NULL, 0)
	.tp_name = "ktrace.perf.data",
	.tp_basicsize = sizeof(struct perf_data),
	.tp_flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_BASETYPE,
	.tp_doc = "data(path='perf.data', fd=-1)\n\nA recording of ktrace or perf; fd: a pipe.",
	.tp_new = PyType_GenericNew,
	.tp_init = data_init,
	.tp_dealloc = data_dealloc,
	.tp_repr = data_str,
	.tp_str = data_str,
};

static PyObject *thread_comm(PyObject *object, PyObject *unused)
{
	const struct perf_thread *self = (struct perf_thread *)object;
	const char *comm = processes_comm(self->session->processes, self->pid, self->tid);

	return comm ? py_text(comm, strlen(comm)) : PyErr_NoMemory();
}

enum thread_number { THREAD_PID, THREAD_TID, THREAD_PPID, THREAD_CPU };

static PyObject *thread_get(PyObject *object, void *which)
{
	const struct perf_thread *self = (struct perf_thread *)object;
	const struct processes *processes = self->session->processes;
	int32_t parent = processes_parent(processes, self->tid);

	switch ((uintptr_t)which) {
	case THREAD_PID:
		return PyLong_FromLong(self->pid);
	case THREAD_TID:
		return PyLong_FromLong(self->tid);
	case THREAD_PPID:
		return PyLong_FromLong(processes_pid(processes, parent));
	default:
		return PyLong_FromLong(-1);
	}
}

static int thread_traverse(PyObject *object, visitproc visit, void *arg)
{
	Py_VISIT(((struct perf_thread *)object)->session);
	return 0;
}

static void thread_dealloc(PyObject *object)
{
	PyObject_GC_UnTrack(object);
	Py_XDECREF(((struct perf_thread *)object)->session);
	Py_TYPE(object)->tp_free(object);
}

static PyMethodDef thread_methods[] = {
	{ "comm", thread_comm, METH_NOARGS, "comm() -> str\n\nIts name at this instant." },
	{ NULL, NULL, 0, NULL },
};

static PyGetSetDef thread_members[] = {
	{ "pid", thread_get, NULL, "process", (void *)THREAD_PID },
	{ "tid", thread_get, NULL, "task", (void *)THREAD_TID },
	{ "ppid", thread_get, NULL, "process of the parent; -1: not known", (void *)THREAD_PPID },
	{ "cpu", thread_get, NULL, "-1: not known", (void *)THREAD_CPU },
	{ NULL, NULL, NULL, NULL, NULL },
};

static PyTypeObject thread_type = {
	PyVarObject_HEAD_INIT(NULL, 0)
	.tp_name = "ktrace.perf.thread",
	.tp_basicsize = sizeof(struct perf_thread),
	.tp_flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_HAVE_GC | Py_TPFLAGS_DISALLOW_INSTANTIATION,
	.tp_doc = "A task of a recording.",
	.tp_dealloc = thread_dealloc,
	.tp_traverse = thread_traverse,
	.tp_methods = thread_methods,
	.tp_getset = thread_members,
};

/* Borrowed; NULL with an exception. */
static struct perf_evsel *session_evsel(struct perf_session *self, const struct session_record *r)
{
	const struct event *event = r->event ? r->event : r->events->items[0];
	struct perf_evsel **at = array_at(self, event->index, 0);

	if (!at) {
		PyErr_NoMemory();
		return NULL;
	}
	if (!*at)
		*at = perf_evsel_recorded(event, NULL, (PyObject *)self->source->input);
	if (*at && r->event && r->format)
		(*at)->format = r->format;
	return *at;
}

static struct error *session_raised(void)
{
	return error_new(0, "raised");	/* only the exception that is set matters */
}

/* @name: a second argument, which is stolen; NULL: there is none. */
static struct error *session_call(struct perf_session *self, PyObject *function, PyObject *name,
				  const struct session_record *r)
{
	struct perf_evsel *evsel = r->events && r->events->nr ? session_evsel(self, r) : NULL;
	PyObject *record = evsel ? perf_record_recorded(evsel, r, (PyObject *)self->source->input) :
				   NULL;
	PyObject *result = NULL;

	if (record && !PyErr_Occurred())
		result = PyObject_CallFunctionObjArgs(function, record, name, NULL);
	Py_XDECREF(name);
	Py_XDECREF(record);
	Py_XDECREF(result);
	return result || !PyErr_Occurred() ? NULL : session_raised();
}

static struct error *session_sample(struct session_consumer *consumer,
				    const struct session_record *r)
{
	struct perf_session *self = container_of(consumer, struct perf_session, consumer);

	return self->sample && r->event ? session_call(self, self->sample, NULL, r) : NULL;
}

static struct error *session_stat(struct perf_session *self, const struct session_record *r)
{
	const struct body_stat *body = body_of(r->record.header, struct body_stat);
	const struct event *event = body ? event_list_find_id(r->events, body->id) : NULL;
	const char *name = event ? event->name : "unknown";

	if (r->record.header->type == RECORD_STAT_ROUND)
		return session_call(self, self->stat, Py_NewRef(Py_None), r);
	return body ? session_call(self, self->stat, py_text(name, strlen(name)), r) : NULL;
}

static struct error *session_other(struct session_consumer *consumer,
				   const struct session_record *r)
{
	struct perf_session *self = container_of(consumer, struct perf_session, consumer);

	switch (r->record.header->type) {
	case RECORD_STAT:
	case RECORD_STAT_ROUND:
		return self->stat ? session_stat(self, r) : NULL;
	case PERF_RECORD_SWITCH:
	case PERF_RECORD_SWITCH_CPU_WIDE:
		return self->context_switch ?
		       session_call(self, self->context_switch, NULL, r) : NULL;
	default:
		return NULL;
	}
}

static const char *session_text(const struct perf_session *self, int which)
{
	PyObject *text = self->texts[which];

	return text == Py_None ? NULL : PyUnicode_AsUTF8(text);
}

/* Open the recording for a pass.  0, or -1 with an exception. */
static int session_open(struct perf_session *self)
{
	struct py_source *source = py_recording_take(((struct perf_data *)self->data)->recording);
	struct error *err;

	if (!source)
		return -1;
	err = py_source_symbols(source, session_text(self, 0), session_text(self, 1),
				session_text(self, 2));
	for (size_t i = 0; i < self->nr; i++)
		Py_CLEAR(self->items[i]);
	self->nr = 0;
	processes_destroy(self->processes);
	self->processes = NULL;
	Py_XSETREF(self->source, source);
	self->has_run = false;
	if (!err)
		err = processes_create(&self->processes);
	if (err)
		py_error_raise(err);
	return PyErr_Occurred() ? -1 : 0;
}

/* A function, or None.  0, or -1 with an exception. */
static int session_function(PyObject *given, const char *name, PyObject **ret)
{
	if (given == Py_None)
		return 0;
	if (!PyCallable_Check(given)) {
		PyErr_Format(PyExc_TypeError, "%s is a function, or None", name);
		return -1;
	}
	*ret = Py_NewRef(given);
	return 0;
}

/* 0, or -1 with an exception: the arguments need a decoder of hardware traces. */
static int session_refuse_traces(PyObject *call_return, PyObject *itrace)
{
	if (call_return == Py_None && itrace == Py_None)
		return 0;
	PyErr_Format(PyExc_ValueError, "%s is made of hardware traces, which ktrace does not decode; leave it "
		     "out, or read the recording with perf", call_return != Py_None ? "call_return" : "itrace");
	return -1;
}

static PyObject *session_new(PyTypeObject *type, PyObject *args, PyObject *keywords)
{
	static char *names[] = { "data", "sample", "stat", "context_switch", "call_return", "itrace",
				 "vmlinux", "kallsyms", "symfs", NULL };
	PyObject *data, *sample = Py_None, *stat = Py_None, *context_switch = Py_None;
	PyObject *call_return = Py_None, *itrace = Py_None;
	PyObject *texts[3] = { Py_None, Py_None, Py_None };
	struct perf_session *self;

	if (!PyArg_ParseTupleAndKeywords(args, keywords, "O!|OOOOOOOO:session", names, &data_type, &data,
					 &sample, &stat, &context_switch, &call_return, &itrace,
					 &texts[0], &texts[1], &texts[2]) ||
	    session_refuse_traces(call_return, itrace) < 0)
		return NULL;
	for (size_t i = 0; i < ARRAY_SIZE(texts); i++)
		if (texts[i] != Py_None && !PyUnicode_Check(texts[i]))
			return PyErr_Format(PyExc_TypeError, "%s is the path of a file, or None",
					    names[6 + i]);
	if (!((struct perf_data *)data)->recording)
		return PyErr_Format(PyExc_ValueError, "data.__init__() was not called");
	self = (struct perf_session *)type->tp_alloc(type, 0);
	if (!self)
		return NULL;
	self->data = Py_NewRef(data);
	for (size_t i = 0; i < ARRAY_SIZE(texts); i++)
		self->texts[i] = Py_NewRef(texts[i]);
	self->consumer = (struct session_consumer){
		.sample = session_sample, .other = session_other,
	};
	if (session_function(sample, "sample", &self->sample) < 0 ||
	    session_function(stat, "stat", &self->stat) < 0 ||
	    session_function(context_switch, "context_switch", &self->context_switch) < 0 ||
	    session_open(self) < 0)
		Py_CLEAR(self);
	return (PyObject *)self;
}

/* 0, or -1 with an exception: the caller turned warnings into exceptions. */
static int session_warn(const struct session *session)
{
	if (session->aux_bytes && PyErr_WarnEx(PyExc_RuntimeWarning, "The recording has hardware traces, "
					       "which ktrace does not decode", 1) < 0)
		return -1;
	if (!session->guests)
		return 0;
	return PyErr_WarnFormat(PyExc_RuntimeWarning, 1, "%llu samples are of guests, and left out",
				(unsigned long long)session->guests);
}

static PyObject *session_process_events(PyObject *object, PyObject *unused)
{
	struct perf_session *self = (struct perf_session *)object;
	struct session session;
	struct error *err;

	if (!py_step_begin(&self->running))
		return NULL;
	if (self->has_run && session_open(self) < 0) {
		self->running = false;
		return NULL;
	}
	self->has_run = true;
	session = py_source_session(self->source, self->source->input->machine);
	session.processes = self->processes;
	err = py_source_run(self->source, &session, &self->consumer);
	self->running = false;
	if (err || PyErr_Occurred())
		return err ? py_error_raise(err) : NULL;
	if (session_warn(&session) < 0)
		return NULL;
	Py_RETURN_NONE;
}

static PyObject *session_find_thread(PyObject *object, PyObject *args)
{
	struct perf_session *self = (struct perf_session *)object;
	int pid, tid = -1, of_tid;
	struct perf_thread *thread;

	if (!PyArg_ParseTuple(args, "i|i:find_thread", &pid, &tid))
		return NULL;
	if (tid == -1) {
		tid = pid;
		pid = -1;
	}
	of_tid = tid ? processes_pid(self->processes, tid) : 0;
	if (of_tid < 0 || (pid != -1 && pid != of_tid))
		Py_RETURN_NONE;
	thread = (struct perf_thread *)thread_type.tp_alloc(&thread_type, 0);
	if (!thread)
		return NULL;
	thread->session = (struct perf_session *)Py_NewRef(object);
	thread->pid = of_tid;
	thread->tid = tid;
	return (PyObject *)thread;
}

static PyObject *session_machine(PyObject *object, void *want_bits)
{
	const struct perf_session *self = (struct perf_session *)object;
	int bits, machine;

	machine = perf_elf_machine(reader_header(self->source->input->reader)->arch, &bits);
	if (!want_bits)
		return PyLong_FromLong(machine);
	return PyBool_FromLong(bits ? bits == 64 : sizeof(void *) == 8);
}

static int session_traverse(PyObject *object, visitproc visit, void *arg)
{
	const struct perf_session *self = (struct perf_session *)object;

	Py_VISIT(self->data);
	Py_VISIT(self->sample);
	Py_VISIT(self->stat);
	Py_VISIT(self->context_switch);
	return 0;
}

static int session_clear(PyObject *object)
{
	struct perf_session *self = (struct perf_session *)object;

	Py_CLEAR(self->sample);
	Py_CLEAR(self->stat);
	Py_CLEAR(self->context_switch);
	return 0;
}

static void session_dealloc(PyObject *object)
{
	struct perf_session *self = (struct perf_session *)object;

	PyObject_GC_UnTrack(object);
	session_clear(object);
	for (size_t i = 0; i < self->nr; i++)
		Py_XDECREF(self->items[i]);
	free(self->items);
	processes_destroy(self->processes);
	Py_XDECREF(self->source);
	Py_XDECREF(self->data);
	for (size_t i = 0; i < ARRAY_SIZE(self->texts); i++)
		Py_XDECREF(self->texts[i]);
	Py_TYPE(object)->tp_free(object);
}

static PyMethodDef session_methods[] = {
	{ "process_events", session_process_events, METH_NOARGS,
	  "process_events()\n\nGive the functions all records, in the order of time." },
	{ "find_thread", session_find_thread, METH_VARARGS,
	  "find_thread(pid, tid=-1) -> thread or None\n\n"
	  "A task as it is at this instant; of one number, the task with it.  None: not known." },
	{ "process", session_find_thread, METH_VARARGS,
	  "process(pid) -> thread or None\n\nThe same, by the name that it had first." },
	{ NULL, NULL, 0, NULL },
};

static PyGetSetDef session_members[] = {
	{ "e_machine", session_machine, NULL, "the recorded machine, as ELF numbers it; 0: not known", NULL },
	{ "is_64_bit", session_machine, NULL, "whether its words have 64 bits", "" },
	{ NULL, NULL, NULL, NULL, NULL },
};

static PyTypeObject session_type = {
	PyVarObject_HEAD_INIT(NULL, 0)
	.tp_name = "ktrace.perf.session",
	.tp_basicsize = sizeof(struct perf_session),
	.tp_flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_BASETYPE | Py_TPFLAGS_HAVE_GC,
	.tp_doc = "session(data, sample=None, stat=None, context_switch=None, call_return=None, itrace=None,"
		  " vmlinux=None, kallsyms=None, symfs=None)\n\n"
		  "A recording, whose samples are given to sample(event), counts and the ends of their "
		  "intervals to stat(event, name), and switches to context_switch(event).",
	.tp_new = session_new,
	.tp_dealloc = session_dealloc,
	.tp_traverse = session_traverse,
	.tp_clear = session_clear,
	.tp_methods = session_methods,
	.tp_getset = session_members,
};

int perf_session_add(PyObject *module)
{
	PyTypeObject *const types[] = { &data_type, &session_type, &thread_type };

	for (size_t i = 0; i < ARRAY_SIZE(types); i++)
		if (PyModule_AddType(module, types[i]) < 0)
			return -1;
	return 0;
}

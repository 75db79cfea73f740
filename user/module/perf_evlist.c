// SPDX-License-Identifier: GPL-2.0
/*
 * evlist: events that are opened, waited for and read together, from a ring for each CPU.
 */
#include "module/perf.h"

#include <errno.h>
#include <poll.h>
#include <sys/ioctl.h>

#include "capture/perf/perf_ring.h"
#include "lib/array.h"
#include "lib/monotonic.h"
#include "lib/strbuf.h"

struct evlist_ring {
	struct perf_ring ring;
	int32_t cpu, thread;	/* thread: of cpu -1, where each task has its ring; else -1 */
};

struct evlist {
	PyObject_HEAD
	struct perf_map *cpus, *threads;	/* NULL: __init__ did not run */
	ARRAY_OF(struct perf_evsel *) evsels;
	ARRAY_OF(struct evlist_ring) rings;
	struct event_list events;	/* the evsels' own, once there are rings */
	char *record;			/* RING_RECORD_MAX bytes, once there are rings */
};

static void evlist_unmap(struct evlist *self)
{
	for (size_t i = 0; i < self->rings.nr; i++)
		perf_ring_unmap(&self->rings.items[i].ring);
	self->rings.nr = 0;
	/* The events belong to the evsels. */
	self->events.nr = 0;
	event_list_deinit(&self->events);
}

static int evlist_check(struct evlist *self)
{
	if (self->cpus)
		return 0;
	PyErr_SetString(PyExc_ValueError, "evlist.__init__() was not called for this list");
	return -1;
}

static int evlist_init(PyObject *object, PyObject *args, PyObject *keywords)
{
	static char *names[] = { "cpus", "threads", NULL };
	struct evlist *self = (struct evlist *)object;
	PyObject *cpus, *threads;

	if (!PyArg_ParseTupleAndKeywords(args, keywords, "O!O!:evlist", names, &perf_cpu_map_type,
					 &cpus, &perf_thread_map_type, &threads))
		return -1;
	Py_XSETREF(self->cpus, (struct perf_map *)Py_NewRef(cpus));
	Py_XSETREF(self->threads, (struct perf_map *)Py_NewRef(threads));
	return 0;
}

PyObject *perf_evlist_new(struct perf_map *cpus, struct perf_map *threads)
{
	struct evlist *self = (struct evlist *)perf_evlist_type.tp_alloc(&perf_evlist_type, 0);

	if (!self)
		return NULL;
	self->cpus = cpus ? (void *)Py_NewRef((PyObject *)cpus) :
			    (void *)PyObject_CallNoArgs((PyObject *)&perf_cpu_map_type);
	self->threads = threads ? (void *)Py_NewRef((PyObject *)threads) :
				  perf_map_any(&perf_thread_map_type);
	if (!self->cpus || !self->threads)
		Py_CLEAR(self);
	return (PyObject *)self;
}

int perf_evlist_add(PyObject *object, struct perf_evsel *evsel)
{
	struct evlist *self = (struct evlist *)object;

	if (evlist_check(self) < 0 || perf_evsel_check(evsel) < 0)
		return -1;
	if (self->rings.nr) {
		PyErr_SetString(PyExc_ValueError, "the list has rings already; add() comes before mmap()");
		return -1;
	}
	if (!array_push(&self->evsels, evsel)) {
		PyErr_NoMemory();
		return -1;
	}
	Py_INCREF(evsel);
	/* As perf has it, the first one reports tasks and maps for all. */
	if (self->evsels.nr == 1 && !evsel->was_open)
		evsel->tracking = true;
	return 0;
}

static PyObject *evlist_add(PyObject *object, PyObject *evsel)
{
	if (!PyObject_TypeCheck(evsel, &perf_evsel_type)) {
		PyErr_SetString(PyExc_TypeError, "add() takes an evsel");
		return NULL;
	}
	if (perf_evlist_add(object, (struct perf_evsel *)evsel) < 0)
		return NULL;
	return PyLong_FromSize_t(((struct evlist *)object)->evsels.nr);
}

static PyObject *evlist_open(PyObject *object, PyObject *args, PyObject *keywords)
{
	static char *names[] = { "group", NULL };
	struct evlist *self = (struct evlist *)object;
	size_t first = SIZE_MAX;
	int group = 0;

	if (!PyArg_ParseTupleAndKeywords(args, keywords, "|i:open", names, &group) ||
	    evlist_check(self) < 0)
		return NULL;
	for (size_t i = 0; i < self->evsels.nr; i++) {
		struct perf_evsel *evsel = self->evsels.items[i];
		const struct perf_evsel *leader = group && i ? self->evsels.items[0] : NULL;

		if (evsel->places)
			continue;
		/* The id in a record identifies its event. */
		if (self->evsels.nr > 1)
			evsel->event->attr.sample_type |= PERF_SAMPLE_IDENTIFIER;
		first = first == SIZE_MAX ? i : first;
		if (perf_evsel_open(evsel, self->cpus, self->threads, leader) == 0)
			continue;
		for (; first < i; first++)
			perf_evsel_close(self->evsels.items[first]);
		return NULL;
	}
	Py_RETURN_NONE;
}

static struct evlist_ring *evlist_find_ring(struct evlist *self, int32_t cpu, int32_t thread)
{
	return array_find(&self->rings, it, it->cpu == cpu && it->thread == thread);
}

/* Let one descriptor write into the ring of its CPU, or of its task, which may be the first. */
static struct error *evlist_map_place(struct evlist *self, const struct perf_evsel *evsel,
				      size_t place, unsigned int pages)
{
	struct evlist_ring made = {
		.cpu = evsel->cpus->items[place / evsel->threads->nr], .thread = -1,
	};
	int fd = evsel->places[place].fd;
	struct evlist_ring *there;
	struct error *err;

	if (fd < 0)
		return NULL;
	if (made.cpu < 0)
		made.thread = evsel->threads->items[place % evsel->threads->nr];
	there = evlist_find_ring(self, made.cpu, made.thread);
	if (there && ioctl(fd, PERF_EVENT_IOC_SET_OUTPUT, there->ring.fd))
		return error_errno(errno, "Cannot send %s to the ring of CPU %d",
				   evsel->event->name, made.cpu);
	if (there)
		return NULL;
	if (made.cpu < 0 && evsel->event->attr.inherit)
		return error_hint(error_new(EOPNOTSUPP, "%s is inherited by tasks and open on any CPU, which "
					    "allows no ring", evsel->event->name),
				  "Open it with cpus=perf.cpu_map(), or without inherit");
	err = perf_ring_map(&made.ring, fd, pages, made.cpu < 0 ? 0 : made.cpu, false);
	if (err)
		return err;
	if (array_push(&self->rings, made))
		return NULL;
	perf_ring_unmap(&made.ring);
	return &error_no_memory;
}

static struct error *evlist_index(struct evlist *self)
{
	struct error *err;

	for (size_t i = 0; i < self->evsels.nr; i++)
		if (!array_push(&self->events, self->evsels.items[i]->event))
			return &error_no_memory;
	err = event_list_index(&self->events);
	if (err || self->evsels.nr <= 1)
		return err;
	if (self->events.one_layout && self->events.items[0]->id_offset >= 0)
		return NULL;
	return error_hint(error_new(EINVAL, "The records of these events do not tell which one they are of"),
			  "Add perf.SAMPLE_IDENTIFIER to the sample_type of each, or let evlist.open() "
			  "open them");
}

static struct error *evlist_map(struct evlist *self, unsigned int pages)
{
	struct error *err = evlist_index(self);

	if (!err && !self->record) {
		self->record = malloc(RING_RECORD_MAX);
		err = self->record ? NULL : &error_no_memory;
	}
	for (size_t i = 0; !err && i < self->evsels.nr; i++)
		for (size_t j = 0; !err && j < perf_evsel_nr(self->evsels.items[i]); j++)
			err = evlist_map_place(self, self->evsels.items[i], j, pages);
	if (!err && !self->rings.nr)
		err = error_hint(error_new(EINVAL, "No event of the list is open"),
				 "open() them before mmap()");
	return err;
}

static PyObject *evlist_mmap(PyObject *object, PyObject *args, PyObject *keywords)
{
	static char *names[] = { "pages", "overwrite", NULL };
	struct evlist *self = (struct evlist *)object;
	int pages = 128, overwrite = 0;
	struct error *err;

	if (!PyArg_ParseTupleAndKeywords(args, keywords, "|ii:mmap", names, &pages, &overwrite))
		return NULL;
	if (pages <= 0 || (pages & (pages - 1)) || overwrite || self->rings.nr) {
		PyErr_SetString(PyExc_ValueError, overwrite ?
				"a ring that is overwritten cannot be read record by record; leave out overwrite" :
				self->rings.nr ? "the list has rings already; close() it first" :
				"pages is a power of two");
		return NULL;
	}
	err = evlist_map(self, pages);
	if (!err)
		Py_RETURN_NONE;
	evlist_unmap(self);
	return py_error_raise(err);
}

static struct pollfd *evlist_pollfds(const struct evlist *self)
{
	struct pollfd *fds = calloc(self->rings.nr + 1, sizeof(*fds));

	for (size_t i = 0; fds && i < self->rings.nr; i++)
		fds[i] = (struct pollfd){ .fd = self->rings.items[i].ring.fd, .events = POLLIN };
	return fds;
}

static PyObject *evlist_poll(PyObject *object, PyObject *args, PyObject *keywords)
{
	static char *names[] = { "timeout", NULL };
	struct evlist *self = (struct evlist *)object;
	int timeout = -1, n, code;
	struct pollfd *fds;
	size_t nr = self->rings.nr;
	int64_t end;

	if (!PyArg_ParseTupleAndKeywords(args, keywords, "|i:poll", names, &timeout))
		return NULL;
	if (!nr) {
		PyErr_SetString(PyExc_ValueError, "the list has no rings to wait for; mmap() makes them");
		return NULL;
	}
	fds = evlist_pollfds(self);
	if (!fds)
		return PyErr_NoMemory();
	end = monotonic_ms() + timeout;
	do {
		int left = timeout < 0 ? -1 : (int)(end - monotonic_ms());

		Py_BEGIN_ALLOW_THREADS
		n = poll(fds, nr, timeout >= 0 && left < 0 ? 0 : left);
		code = errno;
		Py_END_ALLOW_THREADS
	} while (n < 0 && code == EINTR && !PyErr_CheckSignals());
	free(fds);
	if (PyErr_Occurred())
		return NULL;
	return n < 0 ? py_error_raise(error_errno(code, "Cannot wait for the rings")) :
	       PyLong_FromLong(n);
}

static PyObject *evlist_get_pollfd(PyObject *object, PyObject *unused)
{
	struct evlist *self = (struct evlist *)object;
	PyObject *list = PyList_New(0);

	for (size_t i = 0; list && i < self->rings.nr; i++) {
		PyObject *file = PyFile_FromFd(self->rings.items[i].ring.fd, NULL, "r", -1, NULL, NULL,
					       NULL, 0);

		if (!file || PyList_Append(list, file) < 0)
			Py_CLEAR(list);
		Py_XDECREF(file);
	}
	return list;
}

/* The evsel of the record, by the number in it. */
static struct perf_evsel *evlist_evsel_of(struct evlist *self,
					 const struct perf_event_header *header)
{
	const struct event *event = event_list_find_record(&self->events, header);

	for (size_t i = 0; event && i < self->evsels.nr; i++)
		if (self->evsels.items[i]->event == event)
			return self->evsels.items[i];
	return self->evsels.items[0];
}

static PyObject *evlist_read_on_cpu(PyObject *object, PyObject *args, PyObject *keywords)
{
	static char *names[] = { "cpu", "sample_id_all", NULL };
	struct evlist *self = (struct evlist *)object;
	int cpu, sample_id_all = 1;
	bool known = false;

	if (!PyArg_ParseTupleAndKeywords(args, keywords, "i|i:read_on_cpu", names, &cpu,
					 &sample_id_all))
		return NULL;
	for (size_t i = 0; i < self->rings.nr; i++) {
		const struct perf_event_header *header = (void *)self->record;
		struct evlist_ring *r = &self->rings.items[i];
		bool there = r->cpu == cpu;

		known |= r->cpu == cpu;
		while (there) {
			struct error *err = ring_take(&r->ring.ring, self->record, &there);
			PyObject *made;

			if (err)
				return py_error_raise(err);
			if (!there)
				break;
			made = perf_record_new(evlist_evsel_of(self, header), header);
			if (made || PyErr_Occurred())
				return made;
		}
	}
	if (known)
		Py_RETURN_NONE;
	PyErr_Format(PyExc_TypeError, self->rings.nr ?
		     "CPU %d has no ring; the CPUs of the list's events have them" :
		     "CPU %d has no ring; mmap() makes the rings", cpu);
	return NULL;
}

static PyObject *evlist_close(PyObject *object, PyObject *unused)
{
	struct evlist *self = (struct evlist *)object;

	evlist_unmap(self);
	for (size_t i = 0; i < self->evsels.nr; i++)
		perf_evsel_close(self->evsels.items[i]);
	Py_RETURN_NONE;
}

static PyObject *evlist_control(PyObject *object, unsigned long request)
{
	struct evlist *self = (struct evlist *)object;

	for (size_t i = 0; i < self->evsels.nr; i++)
		if (perf_evsel_control(self->evsels.items[i], request) < 0)
			return NULL;
	Py_RETURN_NONE;
}

static PyObject *evlist_enable(PyObject *object, PyObject *unused)
{
	return evlist_control(object, PERF_EVENT_IOC_ENABLE);
}

static PyObject *evlist_disable(PyObject *object, PyObject *unused)
{
	return evlist_control(object, PERF_EVENT_IOC_DISABLE);
}

static PyObject *evlist_config(PyObject *object, PyObject *unused)
{
	struct evlist *self = (struct evlist *)object;

	for (size_t i = 0; i < self->evsels.nr; i++) {
		if (self->evsels.items[i]->was_open) {
			PyErr_SetString(PyExc_ValueError, "config() comes before open()");
			return NULL;
		}
		perf_evsel_record(self->evsels.items[i]);
	}
	Py_RETURN_NONE;
}

static PyObject *evlist_all_cpus(PyObject *object, PyObject *unused)
{
	struct evlist *self = (struct evlist *)object;

	return evlist_check(self) < 0 ? NULL : Py_NewRef((PyObject *)self->cpus);
}

static PyMethodDef evlist_methods[] = {
	{ "add", evlist_add, METH_O, "add(evsel) -> int\n\nAppend an event; returns their number." },
	{ "open", (PyCFunction)(void (*)(void))evlist_open, METH_VARARGS | METH_KEYWORDS,
	  "open(group=0)\n\nOpen the events that are not open yet, with the maps of the list." },
	{ "mmap", (PyCFunction)(void (*)(void))evlist_mmap, METH_VARARGS | METH_KEYWORDS,
	  "mmap(pages=128)\n\nMake a ring for each CPU." },
	{ "poll", (PyCFunction)(void (*)(void))evlist_poll, METH_VARARGS | METH_KEYWORDS,
	  "poll(timeout=-1) -> int\n\nWait for records, at most timeout ms (-1: for ever)." },
	{ "get_pollfd", evlist_get_pollfd, METH_NOARGS,
	  "get_pollfd() -> list\n\nFiles that become readable with records; the list closes them." },
	{ "read_on_cpu", (PyCFunction)(void (*)(void))evlist_read_on_cpu,
	  METH_VARARGS | METH_KEYWORDS,
	  "read_on_cpu(cpu) -> event or None\n\nThe oldest record of the CPU's ring, or None." },
	{ "config", evlist_config, METH_NOARGS,
	  "config()\n\n"
	  "Set the defaults of a recording for events without further options." },
	{ "enable", evlist_enable, METH_NOARGS, "enable()\n\nLet all events happen." },
	{ "disable", evlist_disable, METH_NOARGS, "disable()\n\nLet them happen no more." },
	{ "all_cpus", evlist_all_cpus, METH_NOARGS, "all_cpus() -> cpu_map\n\nThe list's CPUs." },
	{ "close", evlist_close, METH_NOARGS, "close()\n\nRelease the rings and close the events." },
	{ NULL, NULL, 0, NULL },
};

static Py_ssize_t evlist_length(PyObject *object)
{
	return ((struct evlist *)object)->evsels.nr;
}

static PyObject *evlist_item(PyObject *object, Py_ssize_t i)
{
	struct evlist *self = (struct evlist *)object;

	if (i >= 0 && i < (Py_ssize_t)self->evsels.nr)
		return Py_NewRef((PyObject *)self->evsels.items[i]);
	PyErr_SetString(PyExc_IndexError, "the list has no such event");
	return NULL;
}

static PyObject *evlist_repr(PyObject *object)
{
	struct evlist *self = (struct evlist *)object;
	_cleanup_(strbuf) struct strbuf text = STRBUF_INIT;

	for (size_t i = 0; i < self->evsels.nr; i++)
		strbuf_addf(&text, "%s%s", i ? "," : "", self->evsels.items[i]->event->name);
	return PyUnicode_FromFormat("evlist([%s])", text.data ? text.data : "");
}

static int evlist_traverse(PyObject *object, visitproc visit, void *arg)
{
	struct evlist *self = (struct evlist *)object;

	Py_VISIT(self->cpus);
	Py_VISIT(self->threads);
	for (size_t i = 0; i < self->evsels.nr; i++)
		Py_VISIT(self->evsels.items[i]);
	return 0;
}

static int evlist_clear(PyObject *object)
{
	struct evlist *self = (struct evlist *)object;

	evlist_unmap(self);
	while (self->evsels.nr)
		Py_DECREF(self->evsels.items[--self->evsels.nr]);
	Py_CLEAR(self->cpus);
	Py_CLEAR(self->threads);
	return 0;
}

static void evlist_dealloc(PyObject *object)
{
	struct evlist *self = (struct evlist *)object;

	PyObject_GC_UnTrack(object);
	evlist_clear(object);
	free(self->evsels.items);
	free(self->rings.items);
	free(self->record);
	Py_TYPE(object)->tp_free(object);
}

static PySequenceMethods evlist_sequence = { .sq_length = evlist_length, .sq_item = evlist_item };

PyTypeObject perf_evlist_type = {
	PyVarObject_HEAD_INIT(NULL, 0)
	.tp_name = "ktrace.perf.evlist",
	.tp_basicsize = sizeof(struct evlist),
	.tp_flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_BASETYPE | Py_TPFLAGS_HAVE_GC,
	.tp_doc = "evlist(cpus, threads)\n\nEvents that are opened and read together.",
	.tp_new = PyType_GenericNew,
	.tp_init = evlist_init,
	.tp_dealloc = evlist_dealloc,
	.tp_traverse = evlist_traverse,
	.tp_clear = evlist_clear,
	.tp_repr = evlist_repr,
	.tp_methods = evlist_methods,
	.tp_as_sequence = &evlist_sequence,
};

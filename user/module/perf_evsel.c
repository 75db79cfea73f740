// SPDX-License-Identifier: GPL-2.0
/*
 * evsel: one event, and its descriptors on the CPUs and tasks of two maps.
 */
#include "module/perf.h"

#include <errno.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "capture/event_attr.h"
#include "capture/perf/perf_open.h"
#include "perfdata/event_name.h"

/* The arguments of evsel(), in perf's order. */
#define EVSEL_ARGUMENTS(X) \
	X(type) X(config) X(sample_freq) X(sample_period) X(sample_type) X(read_format) \
	X(disabled) X(inherit) X(pinned) X(exclusive) X(exclude_user) X(exclude_kernel) \
	X(exclude_hv) X(exclude_idle) X(mmap) X(context_switch) X(comm) X(freq) \
	X(inherit_stat) X(enable_on_exec) X(task) X(watermark) X(precise_ip) X(mmap_data) \
	X(sample_id_all) X(wakeup_events) X(bp_type) X(bp_addr) X(bp_len)

#define NAME_OF(name) #name,
static const char *const evsel_arguments[] = { EVSEL_ARGUMENTS(NAME_OF) };
#define NR_ARGUMENTS (sizeof(evsel_arguments) / sizeof(evsel_arguments[0]))

#define NUMBER_OF(name) ARGUMENT_##name,
enum { EVSEL_ARGUMENTS(NUMBER_OF) };

static void evsel_assign(struct perf_event_attr *attr, size_t argument, uint64_t value)
{
#define ASSIGN(name) case ARGUMENT_##name: attr->name = value; break;
	switch (argument) { EVSEL_ARGUMENTS(ASSIGN) }
}

/* 0, or -1 with an exception. */
static int evsel_parse_one(struct perf_event_attr *attr, size_t argument, PyObject *given,
			   uint64_t *seen)
{
	uint64_t value = PyLong_AsUnsignedLongLong(given);

	if (PyErr_Occurred())
		return -1;
	if (argument == ARGUMENT_sample_period || argument == ARGUMENT_sample_freq) {
		if (!value)
			return 0;
		*seen |= 1ULL << argument;
	}
	evsel_assign(attr, argument, value);
	return 0;
}

static int evsel_parse(PyObject *args, PyObject *keywords, struct perf_event_attr *attr)
{
	const uint64_t both = 1ULL << ARGUMENT_sample_period | 1ULL << ARGUMENT_sample_freq;
	PyObject *name, *value;
	Py_ssize_t at = 0;
	uint64_t seen = 0;

	if (PyTuple_GET_SIZE(args) > (Py_ssize_t)NR_ARGUMENTS) {
		PyErr_Format(PyExc_TypeError, "evsel() takes at most %zu arguments", NR_ARGUMENTS);
		return -1;
	}
	for (Py_ssize_t i = 0; i < PyTuple_GET_SIZE(args); i++)
		if (evsel_parse_one(attr, i, PyTuple_GET_ITEM(args, i), &seen) < 0)
			return -1;
	while (keywords && PyDict_Next(keywords, &at, &name, &value)) {
		size_t i = 0;

		while (i < NR_ARGUMENTS &&
		       PyUnicode_CompareWithASCIIString(name, evsel_arguments[i]))
			i++;
		if (i == NR_ARGUMENTS) {
			PyErr_Format(PyExc_TypeError, "evsel() has no argument '%U'", name);
			return -1;
		}
		if (evsel_parse_one(attr, i, value, &seen) < 0)
			return -1;
	}
	if ((seen & both) != both)
		return 0;
	PyErr_SetString(PyExc_ValueError, "an event has a sample_period or a sample_freq, not both");
	return -1;
}

static struct error *evsel_set(struct perf_evsel *self, const struct perf_event_attr *attr,
			       const char *name)
{
	struct perf_event_attr named = *attr;
	_cleanup_free_ char *derived = NULL;
	struct error *err = NULL;

	/* perf's name for an event without modifiers is that of one which leaves out guests. */
	named.exclude_guest = 1;
	if (!name && attr->type == PERF_TYPE_TRACEPOINT)
		err = perf_tracepoint_name(attr->config, &derived);
	else if (!name)
		err = event_name_derive(&named, NULL, &derived);
	name = name ? name : derived;
	event_list_deinit(&self->list);
	self->event = NULL;
	if (!err)
		err = event_list_add(&self->list, attr, name, &self->event);
	return err;
}

static int evsel_init(PyObject *object, PyObject *args, PyObject *keywords)
{
	struct perf_evsel *self = (struct perf_evsel *)object;
	struct perf_event_attr attr = {
		.type = PERF_TYPE_HARDWARE, .config = PERF_COUNT_HW_CPU_CYCLES,
		.sample_type = PERF_SAMPLE_PERIOD | PERF_SAMPLE_TID,
		.size = sizeof(attr), .freq = 1, .sample_id_all = 1,
	};
	struct error *err;

	/* Objects of records refer to the layout of their event, so it is set only once. */
	if (self->event) {
		PyErr_SetString(PyExc_ValueError, "evsel.__init__() is called once for an event");
		return -1;
	}
	if (evsel_parse(args, keywords, &attr) < 0)
		return -1;
	err = evsel_set(self, &attr, NULL);
	if (err)
		py_error_raise(err);
	return err ? -1 : 0;
}

struct perf_evsel *perf_evsel_new(const struct event_spec *spec)
{
	const struct event_attr_options options = { .clockid = -1, .leader = true };
	struct perf_evsel *self;
	struct perf_event_attr attr = { 0 };
	struct error *err;

	self = (struct perf_evsel *)perf_evsel_type.tp_alloc(&perf_evsel_type, 0);
	if (!self)
		return NULL;
	event_attr_init(spec, &options, &attr);
	attr.disabled = 0;
	attr.read_format = 0;
	attr.sample_id_all = 1;
	attr.sample_type = PERF_SAMPLE_TID | PERF_SAMPLE_PERIOD;
	if (spec->type == PERF_TYPE_TRACEPOINT) {
		attr.sample_type |= PERF_SAMPLE_TIME | PERF_SAMPLE_CPU | PERF_SAMPLE_RAW;
	} else if (!spec->period && !spec->freq) {
		attr.freq = 0;
		attr.sample_period = 0;
	}
	err = evsel_set(self, &attr, spec->text);
	if (!err)
		return self;
	Py_DECREF(self);
	py_error_raise(err);
	return NULL;
}

struct perf_evsel *perf_evsel_recorded(const struct event *event, const struct event_format *format,
				       PyObject *owner)
{
	struct perf_evsel *self;

	self = (struct perf_evsel *)perf_evsel_type.tp_alloc(&perf_evsel_type, 0);
	if (!self)
		return NULL;
	self->owner = Py_NewRef(owner);
	self->event = (struct event *)event;
	self->format = format;
	self->was_open = true;
	return self;
}

void perf_evsel_record(struct perf_evsel *self)
{
	struct perf_event_attr *attr = &self->event->attr;

	attr->sample_type |= PERF_SAMPLE_IP | PERF_SAMPLE_TID | PERF_SAMPLE_TIME | PERF_SAMPLE_CPU |
			     PERF_SAMPLE_PERIOD;
	attr->sample_id_all = 1;
	attr->disabled = 1;
	if (attr->type == PERF_TYPE_TRACEPOINT)
		attr->sample_type |= PERF_SAMPLE_RAW;
	if (!attr->sample_period && !event_is_dummy(self->event)) {
		attr->freq = attr->type != PERF_TYPE_TRACEPOINT;
		attr->sample_period = attr->freq ? EVENT_ATTR_DEFAULT_FREQ : 1;
	}
	if (self->tracking)
		attr->mmap = attr->comm = attr->task = 1;
}

int perf_evsel_check(const struct perf_evsel *self)
{
	if (self->event)
		return 0;
	PyErr_SetString(PyExc_ValueError, "evsel.__init__() was not called for this event");
	return -1;
}

void perf_evsel_close(struct perf_evsel *self)
{
	for (size_t i = 0; i < perf_evsel_nr(self); i++) {
		struct perf_place *p = &self->places[i];
		uint64_t id;

		/*
		 * A caller who got the descriptor may have closed it, and another file may have its
		 * number.
		 */
		if (p->fd >= 0 && !ioctl(p->fd, PERF_EVENT_IOC_ID, &id) && id == p->id)
			close(p->fd);
	}
	free(self->places);
	self->places = NULL;
	Py_CLEAR(self->cpus);
	Py_CLEAR(self->threads);
	if (self->event && !self->owner) {
		free(self->event->ids);
		self->event->ids = NULL;
		self->event->nr_ids = 0;
	}
}

static struct error *evsel_find_format(struct perf_evsel *self)
{
	const struct perf_event_attr *attr = &self->event->attr;
	struct error *err;

	if (self->formats || attr->type != PERF_TYPE_TRACEPOINT ||
	    !(attr->sample_type & PERF_SAMPLE_RAW))
		return NULL;
	err = perf_tracepoint_formats(attr->config, &self->formats);
	if (!err)
		self->format = formats_find(self->formats, attr->config);
	return err;
}

static struct error *evsel_open_place(struct perf_evsel *self, size_t cpu, size_t thread,
				      const struct perf_evsel *leader, struct perf_place *place)
{
	size_t at = cpu * self->threads->nr + thread;
	struct error *err;

	place->fd = -1;
	if (leader && leader->places[at].fd < 0)
		return NULL;
	err = perf_open(self->event, self->threads->items[thread], self->cpus->items[cpu],
			leader ? leader->places[at].fd : -1, &place->fd);
	if (err || place->fd < 0)
		return err;
	if (ioctl(place->fd, PERF_EVENT_IOC_ID, &place->id)) {
		err = error_errno(errno, "Cannot read the number of %s", self->event->name);
		close(place->fd);
		place->fd = -1;
		return err;
	}
	return event_add_id(self->event, place->id);
}

static struct error *evsel_open_all(struct perf_evsel *self, const struct perf_evsel *leader)
{
	size_t nr_threads = self->threads->nr, nr = self->cpus->nr * nr_threads;
	struct error *err = evsel_find_format(self);

	if (err)
		return err;
	if (perf_map_find(self->cpus, -1) >= 0 && perf_map_find(self->threads, -1) >= 0)
		return error_hint(error_new(EOPNOTSUPP, "%s cannot be opened for all tasks on any CPU",
					    self->event->name),
				  "Give open() cpus=perf.cpu_map(), or threads=perf.thread_map(pid)");
	self->was_open = true;
	event_finish(self->event);
	self->places = calloc(nr, sizeof(*self->places));
	if (!self->places)
		return &error_no_memory;
	for (size_t i = 0; i < nr; i++)
		self->places[i].fd = -1;
	for (size_t i = 0; i < nr && !err; i++)
		err = evsel_open_place(self, i / nr_threads, i % nr_threads, leader,
				       &self->places[i]);
	if (!err && !self->event->nr_ids)
		err = error_hint(error_new(ESRCH, "No task of the thread_map runs any more, so %s was not "
					   "opened", self->event->name),
				 "'ps -eL' lists the tasks");
	return err;
}

int perf_evsel_open(struct perf_evsel *self, struct perf_map *cpus, struct perf_map *threads,
		    const struct perf_evsel *leader)
{
	struct error *err;

	if (perf_evsel_check(self) < 0)
		return -1;
	if (self->owner) {
		PyErr_Format(PyExc_ValueError, "%s is of a recording; parse_events() gives events that can "
			     "be opened", self->event->name);
		return -1;
	}
	if (self->places) {
		PyErr_Format(PyExc_ValueError, "%s is open already; close() it first",
			     self->event->name);
		return -1;
	}
	self->cpus = cpus ? (void *)Py_NewRef((PyObject *)cpus) : perf_map_any(&perf_cpu_map_type);
	self->threads = threads ? (void *)Py_NewRef((PyObject *)threads) :
				  perf_map_any(&perf_thread_map_type);
	if (!self->cpus || !self->threads) {
		perf_evsel_close(self);
		return -1;
	}
	if (leader && !(perf_map_equal(leader->cpus, self->cpus) &&
			perf_map_equal(leader->threads, self->threads))) {
		perf_evsel_close(self);
		PyErr_Format(PyExc_ValueError, "%s is open on other CPUs or for other tasks than its group "
			     "would be; let evlist.open() open all events of the group",
			     leader->event->name);
		return -1;
	}
	err = evsel_open_all(self, leader);
	if (!err)
		return 0;
	perf_evsel_close(self);
	py_error_raise(err);
	return -1;
}

int perf_evsel_control(const struct perf_evsel *self, unsigned long request)
{
	for (size_t i = 0; i < perf_evsel_nr(self); i++) {
		if (self->places[i].fd < 0 || !ioctl(self->places[i].fd, request, 0))
			continue;
		py_error_raise(error_errno(errno, "Cannot %s %s",
					   request == PERF_EVENT_IOC_ENABLE ? "enable" : "disable",
					   self->event->name));
		return -1;
	}
	return 0;
}

static PyObject *evsel_open(PyObject *object, PyObject *args, PyObject *keywords)
{
	static char *names[] = { "cpus", "threads", "group", "inherit", NULL };
	struct perf_evsel *self = (struct perf_evsel *)object;
	PyObject *cpus = Py_None, *threads = Py_None;
	int group = 0, inherit = -1;

	if (!PyArg_ParseTupleAndKeywords(args, keywords, "|OOii:open", names, &cpus, &threads,
					 &group, &inherit) || perf_evsel_check(self) < 0)
		return NULL;
	if ((cpus != Py_None && !PyObject_TypeCheck(cpus, &perf_cpu_map_type)) ||
	    (threads != Py_None && !PyObject_TypeCheck(threads, &perf_thread_map_type))) {
		PyErr_SetString(PyExc_TypeError, "open() takes a cpu_map and a thread_map");
		return NULL;
	}
	if (inherit >= 0 && !self->places)
		self->event->attr.inherit = !!inherit;
	if (perf_evsel_open(self, cpus == Py_None ? NULL : (void *)cpus,
			    threads == Py_None ? NULL : (void *)threads, NULL) < 0)
		return NULL;
	Py_RETURN_NONE;
}

static PyObject *evsel_close(PyObject *object, PyObject *unused)
{
	perf_evsel_close((struct perf_evsel *)object);
	Py_RETURN_NONE;
}

static PyObject *evsel_control(PyObject *object, unsigned long request)
{
	if (perf_evsel_control((struct perf_evsel *)object, request) < 0)
		return NULL;
	Py_RETURN_NONE;
}

static PyObject *evsel_enable(PyObject *object, PyObject *unused)
{
	return evsel_control(object, PERF_EVENT_IOC_ENABLE);
}

static PyObject *evsel_disable(PyObject *object, PyObject *unused)
{
	return evsel_control(object, PERF_EVENT_IOC_DISABLE);
}

static PyObject *evsel_map(PyObject *object, struct perf_map *map)
{
	if (map)
		return Py_NewRef((PyObject *)map);
	PyErr_SetString(PyExc_ValueError, "the event is not open; open() gives it its maps");
	return NULL;
}

static PyObject *evsel_cpus(PyObject *object, PyObject *unused)
{
	return evsel_map(object, ((struct perf_evsel *)object)->cpus);
}

static PyObject *evsel_threads(PyObject *object, PyObject *unused)
{
	return evsel_map(object, ((struct perf_evsel *)object)->threads);
}

static PyObject *evsel_read(PyObject *object, PyObject *args)
{
	struct perf_evsel *self = (struct perf_evsel *)object;
	int cpu, thread;
	ssize_t x, y;

	if (!PyArg_ParseTuple(args, "ii:read", &cpu, &thread))
		return NULL;
	if (!self->places)
		return evsel_map(object, NULL);
	x = perf_map_find(self->cpus, cpu);
	y = perf_map_find(self->threads, thread);
	if (x < 0)
		return PyErr_Format(PyExc_TypeError, "CPU %d is not among evsel.cpus()", cpu);
	if (y < 0)
		return PyErr_Format(PyExc_TypeError, "Task %d is not among evsel.threads()", thread);
	return perf_counts_read(self, &self->places[x * self->threads->nr + y]);
}

static PyMethodDef evsel_methods[] = {
	{ "open", (PyCFunction)(void (*)(void))evsel_open, METH_VARARGS | METH_KEYWORDS,
	  "open(cpus=None, threads=None, group=0, inherit=None)\n\n"
	  "Open the event for each task of threads on each CPU of cpus; None: any." },
	{ "close", evsel_close, METH_NOARGS, "close()\n\nClose the event." },
	{ "enable", evsel_enable, METH_NOARGS, "enable()\n\nLet the event happen." },
	{ "disable", evsel_disable, METH_NOARGS, "disable()\n\nLet it happen no more." },
	{ "cpus", evsel_cpus, METH_NOARGS, "cpus() -> cpu_map\n\nThat it was opened on." },
	{ "threads", evsel_threads, METH_NOARGS, "threads() -> thread_map\n\nThat it was opened for." },
	{ "read", evsel_read, METH_VARARGS,
	  "read(cpu, thread) -> counts_values\n\n"
	  "The count of a task on a CPU." },
	{ NULL, NULL, 0, NULL },
};

static int evsel_may_set(struct perf_evsel *self, PyObject *value, uint64_t *ret)
{
	if (perf_evsel_check(self) < 0)
		return -1;
	if (!value || self->was_open) {
		PyErr_SetString(PyExc_ValueError, value ?
				"the event was opened; set this before, or make another evsel" :
				"the attributes of events cannot be deleted");
		return -1;
	}
	*ret = PyLong_AsUnsignedLongLong(value);
	return PyErr_Occurred() ? -1 : 0;
}

#define MEMBER(name)								\
static PyObject *evsel_get_##name(PyObject *object, void *unused)		\
{										\
	struct perf_evsel *self = (struct perf_evsel *)object;			\
										\
	return perf_evsel_check(self) < 0 ? NULL :				\
	       PyLong_FromUnsignedLongLong(self->event->attr.name);		\
}										\
static int evsel_set_##name(PyObject *object, PyObject *value, void *unused)	\
{										\
	struct perf_evsel *self = (struct perf_evsel *)object;			\
	uint64_t number;							\
										\
	if (evsel_may_set(self, value, &number) < 0)				\
		return -1;							\
	self->event->attr.name = number;					\
	return 0;								\
}

MEMBER(type) MEMBER(config) MEMBER(sample_period) MEMBER(sample_type) MEMBER(read_format)
MEMBER(wakeup_events)

static PyObject *evsel_get_size(PyObject *object, void *unused)
{
	return PyLong_FromSize_t(sizeof(struct perf_event_attr));
}

static PyObject *evsel_get_ids(PyObject *object, void *unused)
{
	const struct perf_evsel *self = (struct perf_evsel *)object;
	size_t nr = self->event ? self->event->nr_ids : 0;
	PyObject *list = PyList_New(nr);

	for (size_t i = 0; list && i < nr; i++) {
		PyObject *number = PyLong_FromUnsignedLongLong(self->event->ids[i]);

		if (number)
			PyList_SET_ITEM(list, i, number);
		else
			Py_CLEAR(list);
	}
	return list;
}

static PyObject *evsel_get_tracking(PyObject *object, void *unused)
{
	return PyBool_FromLong(((struct perf_evsel *)object)->tracking);
}

static int evsel_set_tracking(PyObject *object, PyObject *value, void *unused)
{
	uint64_t number;

	if (evsel_may_set((struct perf_evsel *)object, value, &number) < 0)
		return -1;
	((struct perf_evsel *)object)->tracking = number;
	return 0;
}

#define ROW(name, doc) { #name, evsel_get_##name, evsel_set_##name, doc, NULL }
static PyGetSetDef evsel_members[] = {
	ROW(type, "TYPE_*"),
	ROW(config, "COUNT_*, the number of a tracepoint, or a value by its type"),
	ROW(sample_period, "how many times it happens for a sample; with freq, samples a second"),
	ROW(sample_type, "SAMPLE_* that samples have"),
	ROW(read_format, "FORMAT_* that counts have"),
	ROW(wakeup_events, "samples after which poll() returns"),
	ROW(tracking, "whether evlist.config() makes it report tasks and maps"),
	{ "ids", evsel_get_ids, NULL, "the kernel's numbers of it, once it was opened", NULL },
	{ "size", evsel_get_size, NULL, "bytes of the kernel's attr", NULL },
	{ NULL, NULL, NULL, NULL, NULL },
};

static PyObject *evsel_repr(PyObject *object)
{
	struct perf_evsel *self = (struct perf_evsel *)object;

	return PyUnicode_FromFormat("evsel(%s)", self->event ? self->event->name : "");
}

static int evsel_traverse(PyObject *object, visitproc visit, void *arg)
{
	struct perf_evsel *self = (struct perf_evsel *)object;

	Py_VISIT(self->cpus);
	Py_VISIT(self->threads);
	return 0;
}

static int evsel_clear(PyObject *object)
{
	perf_evsel_close((struct perf_evsel *)object);
	return 0;
}

static void evsel_dealloc(PyObject *object)
{
	struct perf_evsel *self = (struct perf_evsel *)object;

	PyObject_GC_UnTrack(object);
	perf_evsel_close(self);
	event_list_deinit(&self->list);
	formats_destroy(self->formats);
	Py_XDECREF(self->owner);
	Py_TYPE(object)->tp_free(object);
}

PyTypeObject perf_evsel_type = {
	PyVarObject_HEAD_INIT(NULL, 0)
	.tp_name = "ktrace.perf.evsel",
	.tp_basicsize = sizeof(struct perf_evsel),
	.tp_flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_BASETYPE | Py_TPFLAGS_HAVE_GC,
	.tp_doc = "evsel(type=TYPE_HARDWARE, config=COUNT_HW_CPU_CYCLES, sample_freq=0, "
		  "sample_period=0, ...)\n\nAn event, described by the members of perf_event_attr.",
	.tp_new = PyType_GenericNew,
	.tp_init = evsel_init,
	.tp_dealloc = evsel_dealloc,
	.tp_traverse = evsel_traverse,
	.tp_clear = evsel_clear,
	.tp_repr = evsel_repr,
	.tp_methods = evsel_methods,
	.tp_getset = evsel_members,
};

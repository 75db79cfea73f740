// SPDX-License-Identifier: GPL-2.0
/*
 * A file is opened again for each pass over it.  A live recording, or one from a pipe, can be read
 * only once.
 */
#include "module/module.h"

#include <errno.h>
#include <string.h>

#include "format/event_format.h"
#include "perfdata/join/traffic_rules.h"

#define DEFAULT_ROWS 65536

struct py_recording {
	PyObject_HEAD
	PyObject *path;			/* Py_None if live */
	PyObject *match;		/* a tuple of rules, as of --match; Py_None: those known */
	struct py_source *source;	/* NULL when closed */
};

static struct py_recording *make_recording(PyObject *path, PyObject *match, PyObject *source)
{
	struct py_recording *self;

	self = (struct py_recording *)py_recording_type.tp_alloc(&py_recording_type, 0);
	if (!self)
		return NULL;
	self->path = Py_NewRef(path);
	self->match = Py_NewRef(match);
	self->source = (struct py_source *)Py_NewRef(source);
	return self;
}

/* Open @paths as one, by the rules in the strings of @match. */
static PyObject *open_matched(const char *const *paths, size_t nr, PyObject *match)
{
	struct traffic_rules rules = { 0 };
	PyObject *source = NULL;
	struct error *err = NULL;
	bool raised = false;

	if (match != Py_None && nr < 2)
		err = error_new(EINVAL,
				"match compares the clocks of several recordings, and there is one");
	for (Py_ssize_t i = 0; match != Py_None && !err && !raised && i < PyTuple_GET_SIZE(match);
	     i++) {
		const char *text = PyUnicode_AsUTF8(PyTuple_GET_ITEM(match, i));

		raised = !text;
		if (text)
			err = traffic_rules_add(&rules, text);
	}
	if (err)
		py_error_raise(err);
	else if (!raised)
		source = py_source_open(paths, nr, rules.own ? &rules : NULL);
	traffic_rules_deinit(&rules);
	return source;
}

/* Open the source that @path names: a str, or a tuple of them. */
static PyObject *open_paths(PyObject *path, PyObject *match)
{
	PyObject *tuple = PyTuple_Check(path) ? Py_NewRef(path) : PyTuple_Pack(1, path);
	Py_ssize_t nr = tuple ? PyTuple_GET_SIZE(tuple) : 0;
	PyObject *encoded = tuple ? PyTuple_New(nr) : NULL, *source = NULL;
	const char **paths = calloc(nr + 1, sizeof(*paths));
	bool ok = encoded && paths;

	if (!paths)
		PyErr_NoMemory();
	for (Py_ssize_t i = 0; ok && i < nr; i++) {
		PyObject *bytes = PyUnicode_EncodeFSDefault(PyTuple_GET_ITEM(tuple, i));

		ok = bytes;
		if (!ok)
			break;
		PyTuple_SET_ITEM(encoded, i, bytes);
		paths[i] = PyBytes_AS_STRING(bytes);
	}
	if (ok)
		source = open_matched(paths, nr, match);
	free(paths);
	Py_XDECREF(encoded);
	Py_XDECREF(tuple);
	return source;
}

/* @path: a str, or a tuple of them, which are read as one. */
static PyObject *py_recording_open(PyObject *path, PyObject *match)
{
	PyObject *source = open_paths(path, match), *self = NULL;

	if (source)
		self = (PyObject *)make_recording(path, match, source);
	Py_XDECREF(source);
	return self;
}

PyObject *py_recording_live(PyObject *source)
{
	return (PyObject *)make_recording(Py_None, Py_None, source);
}

static struct py_source *opened(struct py_recording *self)
{
	if (!self->source)
		PyErr_SetString(PyExc_ValueError, "the recording is closed");
	return self->source;
}

/*
 * The source, with its header and events known.  A pipe starts with these, so they are
 * read now if no pass has begun.  A later pass still gets every record.
 */
static struct py_source *described(struct py_recording *self)
{
	struct py_source *source = opened(self);
	struct error *err = NULL;

	if (source && source->is_live && !source->used)
		err = reader_read_header(source->input->reader);
	if (err)
		py_error_raise(err);
	return PyErr_Occurred() ? NULL : source;
}

struct py_source *py_recording_take(PyObject *recording)
{
	struct py_recording *self = (struct py_recording *)recording;
	struct py_source *source = described(self);

	if (!source)
		return NULL;
	if (!source->used) {
		source->used = true;
		return (struct py_source *)Py_NewRef(source);
	}
	if (source->is_live) {
		PyErr_SetString(PyExc_ValueError, "a live recording can be read only once");
		return NULL;
	}
	return (struct py_source *)open_paths(self->path, self->match);
}

static PyObject *py_recording_iter(PyObject *object)
{
	struct py_source *source = py_recording_take(object);
	PyObject *iterator = source ? py_iterator_new(source, false) : NULL;

	Py_XDECREF(source);
	return iterator;
}

static PyObject *py_recording_records(PyObject *object, PyObject *unused)
{
	struct py_source *source = py_recording_take(object);
	PyObject *iterator = source ? py_iterator_new(source, true) : NULL;

	Py_XDECREF(source);
	return iterator;
}

static int parse_order(const char *text, enum batch_order *ret)
{
	*ret = !strcmp(text, "file") ? ORDER_FILE : ORDER_TIME;
	if (*ret == ORDER_FILE || !strcmp(text, "time"))
		return 0;
	PyErr_Format(PyExc_ValueError, "order is 'time' or 'file', not '%s'", text);
	return -1;
}

static bool is_name(PyObject *event)
{
	if (event == Py_None || PyUnicode_Check(event))
		return true;
	PyErr_SetString(PyExc_TypeError, "event is a name, as 'sched:sched_switch'");
	return false;
}

/* Parse one end of a pair of times in ns; None leaves it open. */
static bool take_end_of_time(PyObject *pair, Py_ssize_t at, uint64_t *ret)
{
	PyObject *item = PySequence_GetItem(pair, at);

	if (item && item != Py_None)
		*ret = PyLong_AsUnsignedLongLong(item);
	Py_XDECREF(item);
	return !PyErr_Occurred();
}

int py_times_parse(PyObject *pair, struct time_range *ret)
{
	uint64_t end = UINT64_MAX;

	*ret = (struct time_range){ 0, 0 };
	if (!pair || pair == Py_None)
		return 0;
	if (!PySequence_Check(pair) || PySequence_Size(pair) != 2 || PyErr_Occurred()) {
		PyErr_SetString(PyExc_TypeError, "time is a pair (start, end) of ns, or None");
		return -1;
	}
	if (!take_end_of_time(pair, 0, &ret->start) || !take_end_of_time(pair, 1, &end))
		return -1;
	if (end <= ret->start) {
		PyErr_Format(PyExc_ValueError, "time ends at %llu, before it has begun",
			     (unsigned long long)end);
		return -1;
	}
	ret->end = end == UINT64_MAX ? 0 : end - 1;
	/* Nothing was recorded at 0, and an end of 0 would mean that there is none. */
	if (!ret->end && end != UINT64_MAX)
		*ret = (struct time_range){ 1, 1 };
	return 0;
}

static PyObject *py_recording_read(PyObject *object, PyObject *args, PyObject *keywords)
{
	static char *names[] = { "event", "fields", "order", "time", NULL };
	struct batch_query query = { .event = Py_None, .fields = Py_None };
	PyObject *times = Py_None, *batch;
	const char *order = "time";
	struct py_source *source;

	if (!PyArg_ParseTupleAndKeywords(args, keywords, "|OOsO:read", names, &query.event,
					 &query.fields, &order, &times) || !is_name(query.event) ||
	    parse_order(order, &query.order) < 0 || py_times_parse(times, &query.times) < 0)
		return NULL;
	source = py_recording_take(object);
	if (!source)
		return NULL;
	batch = query.event == Py_None ? py_batches_read_all(source, &query) :
					 py_batches_read(source, &query);
	Py_DECREF(source);
	return batch;
}

static PyObject *py_recording_batches(PyObject *object, PyObject *args, PyObject *keywords)
{
	static char *names[] = { "event", "fields", "rows", "order", "time", NULL };
	struct batch_query query = { .event = Py_None, .fields = Py_None };
	PyObject *times = Py_None, *batches;
	Py_ssize_t rows = DEFAULT_ROWS;
	const char *order = "time";
	struct py_source *source;

	if (!PyArg_ParseTupleAndKeywords(args, keywords, "|OOnsO:batches", names, &query.event,
					 &query.fields, &rows, &order, &times) ||
	    !is_name(query.event) || parse_order(order, &query.order) < 0 ||
	    py_times_parse(times, &query.times) < 0)
		return NULL;
	if (rows < 1)
		return PyErr_Format(PyExc_ValueError, "rows is at least 1, not %zd", rows);
	source = py_recording_take(object);
	if (!source)
		return NULL;
	query.rows = rows;
	batches = py_batches_new(source, &query);
	Py_DECREF(source);
	return batches;
}

static PyObject *py_recording_counts(PyObject *object, PyObject *unused)
{
	struct py_source *source = py_recording_take(object);
	PyObject *counts = source ? py_counts(source) : NULL;

	Py_XDECREF(source);
	return counts;
}

static PyObject *py_recording_summary(PyObject *object, PyObject *unused)
{
	struct py_source *source = py_recording_take(object);
	PyObject *summary = source ? py_summary(source) : NULL;

	Py_XDECREF(source);
	return summary;
}

/* @times: a pair as of read(). */
static PyObject *recording_table(PyObject *object, const char *name, PyObject *times)
{
	struct time_range range;
	struct py_source *source;
	PyObject *batch;

	if (py_times_parse(times, &range) < 0)
		return NULL;
	source = py_recording_take(object);
	if (!source)
		return NULL;
	batch = py_table(source, name, &range);
	Py_DECREF(source);
	return batch;
}

static PyObject *py_recording_table(PyObject *object, PyObject *args, PyObject *keywords)
{
	static char *names[] = { "name", "time", NULL };
	PyObject *times = Py_None;
	const char *name;

	if (!PyArg_ParseTupleAndKeywords(args, keywords, "s|O:table", names, &name, &times))
		return NULL;
	return recording_table(object, name, times);
}

static PyObject *py_recording_report(PyObject *object, PyObject *args, PyObject *keywords)
{
	static char *names[] = { "time", NULL };
	PyObject *times = Py_None;

	if (!PyArg_ParseTupleAndKeywords(args, keywords, "|O:report", names, &times))
		return NULL;
	return recording_table(object, "report", times);
}

static PyObject *py_recording_wall(PyObject *object, PyObject *args, PyObject *keywords)
{
	static char *names[] = { "time", NULL };
	PyObject *times = Py_None;

	if (!PyArg_ParseTupleAndKeywords(args, keywords, "|O:wall", names, &times))
		return NULL;
	return recording_table(object, "wall_time", times);
}

static PyObject *py_recording_judge(PyObject *object, PyObject *machines)
{
	struct py_source *source = py_recording_take(object);
	PyObject *list = source ? py_judge(source, machines) : NULL;

	Py_XDECREF(source);
	return list;
}

static PyObject *py_recording_tables(PyObject *object, void *unused)
{
	return py_tables();
}

/* A separate ktrace creates it, which reads the file. */
static PyObject *py_recording_flamegraph(PyObject *object, PyObject *args, PyObject *keywords)
{
	PyObject *notebook = PyImport_ImportModule("ktrace.notebook"), *made = NULL, *page, *all;

	if (PyTuple_GET_SIZE(args)) {
		Py_XDECREF(notebook);
		PyErr_SetString(PyExc_TypeError, "flamegraph() takes keywords only");
		return NULL;
	}
	page = notebook ? PyObject_GetAttrString(notebook, "flamegraph") : NULL;
	all = page ? PyTuple_Pack(1, object) : NULL;
	if (all)
		made = PyObject_Call(page, all, keywords);
	Py_XDECREF(all);
	Py_XDECREF(page);
	Py_XDECREF(notebook);
	return made;
}

static PyObject *py_recording_html(PyObject *object, PyObject *unused)
{
	PyObject *notebook = PyImport_ImportModule("ktrace.notebook"), *text;

	if (!notebook)
		return NULL;
	text = PyObject_CallMethod(notebook, "recording", "O", object);
	Py_DECREF(notebook);
	return text;
}

static PyObject *py_recording_stop(PyObject *object, PyObject *unused)
{
	struct py_source *source = opened((struct py_recording *)object);

	if (!source)
		return NULL;
	recorder_child_interrupt(&source->recorder);
	Py_RETURN_NONE;
}

static PyObject *py_recording_close(PyObject *object, PyObject *unused)
{
	struct py_recording *self = (struct py_recording *)object;
	struct py_source *source = take_ptr(self->source);

	/* Other threads run during the call; to them the recording is closed already. */
	if (source)
		py_source_close(source);
	Py_XDECREF(source);
	Py_RETURN_NONE;
}

static PyObject *py_recording_enter(PyObject *object, PyObject *unused)
{
	return Py_NewRef(object);
}

static PyObject *py_recording_exit(PyObject *object, PyObject *args)
{
	return py_recording_close(object, NULL);
}

/* ---- descriptions ---------------------------------------------------------- */

static PyObject *fields_of(const struct event_format *format)
{
	size_t nr = format ? format->nr_fields : 0;
	PyObject *dict = PyDict_New();

	for (size_t i = format ? format->nr_common : 0; dict && i < nr; i++) {
		PyObject *type = PyUnicode_FromString(format->fields[i].type);

		if (!type || PyDict_SetItemString(dict, format->fields[i].name, type) < 0)
			Py_CLEAR(dict);
		Py_XDECREF(type);
	}
	return dict;
}

static PyObject *py_recording_events(PyObject *object, void *unused)
{
	struct py_source *source = described((struct py_recording *)object);
	const struct event_list *list = source ? reader_events(source->input->reader) : NULL;
	PyObject *dict = source ? PyDict_New() : NULL;

	for (size_t i = 0; dict && i < list->nr; i++) {
		const struct event *event = list->items[i];
		const struct event_format *format = NULL;
		PyObject *fields;

		if (event_is_dummy(event))
			continue;
		if (event->attr.type == PERF_TYPE_TRACEPOINT)
			format = event->format ? event->format :
				formats_find(reader_formats(source->input->reader),
					     event->attr.config);
		fields = fields_of(format);
		if (!fields || PyDict_SetItemString(dict, event->name, fields) < 0)
			Py_CLEAR(dict);
		Py_XDECREF(fields);
	}
	return dict;
}

static int set_text(PyObject *dict, const char *key, const char *text)
{
	PyObject *value = text ? py_text(text, strlen(text)) : Py_NewRef(Py_None);
	int result = value ? PyDict_SetItemString(dict, key, value) : -1;

	Py_XDECREF(value);
	return result;
}

static int set_header_number(PyObject *dict, const char *key, uint64_t number)
{
	PyObject *value = number ? PyLong_FromUnsignedLong(number) : Py_NewRef(Py_None);
	int result = value ? PyDict_SetItemString(dict, key, value) : -1;

	Py_XDECREF(value);
	return result;
}

static PyObject *py_recording_header(PyObject *object, void *unused)
{
	struct py_source *source = described((struct py_recording *)object);
	const struct header *header = source ? reader_header(source->input->reader) : NULL;
	PyObject *dict = source ? PyDict_New() : NULL;

	if (!dict)
		return NULL;
	if (set_text(dict, "hostname", header->hostname) < 0 ||
	    set_text(dict, "os_release", header->os_release) < 0 ||
	    set_text(dict, "version", header->version) < 0 ||
	    set_text(dict, "arch", header->arch) < 0 ||
	    set_header_number(dict, "cpus", header->nr_cpus_online) < 0 ||
	    set_header_number(dict, "memory_kb", header->total_memory_kb) < 0 ||
	    set_header_number(dict, "first_sample_time", header->first_sample_time) < 0 ||
	    set_header_number(dict, "last_sample_time", header->last_sample_time) < 0)
		Py_CLEAR(dict);
	return dict;
}

static PyObject *py_recording_is_live(PyObject *object, void *unused)
{
	struct py_source *source = opened((struct py_recording *)object);

	return source ? PyBool_FromLong(source->is_live) : NULL;
}

static PyObject *py_recording_path(PyObject *object, void *unused)
{
	return Py_NewRef(((struct py_recording *)object)->path);
}

static PyObject *py_recording_repr(PyObject *object)
{
	struct py_recording *self = (struct py_recording *)object;

	if (self->path == Py_None)
		return PyUnicode_FromString("<ktrace.Recording live>");
	return PyUnicode_FromFormat("<ktrace.Recording %R>", self->path);
}

static void py_recording_dealloc(PyObject *object)
{
	struct py_recording *self = (struct py_recording *)object;

	/*
	 * An iterator may still read from the source: the recorder ends with the last
	 * reference.
	 */
	Py_XDECREF(self->source);
	Py_XDECREF(self->path);
	Py_XDECREF(self->match);
	Py_TYPE(object)->tp_free(object);
}

static PyMethodDef methods[] = {
	{ "records", py_recording_records, METH_NOARGS,
	  "records() -> iterator\n\n"
	  "Everything in time order: a PerfEvent for each sample, and for other records\n"
	  "objects with type ('comm', 'fork', 'exit', 'mmap', 'lost', 'switch'), time (ns),\n"
	  "cpu, pid, tid, and by type: comm, exec; ppid, ptid; addr, len, pgoff,\n"
	  "filename; event, lost; out, preempt; existing: the task or mapping existed before\n"
	  "the recording began." },
	{ "read", (PyCFunction)(void (*)(void))py_recording_read, METH_VARARGS | METH_KEYWORDS,
	  "read(event=None, fields=None, order='time', time=None) -> Batch\n\n"
	  "All events of one type as columns; without event, a dict of a batch for each.  fields "
	  "names the columns: fields of the\n"
	  "event, and _time (ns), _cpu, _pid, _tid, _comm, _period, _ip, _addr if\n"
	  "they were sampled; None: all.  Only by name: _symbol, _dso, _callchain.  order='file' "
	  "keeps the order of the file,\n"
	  "which is sorted for each CPU only and faster to read; 'time' sorts.  time=(start, end) "
	  "in ns,\n"
	  "without the end, reads only this interval, by the index if there is one." },
	{ "batches", (PyCFunction)(void (*)(void))py_recording_batches, METH_VARARGS | METH_KEYWORDS,
	  "batches(event=None, fields=None, rows=65536, order='time', time=None) -> iterator of\n"
	  "Batch\n\n"
	  "As read(), at most so many rows at a time, of one event or of all that a glob\n"
	  "matches; each batch is of one event." },
	{ "counts", py_recording_counts, METH_NOARGS,
	  "counts() -> dict\n\nHow many samples of each event there are, by its name: it is read to\n"
	  "its end for this." },
	{ "summary", py_recording_summary, METH_NOARGS,
	  "summary() -> dict\n\nIts counts(), first_time and last_time of its samples (ns), start, the first\n"
	  "one by the wall clock (ns since 1970), and lost, how many records were; None: unknown." },
	{ "flamegraph", (PyCFunction)(void (*)(void))py_recording_flamegraph,
	  METH_VARARGS | METH_KEYWORDS,
	  "flamegraph(**selection) -> ktrace.Page\n\nA flame graph as a page for browsers, which notebooks show; the\n"
	  "selection is that of ktrace.export()." },
	{ "table", (PyCFunction)(void (*)(void))py_recording_table, METH_VARARGS | METH_KEYWORDS,
	  "table(name, time=None) -> Batch\n\n"
	  "The table of a topic's command, as 'lock_contention': its columns are those of the\n"
	  "command's CSV.  `tables` lists the names.  time=(start, end) in ns, without the end." },
	{ "judge", py_recording_judge, METH_O,
	  "judge(machines) -> list of dict\n\n"
	  "The outcome for the keys of machines, each given as (name, text of a .dot file, text of "
	  "its\n"
	  "binding): how many are ok, violated, not_started, lost and unordered, the number of\n"
	  "violations, how many of them are proven, and the first of these as shown: (time, key, "
	  "state,\n"
	  "event, age).  taken: how often each event was taken in each state, by (state, event);\n"
	  "taken_enabled: since all events were enabled.  missed: a firing is not in the "
	  "recording.\n"
	  "left_out: firings of some tasks, such as the recorder, are missing, too.\n"
	  "against_time: how many firings were not judged, because their order is unknown.\n"
	  "inversions: how many records came behind later ones.\n"
	  "error: why the machine cannot judge it." },
	{ "report", (PyCFunction)(void (*)(void))py_recording_report, METH_VARARGS | METH_KEYWORDS,
	  "report(time=None) -> Batch\n\nWhere samples fell, by event, command, binary and function:\n"
	  "the table 'report'." },
	{ "wall", (PyCFunction)(void (*)(void))py_recording_wall, METH_VARARGS | METH_KEYWORDS,
	  "wall(time=None) -> Batch\n\n"
	  "Where threads were running, runnable and blocked, and for how long,\n"
	  "by function: the table 'wall_time'.  Recordings of `record --off-cpu` have the events "
	  "that it needs." },
	{ "_repr_html_", py_recording_html, METH_NOARGS,
	  "_repr_html_() -> str\n\n"
	  "The display in notebooks." },
	{ "stop", py_recording_stop, METH_NOARGS,
	  "stop()\n\n"
	  "End a live recording; its data can still be read." },
	{ "close", py_recording_close, METH_NOARGS, "close()\n\nEnd it; no recorder is left behind." },
	{ "__enter__", py_recording_enter, METH_NOARGS, NULL },
	{ "__exit__", py_recording_exit, METH_VARARGS, NULL },
	{ NULL, NULL, 0, NULL },
};

static PyGetSetDef members[] = {
	{ "events", py_recording_events, NULL,
	  "Its events: a dict from names to dicts from fields to C types.", NULL },
	{ "tables", py_recording_tables, NULL,
	  "A dict from the names that table() takes to the descriptions of these tables.", NULL },
	{ "header", py_recording_header, NULL,
	  "Its header: hostname, os_release, version, arch, cpus, memory_kb,\nfirst_sample_time "
	  "and last_sample_time (ns); None: unknown.", NULL },
	{ "path", py_recording_path, NULL, "Of the file; None: live.", NULL },
	{ "is_live", py_recording_is_live, NULL,
	  "It comes while it is recorded, or through a pipe: it can be read once.", NULL },
	{ NULL, NULL, NULL, NULL, NULL },
};

PyTypeObject py_recording_type = {
	PyVarObject_HEAD_INIT(NULL, 0)
	.tp_name = "ktrace.Recording",
	.tp_basicsize = sizeof(struct py_recording),
	.tp_dealloc = py_recording_dealloc,
	.tp_repr = py_recording_repr,
	.tp_flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_DISALLOW_INSTANTIATION,
	.tp_doc = "Events of a file, or as they happen.\n\n"
		  "Iterating gives its samples in time order, each a PerfEvent.",
	.tp_iter = py_recording_iter,
	.tp_methods = methods,
	.tp_getset = members,
};

static PyObject *path_of(PyObject *given)
{
	PyObject *bytes, *path;

	if (!PyUnicode_FSConverter(given, &bytes))
		return NULL;
	path = PyUnicode_DecodeFSDefault(PyBytes_AS_STRING(bytes));
	Py_DECREF(bytes);
	return path;
}

/* A str for a path, a tuple of them for a list or tuple of paths. */
static PyObject *paths_of(PyObject *given)
{
	PyObject *tuple;

	if (!PyList_Check(given) && !PyTuple_Check(given))
		return path_of(given);
	if (!PySequence_Size(given)) {
		PyErr_SetString(PyExc_ValueError, "open() needs the path of at least one recording");
		return NULL;
	}
	tuple = PyTuple_New(PySequence_Size(given));
	for (Py_ssize_t i = 0; tuple && i < PyTuple_GET_SIZE(tuple); i++) {
		PyObject *item = PySequence_GetItem(given, i), *path = item ? path_of(item) : NULL;

		Py_XDECREF(item);
		if (path)
			PyTuple_SET_ITEM(tuple, i, path);
		else
			Py_CLEAR(tuple);
	}
	return tuple;
}

PyObject *py_recording_given(PyObject *given, PyObject *match)
{
	PyObject *path, *recording;

	path = given ? paths_of(given) : PyUnicode_FromString("perf.data");
	recording = path ? py_recording_open(path, match) : NULL;
	Py_XDECREF(path);
	return recording;
}

// SPDX-License-Identifier: GPL-2.0
/*
 * Events as batches of columns (table/samples/column_scan.h).  The result of read() can be sorted
 * afterwards, so it needs no session for that.
 */
#include "module/module.h"

#include "script/columns/py_columns.h"
#include "table/samples/column_scan.h"

struct batches {
	PyObject_HEAD
	struct py_source *source;
	PyObject *event, *fields;	/* as given by the caller; the scan borrows their texts */
	const char **names;		/* of the columns */
	struct column_scan scan;
	bool ended, stepping;
	bool sorted;			/* read() was asked for time order */
	bool with_time;			/* last column is _time, added to sort by */
	size_t next_taken;		/* after the end: where take_rest() goes on */
};

/* ---- the iterator -------------------------------------------------------- */

/* Takes ownership of @batch. */
static PyObject *make_batch(const struct batches *self, struct batch *batch)
{
	PyObject *made = py_batch_new(batch, batch->event->name);
	int64_t offset;

	if (made && py_source_wall_offset(self->source, &offset))
		py_batch_set_wall_offset(made, offset);
	return made;
}

static PyObject *batches_take_columns(const struct batches *self, struct columns *columns)
{
	struct batch batch;
	struct error *err = columns_take(columns, &batch);

	return err ? py_error_raise(err) : make_batch(self, &batch);
}

/* At the end of the recording, get the remaining samples of each event. */
static PyObject *take_rest(struct batches *self)
{
	for (; self->next_taken < self->scan.nr; self->next_taken++) {
		struct columns *columns = self->scan.items[self->next_taken];

		if (columns && columns_rows(columns))
			return batches_take_columns(self, columns);
	}
	return NULL;
}

static PyObject *batches_next(PyObject *object)
{
	struct batches *self = (struct batches *)object;
	struct error *err = NULL;
	bool more = true;

	if (!py_step_begin(&self->stepping))
		return NULL;
	while (!self->ended && !self->scan.full && more && !err && !PyErr_Occurred())
		err = column_scan_step(&self->scan, &more);
	if ((err || !more) && !PyErr_Occurred())
		err = py_source_ended(self->source, err);
	self->stepping = false;
	if (err || PyErr_Occurred()) {
		self->ended = true;
		self->next_taken = self->scan.nr;
		return err ? py_error_raise(err) : NULL;
	}
	if (!more)
		self->ended = true;
	if (self->scan.full) {
		struct columns *columns = column_scan_columns(&self->scan, self->scan.full);

		self->scan.full = NULL;
		return batches_take_columns(self, columns);
	}
	return take_rest(self);
}

static void batches_dealloc(PyObject *object)
{
	struct batches *self = (struct batches *)object;

	column_scan_deinit(&self->scan);
	PyMem_RawFree(self->names);
	Py_XDECREF(self->event);
	Py_XDECREF(self->fields);
	Py_XDECREF(self->source);
	Py_TYPE(object)->tp_free(object);
}

static PyObject *batches_arrow_stream(PyObject *object, PyObject *args, PyObject *keywords);

static PyMethodDef methods[] = {
	{ "__arrow_c_stream__", (PyCFunction)(void (*)(void))batches_arrow_stream,
	  METH_VARARGS | METH_KEYWORDS,
	  "__arrow_c_stream__(requested_schema=None) -> capsule 'arrow_array_stream'\n\n"
	  "Of batches of one event; consumes them." },
	{ NULL, NULL, 0, NULL },
};

PyTypeObject py_batches_type = {
	PyVarObject_HEAD_INIT(NULL, 0)
	.tp_name = "ktrace.Batches",
	.tp_basicsize = sizeof(struct batches),
	.tp_dealloc = batches_dealloc,
	.tp_flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_DISALLOW_INSTANTIATION,
	.tp_doc = "Batches of the events of a recording.",
	.tp_iter = PyObject_SelfIter,
	.tp_iternext = batches_next,
	.tp_methods = methods,
};

/* So many events are named where one is asked for that the recording does not have. */
#define EVENTS_NAMED 12

static void raise_no_event(const struct batches *self)
{
	const struct event_list *list = reader_events(self->source->input->reader);
	_cleanup_(strbuf) struct strbuf known = STRBUF_INIT;
	size_t nr = 0;

	for (size_t i = 0; i < list->nr; i++)
		if (!event_is_dummy(list->items[i]) && nr++ < EVENTS_NAMED)
			strbuf_addf(&known, "%s%s", nr > 1 ? ", " : ". It has ", list->items[i]->name);
	if (nr > EVENTS_NAMED)
		strbuf_addf(&known, " and %zu more", nr - EVENTS_NAMED);
	PyErr_Format(PyExc_ValueError, "the recording has no event %R%s", self->event,
		     strbuf_str(&known));
}

/* The one event that self->event names.  NULL with an exception: none or several. */
static const struct event *only_event(const struct batches *self)
{
	const struct event_list *list = reader_events(self->source->input->reader);
	const struct event *found = NULL;

	for (size_t i = 0; i < list->nr; i++) {
		if (!column_scan_wants(&self->scan, list->items[i]))
			continue;
		if (found) {
			PyErr_Format(PyExc_ValueError, "%R names several events, among them %s and "
				     "%s: batches() takes them all", self->event, found->name,
				     list->items[i]->name);
			return NULL;
		}
		found = list->items[i];
	}
	if (!found)
		raise_no_event(self);
	return found;
}

static PyObject *empty_batch(const struct batches *self, const struct event *event)
{
	_cleanup_(columns) struct columns *columns = NULL;
	struct error *err = column_scan_create_columns(&self->scan, event, &columns);

	return err ? py_error_raise(err) : batches_take_columns(self, columns);
}

static PyObject *batches_arrow_stream(PyObject *object, PyObject *args, PyObject *keywords)
{
	const struct event *event = only_event((struct batches *)object);
	PyObject *schema = event ? empty_batch((struct batches *)object, event) : NULL;
	PyObject *capsule = schema ? py_arrow_stream_new(object, schema) : NULL;

	Py_XDECREF(schema);
	return capsule;
}

static bool names_column(const struct batches *self, const char *column)
{
	bool found = !self->scan.options.nr_names;

	for (size_t i = 0; !found && i < self->scan.options.nr_names; i++)
		found = !strcmp(self->names[i], column);
	return found;
}

/* Collect the texts of the fields, and _time if batches are sorted by it. */
static int take_names(struct batches *self)
{
	struct column_scan_options *options = &self->scan.options;
	Py_ssize_t nr = self->fields == Py_None ? 0 : PySequence_Fast_GET_SIZE(self->fields);

	self->names = PyMem_RawCalloc(nr + 1, sizeof(*self->names));
	if (!self->names) {
		PyErr_NoMemory();
		return -1;
	}
	options->names = self->names;
	for (Py_ssize_t i = 0; i < nr; i++) {
		self->names[i] = PyUnicode_AsUTF8(PySequence_Fast_GET_ITEM(self->fields, i));
		if (!self->names[i])
			return -1;
		options->nr_names++;
	}
	self->with_time = self->sorted && !names_column(self, "_time");
	if (self->with_time)
		self->names[options->nr_names++] = "_time";
	return 0;
}

/*
 * Create the columns of all wanted events, so that a wrong name is reported now and not in the
 * middle of the recording.
 */
static int check_events(struct batches *self)
{
	bool any;
	struct error *err = column_scan_prepare(&self->scan, &any);

	if (err) {
		py_error_raise(err);
		return -1;
	}
	if (!any)
		raise_no_event(self);
	return any ? 0 : -1;
}

/* Narrow the reader to the wanted part, so that it need not read the rest. */
static struct error *narrow_source(const struct batches *self)
{
	const struct time_range *times = &self->scan.options.times;
	const struct record_scope scope = { .times = times, .nr_times = 1, .events = ~0ULL };

	return times->start || times->end ? reader_narrow(self->scan.reader, &scope) : NULL;
}

static struct batches *make_batches(struct py_source *source, const struct batch_query *query,
				    size_t rows, bool sorted)
{
	struct batches *self = (struct batches *)py_batches_type.tp_alloc(&py_batches_type, 0);
	struct column_scan_options options = { .rows = rows, .times = query->times };
	struct error *err;

	if (!self)
		return NULL;
	self->source = (struct py_source *)Py_NewRef(source);
	self->event = Py_NewRef(query->event);
	self->fields = query->fields == Py_None ? Py_NewRef(Py_None) :
		       PySequence_Fast(query->fields, "fields is a list of names");
	self->sorted = sorted;
	if (query->event != Py_None)
		options.pattern = PyUnicode_AsUTF8(query->event);
	column_scan_init(&self->scan, source->input->reader, &options);
	if (!self->fields || PyErr_Occurred() || take_names(self) < 0 || check_events(self) < 0) {
		Py_DECREF(self);
		return NULL;
	}
	err = narrow_source(self);
	if (err) {
		py_error_raise(err);
		Py_CLEAR(self);
	}
	return self;
}

static int start_session(struct batches *self)
{
	struct error *err = column_scan_start_session(&self->scan, self->source->input->machine);

	if (err)
		py_error_raise(err);
	return err ? -1 : 0;
}

PyObject *py_batches_new(struct py_source *source, const struct batch_query *query)
{
	struct batches *self = make_batches(source, query, query->rows, false);

	if (self && (query->order == ORDER_TIME || column_scan_needs_session(&self->scan)) &&
	    start_session(self) < 0)
		Py_CLEAR(self);
	return (PyObject *)self;
}

static struct error *read_to_end(struct batches *self)
{
	struct error *err = NULL;
	bool more = true;

	while (!err && more && !PyErr_Occurred())
		err = column_scan_step(&self->scan, &more);
	return PyErr_Occurred() ? err : py_source_ended(self->source, err);
}

static struct error *batches_read_rest(struct batches *self, const struct event *event,
				       struct batch *ret)
{
	struct error *err = read_to_end(self);

	if (!err)
		err = columns_take(column_scan_columns(&self->scan, event), ret);
	/* Without a session the rows are still in the order of the file. */
	if (!err && self->sorted && !self->scan.by_session)
		err = batch_sort(ret);
	return err;
}

PyObject *py_batches_read(struct py_source *source, const struct batch_query *query)
{
	struct batches *self = make_batches(source, query, SIZE_MAX, query->order == ORDER_TIME);
	const struct event *only = self ? only_event(self) : NULL;
	struct batch batch = { 0 };
	PyObject *made = NULL;
	struct error *err;

	if (only && column_scan_needs_session(&self->scan) && start_session(self) < 0)
		only = NULL;
	if (only) {
		err = batches_read_rest(self, only, &batch);
		if (err)
			py_error_raise(err);
		if (self->with_time)
			batch_drop_last(&batch);
		if (PyErr_Occurred())
			batch_deinit(&batch);
		else
			made = make_batch(self, &batch);
	}
	Py_XDECREF(self);
	return made;
}

static int add_batch(struct batches *self, size_t index, PyObject *dict)
{
	const struct event *event = reader_events(self->source->input->reader)->items[index];
	struct batch batch = { 0 };
	struct error *err;
	PyObject *made;
	int result;

	if (event_is_dummy(event))
		return 0;
	err = columns_take(self->scan.items[index], &batch);
	if (!err && self->sorted && !self->scan.by_session)
		err = batch_sort(&batch);
	if (err) {
		batch_deinit(&batch);
		py_error_raise(err);
		return -1;
	}
	if (self->with_time)
		batch_drop_last(&batch);
	made = make_batch(self, &batch);
	result = made ? PyDict_SetItemString(dict, event->name, made) : -1;
	Py_XDECREF(made);
	return result;
}

PyObject *py_batches_read_all(struct py_source *source, const struct batch_query *query)
{
	struct batches *self = make_batches(source, query, SIZE_MAX, query->order == ORDER_TIME);
	PyObject *dict = self ? PyDict_New() : NULL;
	struct error *err = NULL;

	if (dict && column_scan_needs_session(&self->scan) && start_session(self) < 0)
		Py_CLEAR(dict);
	if (dict)
		err = read_to_end(self);
	if (err)
		py_error_raise(err);
	if (PyErr_Occurred())
		Py_CLEAR(dict);
	for (size_t i = 0; dict && i < self->scan.nr; i++)
		if (self->scan.items[i] && add_batch(self, i, dict) < 0)
			Py_CLEAR(dict);
	Py_XDECREF(self);
	return dict;
}

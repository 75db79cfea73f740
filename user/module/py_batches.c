// SPDX-License-Identifier: GPL-2.0
/*
 * Events as batches of columns.  The reader's records go to the columns directly, without
 * a session, unless comms or the names of addresses are wanted, or batches in time order:
 * what read() returns can be sorted afterwards.
 */
#include "module/module.h"

#include <errno.h>
#include <fnmatch.h>
#include <string.h>

#include "lib/array.h"
#include "script/columns/py_columns.h"

#define BLOCK 512	/* records that are taken from the reader at once */
#define MANY_ROWS (1u << 20)	/* limit of rows to reserve in advance */
#define SEEN 64		/* ids that are cached with their events, a power of two */

struct batches {
	PyObject_HEAD
	struct py_source *source;
	PyObject *event, *fields;	/* as given by the caller */
	struct session session;
	struct session_consumer consumer;
	size_t rows;
	bool by_session, ended, stepping;
	bool sorted;			/* read() was asked for time order */
	bool with_time;			/* last column is _time, added to sort by */
	struct columns **items;		/* by event->index; NULL: not wanted, or none yet */
	size_t nr, alloc;
	size_t next_taken;		/* after the end: where take_rest() goes on */
	const struct event *full;	/* the event that has a full batch, or NULL */
	struct {
		uint64_t id;		/* 0: none */
		struct event *event;
	} seen[SEEN];
};

/* ---- choosing events and columns ------------------------------------------ */

static bool wants(const struct batches *self, const struct event *event)
{
	const char *pattern = self->event == Py_None ? "*" : PyUnicode_AsUTF8(self->event);

	return !strcmp(pattern, event->name) || !fnmatch(pattern, event->name, 0);
}

static const struct event_format *batches_format(const struct batches *self,
						 const struct event *event)
{
	if (event->attr.type != PERF_TYPE_TRACEPOINT)
		return NULL;
	return formats_find(reader_formats(self->source->input->reader), event->attr.config);
}

static struct error *create_columns(const struct batches *self, const struct event *event,
				    struct columns **ret)
{
	_cleanup_free_ const char **names = NULL;
	size_t nr = 0;

	if (self->fields != Py_None)
		nr = PySequence_Fast_GET_SIZE(self->fields);
	names = calloc(nr + 2, sizeof(*names));
	if (!names)
		return &error_no_memory;
	for (size_t i = 0; i < nr; i++) {
		names[i] = PyUnicode_AsUTF8(PySequence_Fast_GET_ITEM(self->fields, i));
		if (!names[i])
			return error_new(EINVAL, "raised");
	}
	if (nr && self->with_time)
		names[nr++] = "_time";
	return columns_create(event, batches_format(self, event), names, nr, ret);
}

/* Sets *ret to NULL if the event is not wanted. */
static struct error *columns_of(struct batches *self, const struct event *event,
				struct columns **ret)
{
	struct error *err;

	while (self->nr <= event->index)
		if (!array_push(self, NULL))
			return &error_no_memory;
	*ret = self->items[event->index];
	if (*ret || !wants(self, event))
		return NULL;
	err = create_columns(self, event, &self->items[event->index]);
	*ret = self->items[event->index];
	return err;
}

/* ---- by a session -------------------------------------------------------- */

static struct error *batches_sample(struct session_consumer *consumer,
				    const struct session_record *r)
{
	struct batches *self = container_of(consumer, struct batches, consumer);
	struct columns *columns;
	struct error *err;

	if (!r->event)
		return NULL;
	err = columns_of(self, r->event, &columns);
	if (err || !columns)
		return err;
	err = columns_add_row(columns, r);
	if (columns_rows(columns) >= self->rows)
		self->full = r->event;
	return err;
}

static struct error *step_session(struct batches *self, bool *more)
{
	return session_step(&self->session, &self->consumer, more);
}

/* ---- straight from the reader -------------------------------------------- */

static struct error *add_run(struct batches *self, const struct event *event,
			     const struct perf_event_header *const *headers, size_t nr)
{
	struct columns *columns;
	struct error *err = columns_of(self, event, &columns);

	if (err || !columns || !nr)
		return err;
	if (!columns_rows(columns) && self->rows <= MANY_ROWS)
		err = columns_reserve(columns, self->rows + BLOCK);
	if (!err)
		err = columns_add(columns, headers, nr);
	if (columns_rows(columns) >= self->rows)
		self->full = event;
	return err;
}

/* The same as event_list_find_record(), but ids seen lately are found in a cache. */
static struct event *batches_find_event(struct batches *self, const struct event_list *list,
					const struct perf_event_header *header)
{
	int at = list->nr > 1 && list->one_layout ? list->items[0]->id_offset : -1;
	struct event *event;
	uint64_t id;

	if (at < (int)sizeof(*header) || at + 8 > header->size)
		return event_list_find_record(list, header);
	memcpy(&id, (const char *)header + at, sizeof(id));
	if (id && self->seen[id % SEEN].id == id)
		return self->seen[id % SEEN].event;
	event = event_list_find_record(list, header);
	if (event) {
		self->seen[id % SEEN].id = id;
		self->seen[id % SEEN].event = event;
	}
	return event;
}

/* Take a block of records and add them event by event, as a block has few different ones. */
static struct error *step_reader(struct batches *self, bool *more)
{
	const struct perf_event_header *block[BLOCK], *mine[BLOCK];
	struct event *events[BLOCK];
	struct event_list *list = reader_events(self->source->input->reader);
	struct error *err = NULL;
	size_t nr = 0, left = 0;

	*more = reader_next_records(self->source->input->reader, block, BLOCK, &nr, &err) ==
		RECORD_OK;
	if (!*more)
		return err;
	for (size_t i = 0; i < nr; i++) {
		if (block[i]->type != PERF_RECORD_SAMPLE)
			continue;
		events[left] = batches_find_event(self, list, block[i]);
		if (!events[left])
			continue;
		block[left++] = block[i];
	}
	while (!err && left) {
		const struct event *event = events[0];
		size_t found = 0, kept = 0;

		for (size_t i = 0; i < left; i++) {
			if (events[i] == event) {
				mine[found++] = block[i];
			} else {
				events[kept] = events[i];
				block[kept++] = block[i];
			}
		}
		err = add_run(self, event, mine, found);
		left = kept;
	}
	return err;
}

/* ---- the iterator -------------------------------------------------------- */

/* Takes ownership of @batch. */
static PyObject *make_batch(const struct batches *self, struct batch *batch)
{
	PyObject *made = py_batch_new(batch);
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

/* At the end of the recording, take what each event has left. */
static PyObject *take_rest(struct batches *self)
{
	for (; self->next_taken < self->nr; self->next_taken++) {
		struct columns *columns = self->items[self->next_taken];

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
	while (!self->ended && !self->full && more && !err && !PyErr_Occurred())
		err = self->by_session ? step_session(self, &more) : step_reader(self, &more);
	if ((err || !more) && !PyErr_Occurred())
		err = py_source_ended(self->source, err);
	self->stepping = false;
	if (err || PyErr_Occurred()) {
		self->ended = true;
		self->next_taken = self->nr;
		return err ? py_error_raise(err) : NULL;
	}
	if (!more)
		self->ended = true;
	if (self->full) {
		struct columns *columns = self->items[self->full->index];

		self->full = NULL;
		return batches_take_columns(self, columns);
	}
	return take_rest(self);
}

static void batches_dealloc(PyObject *object)
{
	struct batches *self = (struct batches *)object;

	session_finish(&self->session);
	for (size_t i = 0; i < self->nr; i++)
		columns_destroy(self->items[i]);
	free(self->items);
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

/* The one event that self->event names.  NULL with an exception: none or several. */
static const struct event *only_event(const struct batches *self)
{
	const struct event_list *list = reader_events(self->source->input->reader);
	const struct event *found = NULL;

	for (size_t i = 0; i < list->nr; i++) {
		if (!wants(self, list->items[i]))
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
		PyErr_Format(PyExc_ValueError, "the recording has no event %R", self->event);
	return found;
}

static PyObject *empty_batch(const struct batches *self, const struct event *event)
{
	_cleanup_(columns) struct columns *columns = NULL;
	struct error *err = create_columns(self, event, &columns);

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

/* Whether @column is among the columns to make.  No names stand for all columns. */
static bool wants_column(PyObject *fields, const char *column)
{
	bool found = fields == Py_None || !PySequence_Fast_GET_SIZE(fields);

	for (Py_ssize_t i = 0; !found && i < PySequence_Fast_GET_SIZE(fields); i++) {
		PyObject *name = PySequence_Fast_GET_ITEM(fields, i);

		found = PyUnicode_Check(name) &&
			PyUnicode_CompareWithASCIIString(name, column) == 0;
	}
	return found;
}

/* Whether a column was named whose values are names of addresses. */
static bool wants_places(PyObject *fields)
{
	Py_ssize_t nr = fields == Py_None ? 0 : PySequence_Fast_GET_SIZE(fields);
	bool found = false;

	for (Py_ssize_t i = 0; !found && i < nr; i++) {
		const char *name = PyUnicode_AsUTF8(PySequence_Fast_GET_ITEM(fields, i));

		found = name && columns_is_place(name);
	}
	return found;
}

/* Whether a column was named that only a session can fill. */
static bool wants_session(const struct batches *self)
{
	return wants_column(self->fields, "_comm") || wants_places(self->fields);
}

/*
 * Create the columns of all events that are wanted, so that a wrong name is reported now
 * and not in the middle of the recording.
 */
static int check_events(struct batches *self)
{
	const struct event_list *list = reader_events(self->source->input->reader);
	bool any = false;

	for (size_t i = 0; i < list->nr; i++) {
		struct columns *columns;
		struct error *err = columns_of(self, list->items[i], &columns);

		if (err) {
			py_error_raise(err);
			return -1;
		}
		any = any || columns;
	}
	if (!any)
		PyErr_Format(PyExc_ValueError, "the recording has no event %R", self->event);
	return any ? 0 : -1;
}

static struct batches *make_batches(struct py_source *source, PyObject *event, PyObject *fields,
				    size_t rows, bool sorted)
{
	struct batches *self = (struct batches *)py_batches_type.tp_alloc(&py_batches_type, 0);

	if (!self)
		return NULL;
	self->source = (struct py_source *)Py_NewRef(source);
	self->event = Py_NewRef(event);
	self->rows = rows;
	self->fields = fields == Py_None ? Py_NewRef(Py_None) :
		       PySequence_Fast(fields, "fields is a list of names");
	self->sorted = sorted;
	if (self->fields)
		self->with_time = sorted && !wants_column(self->fields, "_time");
	if (!self->fields || check_events(self) < 0) {
		Py_DECREF(self);
		return NULL;
	}
	return self;
}

static int start_session(struct batches *self)
{
	struct reader *reader = self->source->input->reader;
	struct error *err;

	self->by_session = true;
	self->consumer.sample = batches_sample;
	self->session = (struct session){
		.source = reader_source(reader),
		.events = reader_events(reader),
		.formats = reader_formats(reader),
		.machine = wants_places(self->fields) ? self->source->input->machine : NULL,
	};
	err = session_start(&self->session);
	if (err)
		py_error_raise(err);
	return err ? -1 : 0;
}

PyObject *py_batches_new(struct py_source *source, PyObject *event, PyObject *fields,
			 size_t rows, enum batch_order order)
{
	struct batches *self = make_batches(source, event, fields, rows, false);

	if (self && (order == ORDER_TIME || wants_session(self)) && start_session(self) < 0)
		Py_CLEAR(self);
	return (PyObject *)self;
}

static struct error *read_to_end(struct batches *self)
{
	struct error *err = NULL;
	bool more = true;

	while (!err && more && !PyErr_Occurred())
		err = self->by_session ? step_session(self, &more) : step_reader(self, &more);
	return PyErr_Occurred() ? err : py_source_ended(self->source, err);
}

static struct error *batches_read_rest(struct batches *self, const struct event *event,
				       struct batch *ret)
{
	struct error *err = read_to_end(self);

	if (!err)
		err = columns_take(self->items[event->index], ret);
	/* Without a session the rows are still in the order of the file. */
	if (!err && self->sorted && !self->by_session)
		err = batch_sort(ret);
	return err;
}

PyObject *py_batches_read(struct py_source *source, PyObject *event, PyObject *fields,
			  enum batch_order order)
{
	struct batches *self = make_batches(source, event, fields, SIZE_MAX, order == ORDER_TIME);
	const struct event *only = self ? only_event(self) : NULL;
	struct batch batch = { 0 };
	PyObject *made = NULL;
	struct error *err;

	if (only && wants_session(self) && start_session(self) < 0)
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

	if (py_event_is_dummy(event))
		return 0;
	err = columns_take(self->items[index], &batch);
	if (!err && self->sorted && !self->by_session)
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

PyObject *py_batches_read_all(struct py_source *source, PyObject *fields, enum batch_order order)
{
	struct batches *self = make_batches(source, Py_None, fields, SIZE_MAX, order == ORDER_TIME);
	PyObject *dict = self ? PyDict_New() : NULL;
	struct error *err = NULL;

	if (dict && wants_session(self) && start_session(self) < 0)
		Py_CLEAR(dict);
	if (dict)
		err = read_to_end(self);
	if (err)
		py_error_raise(err);
	if (PyErr_Occurred())
		Py_CLEAR(dict);
	for (size_t i = 0; dict && i < self->nr; i++)
		if (self->items[i] && add_batch(self, i, dict) < 0)
			Py_CLEAR(dict);
	Py_XDECREF(self);
	return dict;
}

// SPDX-License-Identifier: GPL-2.0
#include "module/module.h"

#include "lib/array.h"
#include "script/objects/py_object.h"
#include "script/objects/py_record_object.h"

struct iterator {
	PyObject_HEAD
	struct py_source *source;
	PyObject *kinds;
	struct session session;
	struct session_consumer consumer;
	bool records, ended, stepping;
	/* The objects of one step: usually one, but several for a group of events. */
	PyObject **items;
	size_t nr, alloc, given;
};

static struct error *iterator_push(struct iterator *self, PyObject *item)
{
	if (!item)
		return error_new(0, "raised");	/* only the exception that is set matters */
	if (array_push(self, item))
		return NULL;
	Py_DECREF(item);
	return &error_no_memory;
}

static struct error *iterator_sample(struct session_consumer *consumer,
				     const struct session_record *r)
{
	struct iterator *self = container_of(consumer, struct iterator, consumer);

	if (!r->event || (r->event->attr.type == PERF_TYPE_TRACEPOINT && !r->format))
		return NULL;
	return iterator_push(self, py_object_new(self->kinds, r));
}

static struct error *iterator_other(struct session_consumer *consumer,
				    const struct session_record *r)
{
	struct iterator *self = container_of(consumer, struct iterator, consumer);
	PyObject *item;

	if (!self->records)
		return NULL;
	item = py_record_object(r);
	return item || PyErr_Occurred() ? iterator_push(self, item) : NULL;
}

static PyObject *iterator_next(PyObject *object)
{
	struct iterator *self = (struct iterator *)object;
	struct error *err = NULL;
	bool more = true;

	if (!py_step_begin(&self->stepping))
		return NULL;
	if (self->given == self->nr)
		self->given = self->nr = 0;
	while (!self->nr && more && !self->ended && !err)
		err = session_step(&self->session, &self->consumer, &more);
	if ((err || !more) && !PyErr_Occurred())
		err = py_source_ended(self->source, err);
	self->stepping = false;
	if (err || PyErr_Occurred()) {	/* a signal handler may have raised while we waited */
		self->ended = true;
		return err ? py_error_raise(err) : NULL;
	}
	if (self->given < self->nr)
		return self->items[self->given++];
	self->ended = true;
	return NULL;
}

static PyObject *iterator_lost(PyObject *self, void *unused)
{
	return PyLong_FromUnsignedLong(((struct iterator *)self)->session.lost);
}

static void iterator_dealloc(PyObject *object)
{
	struct iterator *self = (struct iterator *)object;

	session_finish(&self->session);
	while (self->given < self->nr)
		Py_DECREF(self->items[self->given++]);
	free(self->items);
	Py_XDECREF(self->kinds);
	Py_XDECREF(self->source);
	Py_TYPE(object)->tp_free(object);
}

static PyGetSetDef members[] = {
	{ "lost", iterator_lost, NULL, "Events that were lost in the part that was read (int).",
				       NULL },
	{ NULL, NULL, NULL, NULL, NULL },
};

PyTypeObject py_iterator_type = {
	PyVarObject_HEAD_INIT(NULL, 0)
	.tp_name = "ktrace.Events",
	.tp_basicsize = sizeof(struct iterator),
	.tp_dealloc = iterator_dealloc,
	.tp_flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_DISALLOW_INSTANTIATION,
	.tp_doc = "The events of a recording in time order.",
	.tp_iter = PyObject_SelfIter,
	.tp_iternext = iterator_next,
	.tp_getset = members,
};


PyObject *py_iterator_new(struct py_source *source, bool records)
{
	struct iterator *self = (struct iterator *)py_iterator_type.tp_alloc(&py_iterator_type, 0);
	struct py_kinds_config config = { 0 };
	struct error *err;

	if (!self)
		return NULL;
	self->source = (struct py_source *)Py_NewRef(source);
	config.has_wall_offset = py_source_wall_offset(source, &config.wall_offset);
	self->kinds = py_kinds_new(&config, (PyObject *)source->input);
	self->records = records;
	self->consumer = (struct session_consumer){ .sample = iterator_sample,
						   .other = iterator_other };
	self->session = py_source_session(source, source->input->machine);
	err = self->kinds ? session_start(&self->session) : NULL;
	if (err || !self->kinds) {
		Py_DECREF(self);
		return err ? py_error_raise(err) : NULL;
	}
	return (PyObject *)self;
}

// SPDX-License-Identifier: GPL-2.0
/*
 * Counts the samples of each event and the losses in one pass, without creating Python objects for
 * samples.
 */
#include "module/module.h"

#include "lib/array.h"

struct counts {
	struct session_consumer consumer;
	uint64_t *items;	/* by event->index */
	size_t nr, alloc;
	uint64_t first, last;	/* times of samples; 0: there is none */
	uint64_t lost;
};

static struct error *counts_sample(struct session_consumer *consumer,
				   const struct session_record *r)
{
	struct counts *counts = container_of(consumer, struct counts, consumer);

	if (!r->event)
		return NULL;
	if (!array_at(counts, r->event->index, 0))
		return &error_no_memory;
	counts->items[r->event->index]++;
	/* They come in order. */
	counts->last = r->sample.time;
	if (!counts->first)
		counts->first = r->sample.time;
	return NULL;
}

static PyObject *counts_number(uint64_t number, bool known)
{
	return known ? PyLong_FromUnsignedLongLong(number) : Py_NewRef(Py_None);
}

/* Steals the reference to @value, which may be NULL.  0, or -1 with an exception. */
static int counts_set(PyObject *dict, const char *key, PyObject *value)
{
	int result = value ? PyDict_SetItemString(dict, key, value) : -1;

	Py_XDECREF(value);
	return result;
}

/* Read the source to its end.  *ret is to be freed in any case. */
static PyObject *py_counts_read(struct py_source *source, struct counts *ret)
{
	const struct event_list *list = reader_events(source->input->reader);
	struct session session = py_source_session(source, NULL);
	struct error *err;
	PyObject *dict;

	ret->consumer.sample = counts_sample;
	err = py_source_run(source, &session, &ret->consumer);
	ret->lost = session.lost;
	dict = err || PyErr_Occurred() ? NULL : PyDict_New();
	for (size_t i = 0; dict && i < list->nr; i++)
		if (!event_is_dummy(list->items[i]) &&
		    counts_set(dict, list->items[i]->name,
			       counts_number(i < ret->nr ? ret->items[i] : 0, true)) < 0)
			Py_CLEAR(dict);
	return err ? py_error_raise(err) : dict;
}

PyObject *py_counts(struct py_source *source)
{
	struct counts counts = { 0 };
	PyObject *dict = py_counts_read(source, &counts);

	free(counts.items);
	return dict;
}

PyObject *py_summary(struct py_source *source)
{
	struct counts counts = { 0 };
	PyObject *events = py_counts_read(source, &counts), *dict = events ? PyDict_New() : NULL;
	bool cut = reader_header(source->input->reader)->is_truncated;
	int64_t offset = 0;
	bool tells = py_source_wall_offset(source, &offset) && counts.first;

	free(counts.items);
	if (dict &&
	    (counts_set(dict, "counts", Py_NewRef(events)) < 0 ||
	     counts_set(dict, "first_time", counts_number(counts.first, counts.first)) < 0 ||
	     counts_set(dict, "last_time", counts_number(counts.last, counts.first)) < 0 ||
	     counts_set(dict, "start", counts_number(counts.first + offset, tells)) < 0 ||
	     counts_set(dict, "lost", counts_number(counts.lost, !cut)) < 0))
		Py_CLEAR(dict);
	Py_XDECREF(events);
	return dict;
}

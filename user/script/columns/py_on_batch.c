// SPDX-License-Identifier: GPL-2.0
#include "script/columns/py_on_batch.h"

#include "lib/array.h"
#include "script/columns/py_columns.h"

#define MAX_ROWS 65536
#define MAX_NS 1000000000

struct pending {
	struct columns *columns;
	uint64_t first;		/* time of its first row, ns */
};

struct py_on_batch {
	PyObject *function;
	struct pending *items;	/* by event->index */
	size_t nr, alloc;
};

struct error *py_on_batch_create(PyObject *globals, struct py_on_batch **ret)
{
	PyObject *function = PyDict_GetItemString(globals, "on_batch");

	*ret = NULL;
	if (!function || !PyCallable_Check(function))
		return NULL;
	if (py_columns_init() < 0)
		return py_error_take("before it ran", NULL);
	*ret = calloc(1, sizeof(**ret));
	if (!*ret)
		return &error_no_memory;
	(*ret)->function = Py_NewRef(function);
	return NULL;
}

void py_on_batch_destroy(struct py_on_batch *on_batch)
{
	if (!on_batch)
		return;
	for (size_t i = 0; i < on_batch->nr; i++)
		columns_destroy(on_batch->items[i].columns);
	free(on_batch->items);
	Py_XDECREF(on_batch->function);
	free(on_batch);
}

static struct error *call_on_batch(struct py_on_batch *on_batch, struct pending *pending)
{
	PyObject *object, *result = NULL;
	struct batch batch;
	struct error *err;

	if (!pending->columns || !columns_rows(pending->columns))
		return NULL;
	err = columns_take(pending->columns, &batch);
	if (err)
		return err;
	object = py_batch_new(&batch, batch.event->name);
	if (object)
		result = PyObject_CallOneArg(on_batch->function, object);
	Py_XDECREF(object);
	Py_XDECREF(result);
	return result ? NULL : py_error_take("in on_batch()", NULL);
}

struct error *py_on_batch_sample(struct py_on_batch *on_batch, const struct session_record *r)
{
	struct pending *pending;
	struct error *err = NULL;

	if (!on_batch || !r->event)
		return NULL;
	pending = array_at(on_batch, r->event->index, 0);
	if (!pending)
		return &error_no_memory;
	if (!pending->columns) {
		err = columns_create(r->event, r->format, NULL, 0, &pending->columns);
		if (!err && r->origin)
			err = columns_add_origin(pending->columns);
	}
	if (err)
		return err;
	if (!columns_rows(pending->columns))
		pending->first = r->sample.time;
	err = columns_add_row(pending->columns, r);
	if (!err && (columns_rows(pending->columns) >= MAX_ROWS ||
		     r->sample.time - pending->first >= MAX_NS))
		err = call_on_batch(on_batch, pending);
	return err;
}

struct error *py_on_batch_flush(struct py_on_batch *on_batch)
{
	struct error *err = NULL;

	for (size_t i = 0; on_batch && !err && i < on_batch->nr; i++)
		err = call_on_batch(on_batch, &on_batch->items[i]);
	return err;
}

/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Batches of columns as Python objects.  A Batch owns the arrays, a Column is a view of
 * one of them (buffer protocol).  Both can be exported by the Arrow C data interface
 * (py_arrow.c) without copying.
 */
#ifndef KTRACE_SCRIPT_COLUMNS_PY_COLUMNS_H
#define KTRACE_SCRIPT_COLUMNS_PY_COLUMNS_H

#include "columns/columns.h"
#include "script/python/py.h"

/* Ready the types; 0, or -1 with an exception. */
int py_columns_init(void);
PyTypeObject *py_batch_type(void);
PyTypeObject *py_column_type(void);

/* Takes ownership of @batch, even if it fails.  @event: its name, which is copied. */
PyObject *py_batch_new(struct batch *batch, const char *event);

/* Set the number of ns to add to the batch's times for times of the wall clock. */
void py_batch_set_wall_offset(PyObject *batch, int64_t offset);

struct py_batch {
	PyObject_HEAD
	struct batch batch;
	bool has_wall_offset;
	int64_t wall_offset;
	PyObject *event;	/* its name */
	PyObject *names;	/* tuple of the columns' names */
};

struct py_column {
	PyObject_HEAD
	struct py_batch *batch;	/* owned reference */
	struct column *column;
	Py_ssize_t length, stride;	/* in values, and bytes from one to the next */
	PyObject *dictionary;	/* tuple of the texts, created at the first use; NULL: not yet */
};

/* py_arrow.c: the methods of both types. */
PyObject *py_batch_arrow_schema(PyObject *self, PyObject *unused);
PyObject *py_batch_arrow_array(PyObject *self, PyObject *args, PyObject *keywords);
PyObject *py_batch_arrow_stream(PyObject *self, PyObject *args, PyObject *keywords);
PyObject *py_column_arrow_schema(PyObject *self, PyObject *unused);
PyObject *py_column_arrow_array(PyObject *self, PyObject *args, PyObject *keywords);

/*
 * Return an "arrow_array_stream" capsule with the batches of @iterator.  @schema is a batch with
 * the same columns.
 */
PyObject *py_arrow_stream_new(PyObject *iterator, PyObject *schema);

#endif

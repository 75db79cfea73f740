/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Batches of columns as Python objects: Batch holds the arrays, Column is a
 * view of one of them (buffer protocol), and both go out by the Arrow C data
 * interface (py_arrow.c) without copying.
 */
#ifndef KTRACE_SCRIPT_PY_COLUMNS_H
#define KTRACE_SCRIPT_PY_COLUMNS_H

#include "script/py.h"
#include "session/columns.h"

/* Ready the types; 0, or -1 with an exception. */
int py_columns_init(void);
PyTypeObject *py_batch_type(void);
PyTypeObject *py_column_type(void);

/* Takes the batch over, in any case. */
PyObject *py_batch_new(struct batch *batch);

/* What turns its times into those of the wall clock, ns to add. */
void py_batch_set_wall_offset(PyObject *batch, int64_t offset);

struct py_batch {
	PyObject_HEAD
	struct batch batch;
	bool has_wall_offset;
	int64_t wall_offset;
	PyObject *event;	/* name */
	PyObject *names;	/* tuple */
};

struct py_column {
	PyObject_HEAD
	struct py_batch *batch;	/* owned reference */
	struct column *column;
	Py_ssize_t length, stride;	/* for views: values, and bytes of each */
	PyObject *dictionary;	/* tuple of the texts, once asked for */
};

/* py_arrow.c: the methods of both types. */
PyObject *py_batch_arrow_schema(PyObject *self, PyObject *unused);
PyObject *py_batch_arrow_array(PyObject *self, PyObject *args, PyObject *keywords);
PyObject *py_batch_arrow_stream(PyObject *self, PyObject *args, PyObject *keywords);
PyObject *py_column_arrow_schema(PyObject *self, PyObject *unused);
PyObject *py_column_arrow_array(PyObject *self, PyObject *args, PyObject *keywords);

/*
 * A stream of the batches an iterator gives, "arrow_stream" capsule; @schema is
 * a batch of the same columns.
 */
PyObject *py_arrow_stream_new(PyObject *iterator, PyObject *schema);

#endif

/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The function on_batch(batch) of a script, which gets events as columns.  Each batch has
 * events of one type: at most 65536, and at most those of one second.
 */
#ifndef KTRACE_SCRIPT_COLUMNS_PY_ON_BATCH_H
#define KTRACE_SCRIPT_COLUMNS_PY_ON_BATCH_H

#include "script/python/py.h"

struct py_on_batch;

/* Sets *ret to NULL if @globals has no such function. */
struct error *py_on_batch_create(PyObject *globals, struct py_on_batch **ret);
void py_on_batch_destroy(struct py_on_batch *on_batch);

/* Add a sample, and call the function when a batch is full.  @on_batch may be NULL. */
struct error *py_on_batch_sample(struct py_on_batch *on_batch, const struct session_record *r);

/* Call the function for the remaining samples at the end.  @on_batch may be NULL. */
struct error *py_on_batch_flush(struct py_on_batch *on_batch);

#endif

/* SPDX-License-Identifier: GPL-2.0 */
/*
 * on_batch(batch) of a script: its events as columns, each batch of one event,
 * of at most 65536 events, and of what one second of them brings.
 */
#ifndef KTRACE_SCRIPT_PY_ON_BATCH_H
#define KTRACE_SCRIPT_PY_ON_BATCH_H

#include "script/py.h"

struct py_on_batch;

/* *ret NULL: @globals has no such function. */
struct error *py_on_batch_create(PyObject *globals, struct py_on_batch **ret);
void py_on_batch_destroy(struct py_on_batch *on_batch);

/* Add a sample, and call the function when a batch is full.  @on_batch may be NULL. */
struct error *py_on_batch_sample(struct py_on_batch *on_batch, const struct session_record *r);

/* At the end: what is left. */
struct error *py_on_batch_flush(struct py_on_batch *on_batch);

#endif

/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Calls a script's handlers for records other than samples.
 */
#ifndef KTRACE_SCRIPT_PY_RECORDS_H
#define KTRACE_SCRIPT_PY_RECORDS_H

#include "script/python/py.h"

/* Call the handler for the type of @r, if @globals has one. */
struct error *py_records_call(PyObject *globals, const struct session_record *r);

#endif

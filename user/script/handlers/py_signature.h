/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The parameters of a callable.
 */
#ifndef KTRACE_SCRIPT_HANDLERS_PY_SIGNATURE_H
#define KTRACE_SCRIPT_HANDLERS_PY_SIGNATURE_H

#include <stdbool.h>

#include "script/python/py.h"

struct py_signature {
	PyObject *names;	/* tuple: positional parameters, then keyword-only ones */
	PyObject *defaults;	/* tuple: defaults of the last positional ones; may be empty */
	PyObject *kwdefaults;	/* dict of the defaults of keyword-only ones; NULL: none */
	Py_ssize_t nr_positional, nr_keyword;
	bool varargs, varkeywords;
	PyObject *code;		/* of the function itself; NULL: not known, as of a wrapper */
	Py_ssize_t bound;	/* parameters of the code before names[0], as self */
};

void py_signature_deinit(struct py_signature *signature);

/*
 * Read the parameters of @callable, without a self that is bound already.  A wrapper that
 * takes (*args, **kwargs) has the parameters of the function that it wraps.  A callable
 * without a Python signature is taken to accept any arguments.  Returns 0, or -1 with an
 * exception.
 */
int py_signature_read(PyObject *callable, struct py_signature *ret);

/* The name of a parameter, or "" if @index is past the end. */
const char *py_signature_name(const struct py_signature *signature, Py_ssize_t index);

/* A new reference to the default of a parameter.  NULL without an exception: it has none. */
PyObject *py_signature_default(const struct py_signature *signature, Py_ssize_t index);

/*
 * Return false if the function never looks at parameter @index, so that any value will do.
 * A function that can see its parameters by other means (locals(), eval(), frames) counts
 * as using all of them.
 */
bool py_signature_uses(const struct py_signature *signature, Py_ssize_t index);

#endif

/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The parameters of a callable.
 */
#ifndef KTRACE_SCRIPT_PY_SIGNATURE_H
#define KTRACE_SCRIPT_PY_SIGNATURE_H

#include <stdbool.h>

#include "script/py.h"

struct py_signature {
	PyObject *names;	/* tuple: positional parameters, then keyword-only ones */
	PyObject *defaults;	/* tuple: of the last positional ones; may be empty */
	PyObject *kwdefaults;	/* dict: of keyword-only ones; NULL: none */
	Py_ssize_t nr_positional, nr_keyword;
	bool varargs, varkeywords;
	PyObject *code;		/* of the function itself; NULL: of no use, as of wrappers */
	Py_ssize_t bound;	/* parameters of the code before the first one here */
};

void py_signature_deinit(struct py_signature *signature);

/*
 * Without the bound self.  Wrappers that take (*args, **kwargs) count as what
 * they wrap.  What has no Python signature takes any arguments.  0, or -1 with
 * an exception.
 */
int py_signature_read(PyObject *callable, struct py_signature *ret);

/* "" past the end. */
const char *py_signature_name(const struct py_signature *signature, Py_ssize_t index);

/* New reference to the default of parameter @index; NULL, no exception: none. */
PyObject *py_signature_default(const struct py_signature *signature, Py_ssize_t index);

/*
 * False: the function never looks at parameter @index, so that any value will
 * do.  Functions that can see their parameters otherwise (locals(), eval(),
 * frames) use all of them.
 */
bool py_signature_uses(const struct py_signature *signature, Py_ssize_t index);

#endif

/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The form of a handler: which values its parameters are for, told from their names
 * and their number alone, so that a script gets what --lint says it gets
 * (ktrace-script-python.rst, BINDING).
 *
 * Names decide.  Positions count only as long as no parameter has the name of another
 * value than the one at its position.
 */
#ifndef KTRACE_SCRIPT_PY_FORM_H
#define KTRACE_SCRIPT_PY_FORM_H

#include "script/py.h"

#define PY_NR_COMMON 8		/* perf's parameters before the fields */
#define PY_NR_COMMON_2010 7	/* without the callchain */

/* Perf's parameters in its order: what generated scripts call them. */
extern const char *const py_common_names[PY_NR_COMMON];

struct py_parameters {
	PyObject *names;	/* list or tuple of str; borrowed */
	Py_ssize_t nr;		/* positional ones, which come first in it */
	Py_ssize_t nr_required;	/* of these, without a default */
	bool varargs;		/* *args takes what is left */
};

enum py_form_kind {
	PY_FORM_NAMES,		/* each parameter gets the value of its name */
	PY_FORM_POSITIONS,	/* nr_common values of perf's, every field, perhaps the dict */
	PY_FORM_MIXED,		/* nr_common values of perf's, then by names */
	PY_FORM_REFUSED,	/* one of the first parameters is in the place of another */
};

struct py_form {
	enum py_form_kind kind;
	size_t nr_common;	/* POSITIONS, MIXED */
	bool has_dict;		/* POSITIONS: one more, for perf_sample_dict */
	Py_ssize_t wrong;	/* REFUSED: the parameter, and what its place is for */
	const char *place;
};

void py_form_choose(const struct py_parameters *parameters, const struct event_format *format,
		    struct py_form *ret);

/* The name of a parameter; "" past the end. */
const char *py_parameter_name(const struct py_parameters *parameters, Py_ssize_t index);

/* The field of the event's own that a parameter of that name stands for; NULL: none. */
const struct field *py_form_field(const struct event_format *format, const char *name);

/* Index in py_common_names of perf's own name for a common value; -1: it is none. */
int py_form_common(const char *name);

/* A handler can ask for something by that name, be it there or not, as common_NAME may. */
bool py_form_knows(const struct event_format *format, const char *name);

#endif

/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The form of a handler: which values its parameters stand for.  Only their names and their number
 * decide, so that a script gets the values that --lint reports (ktrace-script-python.rst, BINDING).
 *
 * Names decide.  Positions count only if each parameter with the name of a value is at the position
 * of that value.
 */
#ifndef KTRACE_SCRIPT_HANDLERS_PY_FORM_H
#define KTRACE_SCRIPT_HANDLERS_PY_FORM_H

#include "script/python/py.h"

#define PY_NR_COMMON 8		/* perf's parameters, which come before the fields */
#define PY_NR_COMMON_2010 7	/* the same without the callchain, as perf had it in 2010 */

/* The names of perf's parameters in generated scripts, in perf's order. */
extern const char *const py_common_names[PY_NR_COMMON];

struct py_parameters {
	PyObject *names;	/* list or tuple of str; borrowed */
	Py_ssize_t nr;		/* positional parameters, which come first in names */
	Py_ssize_t nr_required;	/* how many of these have no default */
	bool varargs;		/* *args takes the remaining values */
};

enum py_form_kind {
	PY_FORM_NAMES,		/* each parameter gets the value of its name */
	PY_FORM_POSITIONS,	/* nr_common of perf's values, every field, perhaps the dict */
	PY_FORM_MIXED,		/* nr_common of perf's values, then by names */
	PY_FORM_REFUSED,	/* one of the first parameters has the name of another value */
};

struct py_form {
	enum py_form_kind kind;
	size_t nr_common;	/* POSITIONS, MIXED */
	bool has_dict;		/* POSITIONS: one more parameter takes perf_sample_dict */
	Py_ssize_t wrong;	/* REFUSED: the parameter, and the value that belongs there */
	const char *place;
};

void py_form_choose(const struct py_parameters *parameters, const struct event_format *format,
		    struct py_form *ret);

/* The name of a parameter, or "" if @index is past the end. */
const char *py_parameter_name(const struct py_parameters *parameters, Py_ssize_t index);

/* The number of the event's own fields. */
size_t py_form_nr_fields(const struct event_format *format);

/* The event's own field for a parameter called @name; NULL: none. */
const struct field *py_form_field(const struct event_format *format, const char *name);

/* The index of @name, or of the name that it abbreviates, in py_common_names; -1: none. */
int py_form_common(const char *name);

/*
 * Whether a handler may have a parameter of this name.  That includes every common_NAME, even if
 * the samples do not have that common field.
 */
bool py_form_knows(const struct event_format *format, const char *name);

#endif

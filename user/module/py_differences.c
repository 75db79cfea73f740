// SPDX-License-Identifier: GPL-2.0
#include "module/module.h"

#include <stdlib.h>

#include "lib/cleanup.h"
#include "profile/compare/difference.h"

const char py_differences_doc[] =
	"differences(rows, before, level=0.05) -> list\n\n"
	"Whether quantities differ between repeated runs of two kinds. A row has the measurements of one "
	"quantity, the first ones from so many runs before a change. For each row there is a dict: "
	"before, after (means), change, detectable, q, verdict ('more', 'less', 'unchanged' or \"can't "
	"tell\").";

/* Store the measurements of a row.  0, or -1 with an exception. */
static int differences_row(PyObject *given, double *row, Py_ssize_t nr)
{
	PyObject *values = PySequence_Fast(given, "a row is a list of numbers");
	int result = values ? 0 : -1;

	if (values && PySequence_Fast_GET_SIZE(values) != nr) {
		PyErr_SetString(PyExc_ValueError, "all rows have as many measurements as the first one");
		result = -1;
	}
	for (Py_ssize_t i = 0; !result && i < nr; i++) {
		row[i] = PyFloat_AsDouble(PySequence_Fast_GET_ITEM(values, i));
		result = PyErr_Occurred() ? -1 : 0;
	}
	Py_XDECREF(values);
	return result;
}

static PyObject *differences_dict(const struct difference *d)
{
	static const char *const words[] = {
		[DIFFERENCE_UNKNOWN] = "can't tell", [DIFFERENCE_NONE] = "unchanged",
		[DIFFERENCE_MORE] = "more", [DIFFERENCE_LESS] = "less",
	};

	return Py_BuildValue("{sdsdsdsdsdss}", "before", d->before, "after", d->after, "change",
			     d->change, "detectable", d->detectable, "q", d->q, "verdict",
			     words[d->verdict]);
}

static PyObject *differences_list(PyObject *rows, Py_ssize_t before, double level)
{
	Py_ssize_t nr_rows = PySequence_Fast_GET_SIZE(rows), runs;
	const struct difference_options options = { .level = level };
	_cleanup_free_ struct difference *found = NULL;
	_cleanup_free_ double *values = NULL;
	struct error *err;
	PyObject *list;

	runs = nr_rows ? PySequence_Size(PySequence_Fast_GET_ITEM(rows, 0)) : before;
	if (runs < 0)
		return NULL;
	if (before < 0 || before > runs) {
		PyErr_SetString(PyExc_ValueError, "before is not a number of runs in a row");
		return NULL;
	}
	values = calloc(nr_rows * runs + 1, sizeof(*values));
	found = calloc(nr_rows + 1, sizeof(*found));
	if (!values || !found)
		return PyErr_NoMemory();
	for (Py_ssize_t i = 0; i < nr_rows; i++)
		if (differences_row(PySequence_Fast_GET_ITEM(rows, i), values + i * runs, runs) < 0)
			return NULL;
	err = differences_of(values, nr_rows, before, runs - before, &options, found);
	if (err) {
		py_error_raise(err);
		return NULL;
	}
	list = PyList_New(nr_rows);
	for (Py_ssize_t i = 0; list && i < nr_rows; i++) {
		PyObject *dict = differences_dict(&found[i]);

		if (dict)
			PyList_SET_ITEM(list, i, dict);
		else
			Py_CLEAR(list);
	}
	return list;
}

PyObject *py_differences(PyObject *module, PyObject *args, PyObject *keywords)
{
	static char *names[] = { "rows", "before", "level", NULL };
	PyObject *given, *rows, *list;
	Py_ssize_t before;
	double level = 0;

	if (!PyArg_ParseTupleAndKeywords(args, keywords, "On|d:differences", names, &given, &before,
					 &level))
		return NULL;
	rows = PySequence_Fast(given, "rows is a list of lists of numbers");
	list = rows ? differences_list(rows, before, level) : NULL;
	Py_XDECREF(rows);
	return list;
}

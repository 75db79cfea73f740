// SPDX-License-Identifier: GPL-2.0
#include "script/handlers/py_export.h"

#include "table/samples/export.h"

struct py_export {
	struct export_sink sink;
	struct export *export;
	PyObject *globals;
	const struct session_record *record;	/* the source of the current rows; NULL: none */
};

static const char *const functions[EXPORT_TABLE_NR] = {
	[EXPORT_EVSEL] = "evsel_table",
	[EXPORT_MACHINE] = "machine_table",
	[EXPORT_THREAD] = "thread_table",
	[EXPORT_COMM] = "comm_table",
	[EXPORT_COMM_THREAD] = "comm_thread_table",
	[EXPORT_DSO] = "dso_table",
	[EXPORT_SYMBOL] = "symbol_table",
	[EXPORT_BRANCH_TYPE] = "branch_type_table",
	[EXPORT_SAMPLE] = "sample_table",
	[EXPORT_CALL_PATH] = "call_path_table",
	[EXPORT_CONTEXT_SWITCH] = "context_switch_table",
};

static PyObject *make_row_value(const struct export_value *value)
{
	switch (value->type) {
	case EXPORT_SIGNED:
		return PyLong_FromLong(value->number);
	case EXPORT_UNSIGNED:
		return PyLong_FromUnsignedLong(value->unsigned_number);
	case EXPORT_TEXT:
		return py_text(value->text, strlen(value->text));
	}
	Py_UNREACHABLE();
}

static PyObject *make_values(const struct export_value *values, size_t nr)
{
	PyObject *tuple = PyTuple_New(nr);

	for (size_t i = 0; tuple && i < nr; i++) {
		PyObject *value = make_row_value(&values[i]);

		if (!value)
			Py_CLEAR(tuple);
		else
			PyTuple_SET_ITEM(tuple, i, value);
	}
	return tuple;
}

static struct error *on_row(struct export_sink *sink, enum export_table table,
			    const struct export_value *values, size_t nr)
{
	struct py_export *export = container_of(sink, struct py_export, sink);
	PyObject *function = PyDict_GetItemString(export->globals, functions[table]);
	PyObject *arguments, *result = NULL;
	char what[64];

	if (!function || !PyCallable_Check(function))
		return NULL;
	Py_INCREF(function);
	arguments = make_values(values, nr);
	if (arguments)
		result = PyObject_CallObject(function, arguments);
	Py_DECREF(function);
	Py_XDECREF(arguments);
	if (!result) {
		snprintf(what, sizeof(what), "in %s()", functions[table]);
		return py_error_take(what, export->record);
	}
	Py_DECREF(result);
	return NULL;
}

struct error *py_export_sample(struct py_export *export, const struct session_record *r)
{
	struct error *err;

	export->record = r;
	err = export_sample(export->export, r, NULL);
	export->record = NULL;
	return err;
}

struct error *py_export_other(struct py_export *export, const struct session_record *r,
			      bool *ret_taken)
{
	struct error *err;

	export->record = r;
	err = export_other(export->export, r, ret_taken);
	export->record = NULL;
	return err;
}

static bool is_set(PyObject *globals, const char *name)
{
	PyObject *value = PyDict_GetItemString(globals, name);

	return value && PyObject_IsTrue(value) > 0;
}

struct error *py_export_create(PyObject *globals, struct py_export **ret)
{
	struct py_export *export;

	*ret = NULL;
	if (!is_set(globals, "perf_db_export_mode"))
		return NULL;
	export = calloc(1, sizeof(*export));
	if (!export)
		return &error_no_memory;
	*ret = export;
	export->sink.row = on_row;
	export->globals = globals;
	return export_create(&export->sink, is_set(globals, "perf_db_export_callchains"),
			     &export->export);
}

void py_export_destroy(struct py_export *export)
{
	if (!export)
		return;
	export_destroy(export->export);
	free(export);
}

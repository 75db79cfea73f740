// SPDX-License-Identifier: GPL-2.0
/* The tables of topics as batches, each computed in one pass over a recording. */
#include "module/module.h"

#include <errno.h>

#include "script/columns/py_columns.h"
#include "session/selection.h"
#include "table/table_values.h"
#include "table/tables.h"

/* A missing event is the caller's mistake, a ValueError, as elsewhere. */
static struct error *table_check_events(const struct event_list *events,
					const struct table_row *row)
{
	struct error *err = row->provider->check(row->provider, events);

	if (err && err != &error_no_memory)
		err->code = EINVAL;
	return err;
}

static struct error *table_check(struct reader *reader, const struct table_row *row)
{
	if (reader_joined(reader))
		return error_hint(error_new(EINVAL, "The table %s is of one recording, not of several",
					    row->name), "Open each of them by itself");
	/* The events of a pipe can come later. */
	return reader_header(reader)->is_pipe ? NULL :
	       table_check_events(reader_events(reader), row);
}

/* Read the samples of @times, both 0: all. */
static struct error *table_read_samples(struct py_source *source, struct machine *machine,
					const struct time_range *times,
					struct session_consumer *consumer, struct session *ret)
{
	struct time_range range = *times;
	const struct selection selection = { .times = { &range, 1, 1, true } };
	struct record_scope scope = { .events = ~0ULL };
	struct reader *reader = source->input->reader;
	struct selector selector;
	struct error *err;

	*ret = py_source_session(source, machine);
	if (!times->start && !times->end)
		return py_source_run(source, ret, consumer);
	selector_init(&selector, &selection, consumer);
	selection_scope(&selection, reader_events(reader), &scope);
	err = reader_narrow(reader, &scope);
	return err ? err : py_source_run(source, ret, &selector.consumer);
}

static struct error *table_read_source(struct py_source *source, const struct table_row *row,
				       const struct time_range *times, struct table_values *values,
				       struct session *session, struct strbuf *told)
{
	struct reader *reader = source->input->reader;
	struct machine *machine = row->provider->needs_machine ? source->input->machine : NULL;
	const struct table_source from = {
		reader_events(reader), reader_formats(reader), machine, reader_header(reader),
		reader_ledger_read(reader),
	};
	_cleanup_(table_maker) struct table_maker *maker = NULL;
	struct error *err = table_check(reader, row);

	if (!err)
		err = table_maker_create(row->provider, &from, &maker);
	if (!err)
		err = table_read_samples(source, machine, times, maker->consumer, session);
	if (!err && !PyErr_Occurred())
		err = table_check_events(from.events, row);
	if (err || PyErr_Occurred())
		return err;
	maker->damaged = session->corrupt || from.header->is_truncated;
	err = table_values_take(maker, values);
	if (!err)
		table_maker_tell(maker, told);
	return err;
}

/* 0, or -1 with an exception: the caller turned warnings into exceptions. */
static int table_warn(const struct py_source *source, const struct table_row *row,
		      const struct session *session, const struct strbuf *told)
{
	if (told->len && PyErr_WarnFormat(PyExc_RuntimeWarning, 1, "%s", strbuf_str(told)) < 0)
		return -1;
	if (session->lost &&
	    PyErr_WarnFormat(PyExc_RuntimeWarning, 1, "%llu records were lost, so that %s is not "
			     "exact", (unsigned long long)session->lost, row->name) < 0)
		return -1;
	if (session->corrupt &&
	    PyErr_WarnFormat(PyExc_RuntimeWarning, 1, "%llu samples are damaged and were left out, so "
			     "that %s is not exact", (unsigned long long)session->corrupt,
			     row->name) < 0)
		return -1;
	if (!reader_header(source->input->reader)->is_truncated)
		return 0;
	return PyErr_WarnFormat(PyExc_RuntimeWarning, 1, "the recording was cut off, so that %s is not "
				"exact", row->name);
}

PyObject *py_table(struct py_source *source, const char *name, const struct time_range *times)
{
	_cleanup_(table_values) struct table_values values = { 0 };
	_cleanup_(strbuf) struct strbuf told = STRBUF_INIT;
	struct session session = { 0 };
	const struct table_row *row;
	struct error *err = table_find(name, &row);
	struct batch batch;

	if (err)
		err->code = EINVAL;	/* a ValueError: no file is missing */
	else
		err = table_read_source(source, row, times, &values, &session, &told);
	if (err)
		return py_error_raise(err);
	if (PyErr_Occurred() || table_warn(source, row, &session, &told) < 0)
		return NULL;
	batch = values.batch;
	values.batch = (struct batch){ 0 };
	return py_batch_new(&batch, row->name);
}

PyObject *py_tables(void)
{
	PyObject *dict = PyDict_New();

	for (const struct table_row *row = tables_of_topics; dict && row->name; row++) {
		PyObject *help = PyUnicode_FromString(row->help);

		if (!help || PyDict_SetItemString(dict, row->name, help) < 0)
			Py_CLEAR(dict);
		Py_XDECREF(help);
	}
	return dict;
}

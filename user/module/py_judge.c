// SPDX-License-Identifier: GPL-2.0
/*
 * Judges a recording by machines, whose texts Python has.
 */
#include "module/module.h"

#include <errno.h>

#include "lib/array.h"
#include "machine/judge.h"

/* So many violations of each machine are shown. */
#define JUDGE_SHOWN	8
/* Maximal number of keys that live at once; unused ones need no memory. */
#define JUDGE_KEYS	(1U << 22)

/* A machine of the caller; all is borrowed. */
struct judge_text {
	const char *name, *dot, *binding;
	Py_ssize_t dot_len, binding_len;
};

/*
 * Values of a key have 64 bits.  Signed and unsigned ones of that size may be different numbers
 * with the same bits.
 */
static struct error *py_judge_check_parts(const struct monitor *m)
{
	const struct machine_view *v = &m->view;

	for (uint32_t i = 1; i < v->head->nr_sources; i++)
		for (uint32_t p = 0; p < v->head->nr_parts; p++) {
			const struct ktrace_machine_part *a = &v->sources[0].parts[p];
			const struct ktrace_machine_part *b = &v->sources[i].parts[p];

			if (a->src == b->src && (a->flags ^ b->flags) & KTRACE_FILTER_SIGNED &&
			    (a->width == 8 || b->width == 8))
				return error_new(EINVAL, "part %u of the key is signed in one event "
						 "only", p + 1);
		}
	return NULL;
}

static struct error *py_judge_add(struct judges *judges, const struct judge_text *text,
				  const struct judges_source *source)
{
	_cleanup_(automaton) struct automaton *automaton = NULL;
	_cleanup_(binding) struct binding *binding = NULL;
	struct judges_item *item;
	struct error *err = automaton_parse(text->name, text->dot, text->dot_len, &automaton);

	if (!err)
		err = binding_parse(text->name, text->binding, text->binding_len, &binding);
	if (!err)
		err = judges_add(judges, text->name, automaton, binding, source);
	if (err)
		return err;
	item = &judges->list.items[judges->list.nr - 1];
	item->monitor->program->max_keys = JUDGE_KEYS;
	judge_take_all(item->judge, JUDGE_SKEW_MOST);
	return py_judge_check_parts(item->monitor);
}

/* 0, or -1 with an exception; steals @value. */
static int py_judge_set(PyObject *dict, const char *name, PyObject *value)
{
	int result = value ? PyDict_SetItemString(dict, name, value) : -1;

	Py_XDECREF(value);
	return result;
}

/* How often each event occurred in each state. */
static PyObject *py_judge_taken(const struct judges_item *item, bool trusted)
{
	const struct monitor *m = item->monitor;
	PyObject *dict = PyDict_New();

	for (uint32_t i = 0; dict && i < m->view.head->nr_transitions; i++) {
		const struct ktrace_machine_transition *tr = &m->view.transitions[i];
		PyObject *key = Py_BuildValue("(ss)", m->states.items[tr->state],
					      m->sources.items[tr->source]);
		PyObject *before = key ? PyDict_GetItemWithError(dict, key) : NULL, *sum = NULL;
		uint64_t taken = key_table_taken(judge_keys(item->judge), i, trusted);

		if (before)
			taken += PyLong_AsUnsignedLongLong(before);
		if (key && !PyErr_Occurred())
			sum = PyLong_FromUnsignedLongLong(taken);
		if (!sum || PyDict_SetItem(dict, key, sum) < 0)
			Py_CLEAR(dict);
		Py_XDECREF(key);
		Py_XDECREF(sum);
	}
	return dict;
}

static PyObject *py_judge_violation(const struct monitor *m, const struct key_violation *v)
{
	_cleanup_(strbuf) struct strbuf key = STRBUF_INIT;

	monitor_add_key(m, v->key, &key);
	return Py_BuildValue("(Ks#szK)", (unsigned long long)v->time, strbuf_str(&key),
			     (Py_ssize_t)key.len, m->states.items[v->state],
			     v->source == KEY_NO_SOURCE ? NULL : m->sources.items[v->source],
			     (unsigned long long)v->age);
}

/*
 * Violations that are proven are of keys that became known, and were violated, while all events
 * were enabled.  The first of them are shown.
 */
static int py_judge_add_violations(PyObject *dict, const struct judges_item *item)
{
	size_t nr, proven = 0;
	const struct key_violation *list = key_table_violations(judge_keys(item->judge), &nr);
	PyObject *shown = PyList_New(0);
	uint64_t from, to;
	int done = shown ? 0 : -1;

	judge_enabled(item->judge, &from, &to);
	for (size_t i = 0; !done && i < nr; i++) {
		PyObject *row;

		if (list[i].began <= from || list[i].time > to || proven++ >= JUDGE_SHOWN)
			continue;
		row = py_judge_violation(item->monitor, &list[i]);
		done = row ? PyList_Append(shown, row) : -1;
		Py_XDECREF(row);
	}
	if (!done)
		done = py_judge_set(dict, "proven", PyLong_FromSize_t(proven));
	if (done) {
		Py_XDECREF(shown);
		return -1;
	}
	return py_judge_set(dict, "shown", shown);
}

static PyObject *py_judge_result(const struct judges_item *item, const struct ledger *ledger,
				 uint64_t inversions)
{
	struct key_counts c;
	PyObject *dict;

	key_table_count(judge_keys(item->judge), &c);
	dict = Py_BuildValue("{sKsKsKsKsKsKsKsKsKsKsOsO}", "keys", c.keys, "ok", c.ok, "violated", c.violated,
			     "not_started", c.not_started, "lost", c.lost, "unordered", c.unordered,
			     "violations", c.violations, "refused", c.refused, "inversions", inversions,
			     "against_time", c.against_time,
			     "missed", judge_has_missed(item->judge) ? Py_True : Py_False, "left_out",
			     judge_leaves_out(item->judge, ledger) ? Py_True : Py_False);
	if (dict && (py_judge_set(dict, "taken", py_judge_taken(item, false)) < 0 ||
		     py_judge_set(dict, "taken_enabled", py_judge_taken(item, true)) < 0 ||
		     py_judge_add_violations(dict, item) < 0))
		Py_CLEAR(dict);
	return dict;
}

static PyObject *py_judge_refused(struct error *err)
{
	size_t len = strcspn(err->message, "\n");
	PyObject *dict = Py_BuildValue("{ss#}", "error", err->message, (Py_ssize_t)len);

	error_free(err);
	return dict;
}

/* A dict for a machine that cannot judge, or None for one that was added; NULL: an exception. */
static PyObject *py_judge_try(struct judges *judges, PyObject *given,
			      const struct judges_source *source)
{
	struct judge_text text;
	size_t before = judges->list.nr;
	struct error *err;

	if (!PyTuple_Check(given))
		return PyErr_Format(PyExc_TypeError, "a machine is a tuple (name, dot, binding)");
	if (!PyArg_ParseTuple(given, "ss#s#;a machine is (name, dot, binding)", &text.name, &text.dot,
			      &text.dot_len, &text.binding, &text.binding_len))
		return NULL;
	err = py_judge_add(judges, &text, source);
	if (err == &error_no_memory)
		return py_error_raise(err);
	if (!err)
		return Py_NewRef(Py_None);
	if (judges->list.nr > before)
		judges_drop_last(judges);
	return py_judge_refused(err);
}

static PyObject *py_judge_try_all(struct judges *judges, PyObject *machines,
				  const struct judges_source *source)
{
	PyObject *list = PyList_New(0);

	for (Py_ssize_t i = 0; list && i < PySequence_Fast_GET_SIZE(machines); i++) {
		PyObject *one = py_judge_try(judges, PySequence_Fast_GET_ITEM(machines, i), source);

		if (!one || PyList_Append(list, one) < 0)
			Py_CLEAR(list);
		Py_XDECREF(one);
	}
	return list;
}

/* Replace each None by the result of its machine. */
static int py_judge_fill(PyObject *list, const struct judges *judges,
			 const struct ledger *ledger, uint64_t inversions)
{
	size_t at = 0;

	for (Py_ssize_t i = 0; i < PyList_GET_SIZE(list); i++) {
		PyObject *result;

		if (PyList_GET_ITEM(list, i) != Py_None)
			continue;
		result = py_judge_result(&judges->list.items[at++], ledger, inversions);
		if (!result || PyList_SetItem(list, i, result) < 0)
			return -1;
	}
	return 0;
}

/* Judge the recording.  0, or -1 with an exception; *ret_inversions: records came against time. */
static int py_judge_run(struct py_source *source, struct judges *judges, uint64_t *ret_inversions)
{
	struct reader *reader = source->input->reader;
	struct session session = py_source_session(source, NULL);
	struct error *err = NULL;

	if (judges->list.nr)
		err = py_source_run(source, &session, &judges->consumer);
	for (size_t i = 0; !err && !PyErr_Occurred() && i < judges->list.nr; i++)
		if (session.corrupt || reader_header(reader)->is_truncated ||
		    !judge_knows_losses(judges->list.items[i].judge, reader_ledger_read(reader)))
			err = judge_distrust(judges->list.items[i].judge);
	if (err)
		py_error_raise(err);
	*ret_inversions = session.inversions;
	return PyErr_Occurred() ? -1 : 0;
}

PyObject *py_judge(struct py_source *source, PyObject *given)
{
	struct reader *reader = source->input->reader;
	const struct judges_source from = {
		reader_events(reader), reader_formats(reader),
		reader_header(reader)->nr_cpus_online,
	};
	_cleanup_(judges) struct judges judges;
	PyObject *machines, *list;
	uint64_t inversions;

	judges_init(&judges);
	machines = PySequence_Fast(given, "judge() takes a list of machines");
	list = machines ? py_judge_try_all(&judges, machines, &from) : NULL;
	/* The texts are no longer needed, because they were compiled to programs. */
	Py_XDECREF(machines);
	if (list && (py_judge_run(source, &judges, &inversions) < 0 ||
		     py_judge_fill(list, &judges, reader_ledger_read(reader), inversions) < 0))
		Py_CLEAR(list);
	return list;
}

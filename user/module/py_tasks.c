// SPDX-License-Identifier: GPL-2.0
/*
 * The state intervals of tasks, as a batch: a pass over the recording collects those of all tasks,
 * and the wanted ones become rows.
 */
#include "module/module.h"

#include <errno.h>

#include "script/columns/py_columns.h"
#include "states/known_events.h"
#include "states/task_intervals.h"

#define STEPS 65536	/* records between two checks for signals */

struct tasks_query {
	struct task_interval_options options;
	struct cpumap cpus;
	struct id_list tids;
	bool chains;
};

static void tasks_query_deinit(struct tasks_query *query)
{
	cpumap_deinit(&query->cpus);
	free(query->tids.items);
}
DEFINE_CLEANUP(tasks_query, struct tasks_query, tasks_query_deinit)

/* 0, or -1 with an exception. */
static int tasks_query_set(struct tasks_query *query, PyObject *cpus, PyObject *tids)
{
	PyObject *text = cpus == Py_None ? NULL : py_list_text(cpus);
	struct error *err = NULL;

	if (text) {
		err = cpumap_parse(PyUnicode_AsUTF8(text), &query->cpus);
		query->options.cpus = &query->cpus;
		Py_DECREF(text);
	}
	text = tids == Py_None || err || PyErr_Occurred() ? NULL : py_list_text(tids);
	if (text) {
		err = id_list_parse(&query->tids, "tids", PyUnicode_AsUTF8(text));
		/* Nobody is asked for, which is not the same as no limit. */
		if (!err && !query->tids.nr)
			err = error_new(EINVAL, "tids names no task");
		query->options.tids = &query->tids;
		Py_DECREF(text);
	}
	if (err)
		py_error_raise(err);
	return PyErr_Occurred() ? -1 : 0;
}

static struct error *tasks_check(struct py_source *source)
{
	struct reader *reader = source->input->reader;

	if (reader_joined(reader))
		return error_hint(error_new(EINVAL, "tasks() reads one recording, not several"),
				  "The tasks of each have numbers of their own");
	/* The events of a pipe can come later. */
	if (reader_header(reader)->is_pipe ||
	    event_is_recorded(reader_events(reader), "sched", "sched_switch"))
		return NULL;
	return error_hint(error_new(EINVAL, "The recording has no event sched:sched_switch"),
			  "'ktrace sched record' records the events of tasks");
}

/* Read until the end, or until nothing more is wanted. */
static struct error *tasks_read(struct py_source *source, const struct tasks_query *query,
				struct task_stays *stays, uint64_t *ret_lost)
{
	const struct time_range *time = &query->options.time;
	struct session session = py_source_session(source, query->chains ?
						   source->input->machine : NULL);
	struct error *err = session_start(&session);
	bool more = true, beyond = false;

	for (uint64_t n = 1; !err && more && !beyond && !PyErr_Occurred(); n++) {
		err = session_step(&session, &stays->consumer, &more);
		beyond = time->end && stays->states.end > time->end;
		if (n % STEPS == 0)
			PyErr_CheckSignals();
	}
	if (!beyond && !PyErr_Occurred())
		err = py_source_ended(source, err);
	if (!err && !PyErr_Occurred())
		err = stays->consumer.finish(&stays->consumer);
	*ret_lost = session.lost;
	session_finish(&session);
	return err;
}

/* 0, or -1 with an exception: the caller turned warnings into exceptions. */
static int tasks_warn(const struct task_stays *stays, uint64_t lost)
{
	if (lost && PyErr_WarnFormat(PyExc_RuntimeWarning, 1, "%llu records were lost, so the "
				     "states of tasks are unknown then",
				     (unsigned long long)lost) < 0)
		return -1;
	if (!stays->unseen)
		return 0;
	return PyErr_WarnFormat(PyExc_RuntimeWarning, 1, "%llu times, a task stopped running "
				"without a recorded start, so it seems to have waited while it "
				"ran: 'ktrace sched record' records all CPUs",
				(unsigned long long)stays->unseen);
}

static PyObject *tasks_make(struct py_source *source, struct tasks_query *query)
{
	_cleanup_(task_stays) struct task_stays *stays = NULL;
	struct batch batch = { 0 };
	struct error *err = tasks_check(source);
	uint64_t lost = 0;
	PyObject *made;
	int64_t offset;

	if (!reader_header(source->input->reader)->is_pipe)
		query->chains &= event_list_has(reader_events(source->input->reader),
						PERF_SAMPLE_CALLCHAIN);
	if (!err)
		err = task_stays_create(query->chains, &stays);
	if (!err)
		err = tasks_read(source, query, stays, &lost);
	if (!err && !PyErr_Occurred())
		err = task_intervals_make(stays, &query->options, &batch);
	if (err)
		return py_error_raise(err);
	if (PyErr_Occurred() || tasks_warn(stays, lost) < 0) {
		batch_deinit(&batch);
		return NULL;
	}
	made = py_batch_new(&batch, TASK_INTERVALS_NAME);
	if (made && py_source_wall_offset(source, &offset))
		py_batch_set_wall_offset(made, offset);
	return made;
}

const char py_tasks_doc[] =
"tasks(source='perf.data', *, time=None, tids=None, cpus=None, chains=True) -> Batch\n\n"
"The state intervals of tasks: a row for each time that one ran, waited for a CPU or was blocked.\n"
"source is a Recording or the path of one, with the scheduler's events.  Columns: start,\n"
"end (ns), tid, pid, comm, state ('running', 'runnable', 'blocked', 'unknown'), cpu, waker\n"
"(tid), by_interrupt, why (the letter of the state in which it stopped), at_least (1: it had\n"
"begun before, 2: it went on, 3: both), and chain, if chains were recorded.  time=(start,\n"
"end) clips the intervals; tids and cpus are lists, or as '0-3'.";

PyObject *py_tasks(PyObject *module, PyObject *args, PyObject *keywords)
{
	static char *names[] = { "source", "time", "tids", "cpus", "chains", NULL };
	_cleanup_(tasks_query) struct tasks_query query = { .chains = true };
	PyObject *given = NULL, *time = Py_None, *tids = Py_None, *cpus = Py_None;
	PyObject *recording, *batch = NULL;
	struct py_source *source;
	int chains = 1;

	if (!PyArg_ParseTupleAndKeywords(args, keywords, "|O$OOOp:tasks", names, &given, &time,
					 &tids, &cpus, &chains) ||
	    py_times_parse(time, &query.options.time) < 0 ||
	    tasks_query_set(&query, cpus, tids) < 0)
		return NULL;
	query.chains = chains;
	if (given && PyObject_TypeCheck(given, &py_recording_type))
		recording = Py_NewRef(given);
	else
		recording = py_recording_given(given, Py_None);
	source = recording ? py_recording_take(recording) : NULL;
	if (source)
		batch = tasks_make(source, &query);
	Py_XDECREF(source);
	Py_XDECREF(recording);
	return batch;
}

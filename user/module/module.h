/* SPDX-License-Identifier: GPL-2.0 */
/*
 * `import ktrace`: the parts of the extension.  As the commands do, it connects sources to
 * sessions, and these to Python objects.  Its contract is ktrace-python-module.rst.
 *
 * Functions that return PyObject * return a new reference, or NULL with an exception set.
 */
#ifndef KTRACE_MODULE_MODULE_H
#define KTRACE_MODULE_MODULE_H

#include "script/python/py.h"		/* Python.h must be included first */

#include "perfdata/reader.h"
#include "recorder/child.h"
#include "session/machine.h"
#include "session/session.h"

/*
 * source.c: the data that interpret the records of a recording: its events, their formats and the
 * names of addresses.  Every event object refers to it.
 */
struct py_input {
	PyObject_HEAD
	struct reader *reader;
	struct machine *machine;
	struct symbol_options symbols;	/* of machine; texts are owned */
};

/*
 * An open recording.  Recordings and iterators refer to it, event objects do not.  So the
 * recorder is ended as soon as nobody can read from it any more.
 */
struct py_source {
	PyObject_HEAD
	struct py_input *input;
	struct recorder_child recorder;	/* of a live recording; its pid is not 0 */
	bool is_live;
	bool used;			/* a pass over it has begun */
};

extern PyTypeObject py_input_type, py_source_type;

/* @paths: one, or several that are read as one; @rules as for reader_open_many(). */
PyObject *py_source_open(const char *const *paths, size_t nr, const struct traffic_rules *rules);
/*
 * The ktrace program to run: $KTRACE, else the one that was built or installed with this
 * module, else the one in PATH.  The string is static.
 */
const char *py_source_program(void);
/* Start a recorder with this command line, which the source does not need afterwards. */
PyObject *py_source_start(const struct recorder_command *command);
/* Use other files to name addresses, before the first pass; NULL: the default ones. */
struct error *py_source_symbols(struct py_source *source, const char *vmlinux, const char *kallsyms,
				const char *symfs);
/* End the recorder, if the source has one. */
void py_source_close(struct py_source *source);
/*
 * Called at the end of the data, or when reading failed with @err.  Returns the error of a live
 * source's recorder if there is one, because that is the cause, else @err.
 */
struct error *py_source_ended(struct py_source *source, struct error *err);

/* The session of a pass over the source.  @machine may be NULL. */
struct session py_source_session(const struct py_source *source, struct machine *machine);
/*
 * Pass all records to @consumer, as session_run() does, but check for signals of Python meanwhile.
 * Without an error, an exception may be set.
 */
struct error *py_source_run(struct py_source *source, struct session *session,
			    struct session_consumer *consumer);

/* *ret is the wall clock minus the recording's clock, in ns.  Returns false if it is unknown. */
bool py_source_wall_offset(const struct py_source *source, int64_t *ret);

/*
 * Begin a step of an iterator.  Returns false with an exception if another step is in progress, in
 * another thread that waits for data or in our caller.
 */
bool py_step_begin(bool *stepping);

/* iterator.c: samples of a source in time order; with @records, other records too. */
extern PyTypeObject py_iterator_type;
PyObject *py_iterator_new(struct py_source *source, bool records);

/* batches.c: the arguments of read() and batches(); everything is borrowed. */
enum batch_order { ORDER_TIME, ORDER_FILE };
struct batch_query {
	PyObject *event, *fields;	/* as given by the caller; None: all */
	size_t rows;			/* of a batch, at most */
	enum batch_order order;
	struct time_range times;	/* both 0: all */
};

/* An iterator that gives batches. */
extern PyTypeObject py_batches_type;
PyObject *py_batches_new(struct py_source *source, const struct batch_query *query);

/* All samples of one event as one batch. */
PyObject *py_batches_read(struct py_source *source, const struct batch_query *query);

/* The samples of all events as a dict from the names of events to their batches. */
PyObject *py_batches_read_all(struct py_source *source, const struct batch_query *query);

/* counts.c: a dict from the names of events to their numbers of samples. */
PyObject *py_counts(struct py_source *source);
/*
 * A dict with this one as counts, first_time and last_time of samples, start by the wall clock (all
 * ns), and lost; None: unknown.
 */
PyObject *py_summary(struct py_source *source);

/* recording.c: the results of open() and live(). */
extern PyTypeObject py_recording_type;
/*
 * Opens the path or the list of paths that a Python caller passed, which are read as one; NULL:
 * perf.data.  @match: Py_None, or a tuple of rules.
 */
PyObject *py_recording_given(PyObject *given, PyObject *match);
PyObject *py_recording_live(PyObject *source);
/* A new reference to the source of a Recording, which is read from the start. */
struct py_source *py_recording_take(PyObject *recording);
/*
 * Parse time=(start, end), whose end is excluded; NULL and None: all.  0, or -1 with an exception.
 */
int py_times_parse(PyObject *pair, struct time_range *ret);

/* table.c: a table of user/table/tables.def as a batch, and the descriptions of all as a dict. */
PyObject *py_table(struct py_source *source, const char *name, const struct time_range *times);
PyObject *py_tables(void);

/*
 * judge.c: the outcome for the keys of machines, given as a sequence of (name, dot, binding).
 * Returns a list with a dict for each machine; the dict has an error if the machine cannot judge
 * this recording.
 */
PyObject *py_judge(struct py_source *source, PyObject *machines);

/* live.c: turns the arguments of live() into those of `ktrace record`. */
PyObject *py_live(PyObject *module, PyObject *args, PyObject *keywords);
extern const char py_live_doc[];
/* A str such as "0-3" or "1,2" from a caller's str, int or list of numbers. */
PyObject *py_list_text(PyObject *value);

/* tasks.c: the state intervals of tasks, as a batch. */
PyObject *py_tasks(PyObject *module, PyObject *args, PyObject *keywords);
extern const char py_tasks_doc[];

/* differences.c: whether repeated measurements differ, as a list with a dict for each quantity. */
PyObject *py_differences(PyObject *module, PyObject *args, PyObject *keywords);
extern const char py_differences_doc[];

#endif

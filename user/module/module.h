/* SPDX-License-Identifier: GPL-2.0 */
/*
 * `import ktrace`: the parts of the extension.  It joins sources to sessions to
 * Python objects, as commands do; ktrace-python-module.rst is its contract.
 *
 * Functions that return PyObject * return a new reference, or NULL with an
 * exception set.
 */
#ifndef KTRACE_MODULE_MODULE_H
#define KTRACE_MODULE_MODULE_H

#include "script/py.h"		/* Python.h wants to come first */

#include "perfdata/reader.h"
#include "session/machine.h"
#include "session/recorder.h"

/*
 * source.c: what the records of a recording mean: its events, their formats and the
 * names of addresses.  Every event that somebody has kept refers to it.
 */
struct py_input {
	PyObject_HEAD
	struct reader *reader;
	struct machine *machine;
};

/*
 * An open recording.  Recordings and iterators refer to it, events do not: when the
 * last who could read is gone, nothing goes on being recorded.
 */
struct py_source {
	PyObject_HEAD
	struct py_input *input;
	struct recorder recorder;	/* live: pid is not 0 */
	bool is_live;
	bool used;			/* somebody has read from it */
};

extern PyTypeObject py_input_type, py_source_type;

PyObject *py_source_open(const char *path);
/* The ktrace that was built or installed with us, or that $KTRACE names; static. */
const char *py_source_program(void);
/* @argv as for recorder_start(). */
PyObject *py_source_start(char *const *argv);
/* Ends its recorder. */
void py_source_close(struct py_source *source);
/*
 * There is nothing more to read, or reading failed with @err: returns @err, or what
 * the recorder of a live source failed with, which is then why.
 */
struct error *py_source_ended(struct py_source *source, struct error *err);

/* Wall clock minus the recording's, ns; false: the recording cannot tell. */
bool py_source_wall_offset(const struct py_source *source, int64_t *ret);

/*
 * Iterators take one step at a time: false with an exception if one is being taken, by
 * another thread that waits for data, or by what called us.
 */
bool py_step_begin(bool *stepping);

/* iterator.c: the events of a source in time order; @records: and what else there is. */
extern PyTypeObject py_iterator_type;
PyObject *py_iterator_new(struct py_source *source, bool records);

/* batches.c: an iterator of batches of at most @rows events. */
enum batch_order { ORDER_TIME, ORDER_FILE };
extern PyTypeObject py_batches_type;
PyObject *py_batches_new(struct py_source *source, PyObject *event, PyObject *fields,
			 size_t rows, enum batch_order order);
/* All of one event as one batch. */
PyObject *py_batches_read(struct py_source *source, PyObject *event, PyObject *fields,
			  enum batch_order order);

/* All of the recording, each event as a batch: a dict by their names. */
PyObject *py_batches_read_all(struct py_source *source, PyObject *fields, enum batch_order order);

/* counts.c: a dict from the names of events to how many samples they have. */
PyObject *py_counts(struct py_source *source);

/* recording.c: what open() and live() give. */
extern PyTypeObject py_recording_type;
PyObject *py_recording_open(const char *path);
PyObject *py_recording_live(PyObject *source);

/* live.c: the arguments of live() as those of `ktrace record`. */
PyObject *py_live(PyObject *module, PyObject *args, PyObject *keywords);
extern const char py_live_doc[];

/* An event that is there for the sake of other records, and has no samples. */
static inline bool py_event_is_dummy(const struct event *event)
{
	return event->attr.type == PERF_TYPE_SOFTWARE && event->attr.config == PERF_COUNT_SW_DUMMY;
}

#endif

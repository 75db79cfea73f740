/* SPDX-License-Identifier: GPL-2.0 */
/*
 * `from ktrace import perf`: events of perf_event, opened, counted and read in this process, and
 * recordings, with the interface of perf's Python binding.  Its contract is
 * ktrace-python-module.rst.
 *
 * References: a list of events refers to its events and maps, an event to the maps that it was
 * opened with, and an object of a record to its event, whose layout and format it needs.  So each
 * lives as long as it can be used.
 *
 * Functions that return PyObject * return a new reference, or NULL with an exception set.
 */
#ifndef KTRACE_MODULE_PERF_H
#define KTRACE_MODULE_PERF_H

#include "module/module.h"		/* Python.h must be included first */

#include "format/event_format.h"
#include "record/event.h"
#include "spec/event_spec.h"

/* perf_maps.c: numbers of CPUs, or of tasks; -1 stands for any. */
struct perf_map {
	PyObject_HEAD
	int32_t *items;		/* owned */
	size_t nr;
};

extern PyTypeObject perf_cpu_map_type, perf_thread_map_type;

/* The map [-1]. */
struct perf_map *perf_map_any(PyTypeObject *type);
/* Position of a number in the map; -1: it is not there. */
ssize_t perf_map_find(const struct perf_map *map, int32_t number);
bool perf_map_equal(const struct perf_map *a, const struct perf_map *b);

/* perf_evsel.c: an event, and its descriptors once it is open. */
struct perf_place {
	int fd;			/* -1: the task had ended */
	uint64_t id;		/* the kernel's, which identifies our descriptors */
};

struct perf_evsel {
	PyObject_HEAD
	struct event *event;		/* the only one of list; NULL: __init__ did not run */
	struct event_list list;
	struct formats *formats;	/* of a tracepoint whose samples have its fields */
	const struct event_format *format;	/* in formats; NULL: it has no fields */
	struct perf_map *cpus, *threads;	/* NULL: not open */
	struct perf_place *places;	/* by CPU, then thread; NULL: not open */
	bool was_open;			/* objects of records rely on its attr */
	PyObject *owner;		/* of a recorded event and format; NULL: we own them */
	bool tracking;			/* perf_evsel_record() makes it report tasks and maps */
};

extern PyTypeObject perf_evsel_type;

/* An event of parse_events(). */
struct perf_evsel *perf_evsel_new(const struct event_spec *spec);
/* An event of a recording, which cannot be opened.  @owner keeps @event and @format alive. */
struct perf_evsel *perf_evsel_recorded(const struct event *event, const struct event_format *format,
				       PyObject *owner);
/*
 * Open it.  @leader: an open event whose group it joins; NULL: none.  It is an error if that has
 * other maps.  0, or -1 with an exception, and then it is closed.
 */
int perf_evsel_open(struct perf_evsel *self, struct perf_map *cpus, struct perf_map *threads,
		    const struct perf_evsel *leader);
void perf_evsel_close(struct perf_evsel *self);
/* 0, or -1 with an exception: its __init__ did not run. */
int perf_evsel_check(const struct perf_evsel *self);
/* An ioctl without an argument on all descriptors.  0, or -1 with an exception. */
int perf_evsel_control(const struct perf_evsel *self, unsigned long request);
/* Set the options that perf record sets by default. */
void perf_evsel_record(struct perf_evsel *self);
static inline size_t perf_evsel_nr(const struct perf_evsel *self)
{
	return self->places ? self->cpus->nr * self->threads->nr : 0;
}

/* perf_evlist.c */
extern PyTypeObject perf_evlist_type;
/* @cpus, @threads: NULL: all. */
PyObject *perf_evlist_new(struct perf_map *cpus, struct perf_map *threads);
int perf_evlist_add(PyObject *evlist, struct perf_evsel *evsel);

/* perf_records.c: objects of records. */
struct perf_record {
	PyObject_HEAD
	struct perf_evsel *evsel;		/* whose layout it has */
	bool is_its;				/* it is of evsel; else that has the layout */
	struct sample sample;			/* of a sample, or of the sample_id */
	struct perf_event_header *header;	/* owned */
	/* For a recording, to name addresses; NULL and empty: they have no names. */
	PyObject *owner;			/* of machine */
	struct machine *machine;
	struct maps held;			/* of its process at that time */
};

int perf_records_add(PyObject *module);
/*
 * The object of a record, which is copied.  NULL without an exception: perf's binding has no
 * object for records of this type.
 */
PyObject *perf_record_new(struct perf_evsel *evsel, const struct perf_event_header *header);
/* The same of a record in a recording, whose machine belongs to @owner. */
PyObject *perf_record_recorded(struct perf_evsel *evsel, const struct session_record *r,
			       PyObject *owner);

/* perf_places.c: a recorded sample's members about code and data. */
extern PyGetSetDef perf_place_members[];
PyObject *perf_place_source(PyObject *record, PyObject *args);
int perf_places_add(PyObject *module);

/* perf_session.c: recordings, as perf reads them since Linux 7.1. */
int perf_session_add(PyObject *module);

/* perf_names.c: functions that turn numbers into names. */
extern PyMethodDef perf_name_functions[];
/* The ELF number of the machine that uname calls @arch; 0: unknown.  *ret_bits: of its words. */
int perf_elf_machine(const char *arch, int *ret_bits);

/* perf_tracepoints.c.  The number of a tracepoint. */
struct error *perf_tracepoint_id(const char *system, const char *name, uint64_t *ret);
/* "system:name" of the tracepoint with this number; free() it. */
struct error *perf_tracepoint_name(uint64_t id, char **ret);
/* A collection with its format. */
struct error *perf_tracepoint_formats(uint64_t id, struct formats **ret);

/* perf_constants.c: TYPE_HARDWARE and the like.  0, or -1 with an exception. */
int perf_constants_add(PyObject *module);

/* perf_counts.c: the result of evsel.read(). */
int perf_counts_add(PyObject *module);
PyObject *perf_counts_read(const struct perf_evsel *evsel, const struct perf_place *place);

/* perf_binding.c: the module. */
PyObject *perf_binding_create(void);

#endif

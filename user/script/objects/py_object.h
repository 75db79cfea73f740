/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Samples as Python objects of type PerfEvent.  Values that the session has decoded (time, CPU,
 * task) are taken from there.  Other members are decoded when they are read.
 */
#ifndef KTRACE_SCRIPT_OBJECTS_PY_OBJECT_H
#define KTRACE_SCRIPT_OBJECTS_PY_OBJECT_H

#include "script/python/py.h"

/*
 * The kinds of samples in a recording, one for each of its events: the name of the kind,
 * and the members that its objects have.
 */

/* The kinds of members of an event object. */
enum py_member {
	MEMBER_PID, MEMBER_TID, MEMBER_TIME, MEMBER_CPU, MEMBER_PERIOD, MEMBER_REALTIME,
	MEMBER_CALLCHAIN, MEMBER_EVENT, MEMBER_COMM, MEMBER_ORIGIN,
	MEMBER_CGROUP_PATH,
	MEMBER_FIELD,		/* of the event's format */
	MEMBER_COMMON_FIELD,	/* of the sample's trailer */
	/*
	 * Members of samples that are not from tracepoints, by the bits of their
	 * sample_type.
	 */
	MEMBER_IDENTIFIER, MEMBER_IP, MEMBER_ADDR, MEMBER_ID, MEMBER_STREAM_ID, MEMBER_READ,
	MEMBER_RAW, MEMBER_BRANCH_STACK, MEMBER_REGS_USER, MEMBER_STACK_USER, MEMBER_WEIGHT,
	MEMBER_DATA_SRC, MEMBER_TRANSACTION, MEMBER_REGS_INTR, MEMBER_PHYS_ADDR, MEMBER_CGROUP,
	MEMBER_DATA_PAGE_SIZE, MEMBER_CODE_PAGE_SIZE,
};

struct py_entry {
	PyObject *name;		/* interned; owned */
	enum py_member member;
	const struct field *field;
	const struct common_slot *common;	/* for MEMBER_COMMON_FIELD; points into the event */
	bool listed;		/* part of keys() */
	PyObject *last;		/* the last returned object, because integers repeat; or NULL */
	uint64_t last_value;
};

/* The shared data of all samples of one event. */
struct py_kind {
	const struct event *event;
	const struct event_format *format;
	PyObject *name;
	struct py_entry *items;
	size_t nr, alloc, nr_listed;
	unsigned int max_stack;
	PyObject *numbers;	/* dict from names to the numbers of their entries */
	struct py_entry **slots;	/* hash table by the address of the interned name */
	size_t mask;
};

/* The names of a recording's events, and the offset of its clock from the wall clock. */
struct py_kinds_config {
	/* The name to use for @event; NULL: its own name.  It is copied. */
	const char *(*alias)(void *data, const struct event *event);
	/* The maximal number of frames of its call chains.  NULL: all of them. */
	unsigned int (*max_stack)(void *data, const struct event *event);
	void *data;
	bool has_wall_offset;
	int64_t wall_offset;	/* wall clock minus the recording's, ns */
	bool hide_kernel, hide_user;	/* leave out these frames of call chains */
};

struct py_kinds {
	PyObject_HEAD
	PyObject *owner;
	struct py_kinds_config config;
	struct py_kind **items;	/* by event->index */
	size_t nr, alloc;
};

/* Initialize the type.  Returns 0, or -1 with an exception. */
int py_kinds_init(void);

/*
 * Create a Python object for all kinds of a recording, which samples keep a reference to.  It holds
 * a reference to @owner, which keeps formats and events alive and may be NULL.
 */
PyObject *py_kinds_new(const struct py_kinds_config *config, PyObject *owner);

/* The kind of @r's event, created at the first use.  Returns NULL with an exception. */
const struct py_kind *py_kinds_find(struct py_kinds *kinds, const struct session_record *r);

/* The entry of member @name.  NULL without an exception: there is no such member. */
struct py_entry *py_kind_entry(const struct py_kind *kind, PyObject *name);


/*
 * py_object_init() initializes the types and returns 0, or -1 with an exception.  Afterwards
 * py_object_type() returns PerfEvent, borrowed.  Inside `ktrace python` this is the type that the
 * tool has created.
 */
int py_object_init(void);
PyTypeObject *py_object_type(void);

/* Create an object for a sample, with a copy of its record. */
PyObject *py_object_new(PyObject *kinds, const struct session_record *r);

/*
 * py_object_lend() creates an object that points into the record.  If *lent is not NULL, that
 * object is used again, else a new one is stored in *lent. py_object_take_back() must be called
 * before the record goes away.  If other code has a reference to the object then, it gets its own
 * copy of the record and *lent becomes NULL.  The caller drops *lent when it ends.  Both return 0,
 * or -1 with an exception.
 */
int py_object_lend(PyObject **lent, PyObject *kinds, const struct session_record *r);
int py_object_take_back(PyObject **lent);

/* Free the caches.  Called before the interpreter ends. */
void py_object_forget(void);

#endif

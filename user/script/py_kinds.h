/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The kinds of samples a recording has, one for each of its events: what it is
 * called, and which names its objects answer to.
 */
#ifndef KTRACE_SCRIPT_PY_KINDS_H
#define KTRACE_SCRIPT_PY_KINDS_H

#include "script/py.h"

/* What a name of an event can stand for. */
enum py_member {
	MEMBER_PID, MEMBER_TID, MEMBER_TIME, MEMBER_CPU, MEMBER_PERIOD, MEMBER_REALTIME,
	MEMBER_CALLCHAIN, MEMBER_EVENT, MEMBER_COMM,
	MEMBER_FIELD,		/* of the format */
	MEMBER_COMMON_FIELD,	/* of the device's trailer */
	/* Members of samples that are no tracepoints, by their sample_type. */
	MEMBER_IDENTIFIER, MEMBER_IP, MEMBER_ADDR, MEMBER_ID, MEMBER_STREAM_ID, MEMBER_READ,
	MEMBER_RAW, MEMBER_BRANCH_STACK, MEMBER_REGS_USER, MEMBER_STACK_USER, MEMBER_WEIGHT,
	MEMBER_DATA_SRC, MEMBER_TRANSACTION, MEMBER_REGS_INTR, MEMBER_PHYS_ADDR, MEMBER_CGROUP,
	MEMBER_DATA_PAGE_SIZE, MEMBER_CODE_PAGE_SIZE,
};

struct py_entry {
	PyObject *name;		/* interned; owned */
	enum py_member member;
	const struct field *field;
	const struct common_slot *common;	/* of the event; MEMBER_COMMON_FIELD */
	bool listed;		/* by keys() */
	PyObject *last;		/* the integer it was last time: most repeat; NULL: none yet */
	uint64_t last_value;
};

/* What all samples of one event share. */
struct py_kind {
	const struct event *event;
	const struct event_format *format;
	PyObject *name;
	struct py_entry *items;
	size_t nr, alloc, nr_listed;
	unsigned int max_stack;
	PyObject *numbers;	/* dict: name -> number of its entry */
	struct py_entry **slots;	/* by the address of the interned name; NULL: free */
	size_t mask;
};

/*
 * What the events of a recording are called, and how far its clock is from the
 * wall clock.  A Python object, so that kept samples keep it.
 */
struct py_kinds_config {
	/* The name to go by for events->items[index]; NULL: its own.  Copied. */
	const char *(*alias)(void *data, const struct event *event);
	/* At most so many frames of its call chains; NULL: all. */
	unsigned int (*max_stack)(void *data, const struct event *event);
	void *data;
	bool has_wall_offset;
	int64_t wall_offset;	/* wall clock minus the recording's, ns */
	bool hide_kernel, hide_user;	/* frames of call chains */
};

struct py_kinds {
	PyObject_HEAD
	PyObject *owner;
	struct py_kinds_config config;
	struct py_kind **items;	/* by event->index */
	size_t nr, alloc;
};

/* Ready the type; 0, or -1 with an exception. */
int py_kinds_init(void);

/* @owner is kept: it keeps formats and events alive; may be NULL. */
PyObject *py_kinds_new(const struct py_kinds_config *config, PyObject *owner);

/* What the samples of @r's event share; made the first time.  NULL with an exception. */
const struct py_kind *py_kinds_find(struct py_kinds *kinds, const struct session_record *r);

/* NULL without an exception: there is none of that name. */
struct py_entry *py_kind_entry(const struct py_kind *kind, PyObject *name);

#endif

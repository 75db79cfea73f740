/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Reads the fields of tracepoints that an analysis knows, whichever kernel recorded them.
 */
#ifndef KTRACE_STATES_KNOWN_EVENTS_H
#define KTRACE_STATES_KNOWN_EVENTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "session/session.h"

#define KNOWN_FIELDS	6

/*
 * A tracepoint and the fields whose values are wanted, in this order.  "a|b" is the first of
 * both that the event has; "?a" may be missing.  An event that lacks another one is not known, and
 * of an event that is in the recording twice, the second one is not.
 */
struct known_row {
	const char *system, *name;
	int kind;		/* the caller's; never 0 */
	const char *fields[KNOWN_FIELDS];
};

struct known_fields;

/* How the events of one recording are read.  Begin with the rows alone. */
struct known_events {
	const struct known_row *rows;	/* borrowed; the last one has no name */
	struct {
		struct known_fields *items;	/* by event->index */
		size_t nr, alloc;
	} fields;
};

/* One sample. */
struct known_event {
	int kind;		/* 0: none of the rows; nothing else is set */
	uint64_t values[KNOWN_FIELDS];	/* sign-extended; 0 for a field that is missing */
	const struct field *fields[KNOWN_FIELDS];	/* NULL: the event does not have it */
};

void known_events_deinit(struct known_events *values);

/* The only error is to be out of memory. */
struct error *known_event_read(struct known_events *values, const struct session_record *r,
				struct known_event *ret);

/*
 * The string in a field of the sample, or "" without one.  It ends before the first NUL, is
 * not terminated, and has *ret_len bytes.
 */
const char *known_event_text(const struct known_event *value, size_t index,
			     const struct session_record *r, size_t *ret_len);

/* Whether the recording has the tracepoint "@system:@name", with samples or without. */
bool event_is_recorded(const struct event_list *list, const char *system, const char *name);

/* What a topic cannot do without; needed_events.def has the rows. */
enum needed_events {
#define NEEDED(name, ...) NEEDED_##name,
#include "states/needed_events.def"
#undef NEEDED
};

/* Returns ENODATA if the recording has none of these events, with how they are recorded. */
struct error *needed_events_check(enum needed_events needed, const struct event_list *events);

#endif

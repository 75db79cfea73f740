/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Reads the fields of tracepoints that an analysis needs, from recordings of any kernel.
 */
#ifndef KTRACE_STATES_KNOWN_EVENTS_H
#define KTRACE_STATES_KNOWN_EVENTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "lib/array.h"
#include "session/session.h"

#define KNOWN_FIELDS	6

/*
 * A tracepoint and the requested fields, in this order.  "a|b" means the first of both that the
 * event has; "?a" may be missing.  An event that lacks another field is ignored.  If an event is in
 * the recording twice, the second one is ignored.
 */
struct known_row {
	const char *system, *name;
	int kind;		/* the caller's; never 0 */
	const char *fields[KNOWN_FIELDS];
};

struct known_fields;

/* The event formats of one recording.  Initialize only the rows. */
struct known_events {
	const struct known_row *rows;	/* borrowed; the last one has no name */
	ARRAY_OF(struct known_fields) fields;	/* by event->index */
};

/* One sample. */
struct known_event {
	int kind;		/* 0: none of the rows; no other member is set */
	uint64_t values[KNOWN_FIELDS];	/* sign-extended; 0 for a field that is missing */
	const struct field *fields[KNOWN_FIELDS];	/* NULL: the event does not have it */
};

void known_events_deinit(struct known_events *values);

/* The only possible error is lack of memory. */
struct error *known_event_read(struct known_events *values, const struct session_record *r,
				struct known_event *ret);

/*
 * The string in a field of the sample, or "" without one.  It ends before the first NUL, is not
 * terminated, and has *ret_len bytes.
 */
const char *known_event_text(const struct known_event *value, size_t index,
			     const struct session_record *r, size_t *ret_len);

/* Whether the recording has the tracepoint "@system:@name", with or without samples. */
bool event_is_recorded(const struct event_list *list, const char *system, const char *name);

/* The events that a topic requires; needed_events.def has the rows. */
enum needed_events {
#define NEEDED(name, ...) NEEDED_##name,
#include "states/needed_events.def"
#undef NEEDED
};

/* Returns ENODATA, with a hint how to record them, if the recording has no such event. */
struct error *needed_events_check(enum needed_events needed, const struct event_list *events);

#endif

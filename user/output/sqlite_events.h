/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Adds a table for each tracepoint to a database of samples: SYSTEM__NAME, with the id of the
 * sample and the fields of the event.  The view SYSTEM__NAME_view has _time, _cpu, _pid, _tid
 * and _comm of the sample before them.
 */
#ifndef KTRACE_OUTPUT_SQLITE_EVENTS_H
#define KTRACE_OUTPUT_SQLITE_EVENTS_H

#include "output/sqlite.h"
#include "session/session.h"

struct sqlite_events;

/* @db is borrowed. */
struct error *sqlite_events_create(struct sqlite *db, struct sqlite_events **ret);
void sqlite_events_destroy(struct sqlite_events *events);

/* Add the row of sample @id; an event without a format gets none. */
struct error *sqlite_events_add(struct sqlite_events *events, uint64_t id,
				const struct session_record *r);

#endif

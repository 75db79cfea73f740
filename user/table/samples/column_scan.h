/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Reads the samples of a recording as columns, for Python and SQL.  The reader's records go to the
 * columns directly, in the order of the file.  They go through a session if comms or names of
 * addresses are wanted, or all samples in time order.
 *
 *	column_scan_init(&scan, reader, &options);
 *	column_scan_prepare(&scan, &any);		reports errors about names
 *	while (more && !err) {
 *		err = column_scan_step(&scan, &more);
 *		if (scan.full)
 *			columns_take(column_scan_columns(&scan, scan.full), &batch);
 *		scan.full = NULL;
 *	}
 *	then take the rest of each event
 */
#ifndef KTRACE_TABLE_SAMPLES_COLUMN_SCAN_H
#define KTRACE_TABLE_SAMPLES_COLUMN_SCAN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "columns/columns.h"
#include "lib/cleanup.h"
#include "perfdata/reader.h"
#include "record/scope.h"
#include "session/session.h"

#define COLUMN_SCAN_SEEN 64	/* cached ids with their events, a power of two */

struct column_scan_options {
	const char *pattern;	/* a glob of event names; NULL: all events; borrowed */
	const char *event;	/* only events of exactly this name; NULL: of any; borrowed */
	const char *const *names; /* of the columns, for columns_create(); borrowed */
	size_t nr_names;	/* 0: all of each event */
	bool lenient;		/* use the names that an event has; if it has none of them, all of
				 * its columns */
	size_t rows;		/* the number of rows of a full batch */
	struct time_range times; /* samples of these times only; events without times have none
				  * then; both 0: all */
};

struct column_scan {
	struct column_scan_options options;
	struct reader *reader;		/* borrowed */
	struct columns **items;		/* by event->index; NULL: not wanted, or none yet; owned */
	size_t nr, alloc;
	const struct event *full;	/* the event that has a full batch; NULL: none */
	bool by_session;
	struct session session;
	struct session_consumer consumer;
	struct {
		uint64_t id;		/* 0: none */
		struct event *event;
	} seen[COLUMN_SCAN_SEEN];
};

/*
 * Everything is borrowed until column_scan_deinit().  If only some times are wanted, the caller
 * also narrows the reader, so that the rest is not even read.
 */
void column_scan_init(struct column_scan *scan, struct reader *reader,
		      const struct column_scan_options *options);
void column_scan_deinit(struct column_scan *scan);
DEFINE_CLEANUP(column_scan, struct column_scan, column_scan_deinit)

/* Whether the samples of the event are read. */
bool column_scan_wants(const struct column_scan *scan, const struct event *event);

/*
 * Create the columns of all known and wanted events, so that a wrong name is reported now and not
 * in the middle of the recording.  *ret_any: there are such events.
 */
struct error *column_scan_prepare(struct column_scan *scan, bool *ret_any);

/* Create columns of @event that are like those of the scan, but separate. */
struct error *column_scan_create_columns(const struct column_scan *scan, const struct event *event,
					 struct columns **ret);

/* Whether a column is wanted that only a session can fill. */
bool column_scan_needs_session(const struct column_scan *scan);

/*
 * Pass the records through a session.  @machine names addresses, if columns of names are wanted; it
 * is borrowed.
 */
struct error *column_scan_start_session(struct column_scan *scan, struct machine *machine);

/* Read some records.  *ret_more is false at the end, or if a live source has none yet. */
struct error *column_scan_step(struct column_scan *scan, bool *ret_more);

/* The columns of an event; NULL: it is not wanted. */
struct columns *column_scan_columns(const struct column_scan *scan, const struct event *event);

#endif

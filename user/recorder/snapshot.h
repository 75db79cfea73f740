/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Snapshots: while the loop runs, nothing is written without a request.  Each snapshot is a
 * perf.data file of its own, with the contents of the rings and the known tasks and maps.
 */
#ifndef KTRACE_RECORDER_SNAPSHOT_H
#define KTRACE_RECORDER_SNAPSHOT_H

#include <stdbool.h>
#include <stdint.h>

#include "lib/cleanup.h"
#include "lib/error.h"
#include "perfdata/write/writer.h"
#include "record/ledger.h"
#include "recorder/captures.h"
#include "recorder/kept_files.h"
#include "recorder/loop.h"
#include "recorder/perf_file.h"
#include "recorder/plan.h"
#include "recorder/task_history.h"

struct switch_events;
struct window;

/* Limits a snapshot to the last period of time; see ktrace-record(1), LAST. */
struct snapshots_last {
	uint64_t asked;		/* ns; 0: all that the rings hold */
	uint64_t gap_ms;	/* minimum time between two files that events request */
};

/* The reason for a file. */
struct snapshot_cause {
	const char *name;	/* the event, or another cause, for messages */
	bool is_event;
	uint64_t time;		/* ns of the recording's clock; 0: not known */
	uint64_t wall;		/* that time by the wall clock */
};

struct snapshots {
	/* Set by the caller: */
	const struct plan *plan;
	struct captures *captures;
	const struct writer_info *info;
	const char *output;	/* path; files before the end get the time as a suffix */
	bool at_end;		/* take one more when the recording ends */
	bool only_if_status;	/* take one at the end only if the command has this status */
	int status;		/* -1: any but 0 */
	struct ledger *ledger;	/* gets the sums of each snapshot */
	/* A snapshot was finished; @window is its period of time; NULL: all. */
	void (*written)(void *data, const struct perf_file *file, const struct window *window,
			const struct snapshot_cause *cause);
	void *data;
	struct snapshots_last last;
	struct kept_files files;	/* its limits */
	struct switch_events *switches;	/* may request snapshots, too; NULL: none */

	struct loop_consumer consumer;
	unsigned int taken;
	struct task_history history;

	/* With `last`: */
	uint64_t began, began_ms;	/* start of recording; 0: not started */
	uint64_t looked;		/* trigger events up to this time have been handled */
	uint64_t hold_until_ms;		/* until then, events are ignored */
	uint64_t triggers, obeyed;	/* requests by events, and files for them */
	bool told_rings;
};

/*
 * Collect the current tasks and maps.  Then pass @snapshots->consumer to loop_run(); @snapshots
 * must not move.
 */
struct error *snapshots_init(struct snapshots *snapshots);
void snapshots_deinit(struct snapshots *snapshots);

/* A lower bound of the number of events that have requested a file so far. */
uint64_t snapshots_triggers(const struct snapshots *snapshots);

/* After the loop, take the snapshot at the end if it is requested. */
struct error *snapshots_finish(struct snapshots *snapshots, const struct workload *workload);

#endif

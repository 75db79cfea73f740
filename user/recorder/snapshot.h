/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Snapshots: while the loop runs, nothing is written until one is asked for.  Each is a
 * perf.data file of its own, with what the rings hold and the tasks and maps known by then.
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

/* The last so much time, instead of all that the rings hold; see ktrace-record(1), LAST. */
struct snapshots_last {
	uint64_t asked;			/* ns; 0: all */
	uint64_t gap_ms;		/* an event asks for nothing so soon after a file of one */
	struct kept_files files;	/* its limits */
};

/* Why a file is written. */
struct snapshot_cause {
	const char *name;	/* the event, or what else has asked, for messages */
	bool is_event;
	uint64_t time;		/* ns of the recording's clock; 0: not known */
	uint64_t wall;		/* the same by the wall clock */
};

struct snapshots {
	/* Set by the caller: */
	const struct plan *plan;
	struct captures *captures;
	const struct writer_info *info;
	const char *output;	/* path; those before the end get the time as a suffix */
	bool at_end;		/* take one more when the recording ends */
	bool only_if_status;	/* take one at the end only if the command has this status */
	int status;		/* -1: any but 0 */
	struct ledger *ledger;	/* gets the sums of each snapshot */
	/* One was finished; @window: of what time it is; NULL: of all. */
	void (*written)(void *data, const struct perf_file *file, const struct window *window,
			const struct snapshot_cause *cause);
	void *data;
	struct snapshots_last last;
	struct switch_events *switches;	/* ask for some, too; NULL: none do */

	struct loop_consumer consumer;
	unsigned int taken;
	struct task_history history;

	/* With `last`: */
	uint64_t began, began_ms;	/* of recording; 0: it has not begun */
	uint64_t looked;		/* trigger events until then have been looked at */
	uint64_t hold_until_ms;		/* until then, events ask for nothing */
	uint64_t triggers, obeyed;	/* events that asked, until the last file; that got one */
	bool told_rings;
};

/* Collect the tasks and maps of now.  @snapshots->consumer is for loop_run() then, and
 * @snapshots must not move. */
struct error *snapshots_init(struct snapshots *snapshots);
void snapshots_deinit(struct snapshots *snapshots);

/* How many events have asked for a file so far, at least. */
uint64_t snapshots_triggers(const struct snapshots *snapshots);

/* After the loop, take the snapshot of the end if it is wanted. */
struct error *snapshots_finish(struct snapshots *snapshots, const struct workload *workload);

#endif

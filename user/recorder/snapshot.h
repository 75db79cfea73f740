/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Snapshots: while the loop runs, nothing is written until one is asked for.  Each is a
 * perf.data file of its own, with what the rings hold and the tasks and maps known by then.
 */
#ifndef KTRACE_RECORDER_SNAPSHOT_H
#define KTRACE_RECORDER_SNAPSHOT_H

#include <stdbool.h>

#include "lib/cleanup.h"
#include "lib/error.h"
#include "perfdata/write/writer.h"
#include "record/ledger.h"
#include "recorder/captures.h"
#include "recorder/loop.h"
#include "recorder/perf_file.h"
#include "recorder/plan.h"
#include "recorder/task_history.h"

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
	void (*written)(void *data, const struct perf_file *file);	/* one was finished */
	void *data;

	struct loop_consumer consumer;
	unsigned int taken;
	struct task_history history;
};

/* Collect the tasks and maps of now.  @snapshots->consumer is for loop_run() then, and
 * @snapshots must not move. */
struct error *snapshots_init(struct snapshots *snapshots);
void snapshots_deinit(struct snapshots *snapshots);
DEFINE_CLEANUP(snapshots, struct snapshots, snapshots_deinit)

/* After the loop, take the snapshot of the end if it is wanted. */
struct error *snapshots_finish(struct snapshots *snapshots, const struct workload *workload);

#endif

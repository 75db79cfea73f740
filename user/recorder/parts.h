/* SPDX-License-Identifier: GPL-2.0 */
/*
 * A recording in several files, its parts: the consumer of a loop that begins new files while the
 * captures continue.  Each part is a whole recording.  It begins with the known tasks and maps.
 * Its ledger covers its own period, so that the ledgers of all parts add up to that of the
 * recording.
 */
#ifndef KTRACE_RECORDER_PARTS_H
#define KTRACE_RECORDER_PARTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "lib/cleanup.h"
#include "lib/error.h"
#include "record/ledger.h"
#include "recorder/captures.h"
#include "recorder/kept_files.h"
#include "recorder/loop.h"
#include "recorder/perf_file.h"
#include "recorder/plan.h"
#include "recorder/task_history.h"

/* The end of a part; with neither bytes nor time, only on request (SIGUSR2). */
struct parts_limit {
	uint64_t bytes;		/* of the records of a part; 0: no limit */
	uint64_t ms;		/* duration of a part; 0: no limit */
};

struct parts {
	/* Set by the caller: */
	const struct plan *plan;
	struct captures *captures;
	struct writer_info info;
	const char *output;	/* path; the name of each part is this plus the time of its end */
	struct parts_limit limit;
	struct kept_files files;	/* with limits; without one, all are kept */
	void (*written)(void *data, const char *path);	/* a part before the last was finished */
	void *data;

	struct loop_consumer consumer;
	struct perf_file file;	/* the current part */
	struct task_history history;
	struct ledger before;	/* the sums of the finished parts */
	uint64_t began_bytes, began_ms;	/* of the current part */
	uint64_t samples;	/* of the finished parts */
	char *path;		/* of the last part, once it has one */
};

/*
 * Create the first file.  Then pass @parts->consumer to loop_run(); @parts must not move.  Call
 * parts_begin() when recording is about to start.
 */
struct error *parts_init(struct parts *parts);
void parts_deinit(struct parts *parts);

/* Write the current tasks and maps. */
struct error *parts_begin(struct parts *parts);

/*
 * Complete the last part; @ledger has the sums of the whole recording.  parts->file has the counts
 * of the last part.
 */
struct error *parts_finish(struct parts *parts, const struct ledger *ledger);

/* After an error, keep the readable part of the last file; see writer_give_up(). */
struct error *parts_give_up(struct parts *parts, struct error *err);

#endif

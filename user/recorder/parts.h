/* SPDX-License-Identifier: GPL-2.0 */
/*
 * A recording in several files, its parts: the consumer of a loop that begins a new file from
 * time to time, while the captures go on.  Each part is a whole recording: it begins with the
 * tasks and maps known by then, and its ledger is that of its stretch, so that the ledgers of all
 * parts add up to that of the recording.
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

/* When a part ends; with neither bytes nor time, only when it is asked for (SIGUSR2). */
struct parts_limit {
	uint64_t bytes;		/* of the records since it began; 0: no limit */
	uint64_t ms;		/* after so long; 0: no limit */
};

struct parts {
	/* Set by the caller: */
	const struct plan *plan;
	struct captures *captures;
	struct writer_info info;
	const char *output;	/* path; the name of each part is this and the time of its end */
	struct parts_limit limit;
	struct kept_files files;	/* its limit; without one, all are kept */
	void (*written)(void *data, const char *path);	/* a part before the last was finished */
	void *data;

	struct loop_consumer consumer;
	struct perf_file file;	/* the part that is written now */
	struct task_history history;
	struct ledger before;	/* the sums of the parts that are finished */
	uint64_t began_bytes, began_ms;	/* of the part */
	uint64_t samples;	/* of the parts that are finished */
	char *path;		/* of the last part, once it has one */
};

/*
 * Create the first file.  @parts->consumer is for loop_run() then, and @parts must not move.
 * parts_begin() follows when recording is about to start.
 */
struct error *parts_init(struct parts *parts);
void parts_deinit(struct parts *parts);

/* Write the tasks and maps of now. */
struct error *parts_begin(struct parts *parts);

/*
 * Complete the last part; @ledger has the sums of the whole recording.  parts->file counts what
 * the last part has.
 */
struct error *parts_finish(struct parts *parts, const struct ledger *ledger);

/* After an error, keep what can be read of the last part; see writer_give_up(). */
struct error *parts_give_up(struct parts *parts, struct error *err);

#endif

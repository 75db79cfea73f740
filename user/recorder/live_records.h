/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Records while they are recorded: a consumer of a loop that is also a source of records, all in
 * one thread.  Records stay in memory for some time after they were read, so that the last seconds
 * can be written as a recording.
 */
#ifndef KTRACE_RECORDER_LIVE_RECORDS_H
#define KTRACE_RECORDER_LIVE_RECORDS_H

#include <stddef.h>
#include <stdint.h>

#include "lib/cleanup.h"
#include "lib/error.h"
#include "perfdata/write/writer.h"
#include "record/record.h"
#include "recorder/captures.h"
#include "recorder/loop.h"
#include "recorder/perf_file.h"
#include "recorder/plan.h"
#include "recorder/task_history.h"

/* The time for which records are kept unless memory is short, and the limit of their size. */
#define LIVE_KEEP_MS	30000
#define LIVE_KEEP_BYTES	(64u << 20)

struct live_chunk;

struct live_records {
	struct plan *plan;	/* borrowed, like the captures and the info */
	struct captures *captures;
	const struct writer_info *info;

	struct loop_consumer consumer;	/* its turn, input and requested are the caller's */
	struct record_sink sink;
	struct record_source source;	/* gives RECORD_LATER when all current ones were given */
	bool ended;		/* set by the owner: the source then gives RECORD_END instead */
	bool forgets;		/* set by the owner: records that were read are not kept */
	struct task_history history;
	struct live_chunk *oldest, *newest, *reading;
	size_t read_at;		/* bytes of the chunk that were given */
	size_t kept_bytes;
	uint64_t samples, lost;	/* so far; lost: as in LOST records */
	uint64_t mark;		/* the source has all records before this time; 0: unknown */
};

/*
 * Collect the current tasks and maps, which the source gives first.  @ret must not move.  On error,
 * it has to be released, too.
 */
struct error *live_records_init(struct plan *plan, struct captures *captures,
			const struct writer_info *info, struct live_records *ret);
void live_records_deinit(struct live_records *live);
DEFINE_CLEANUP(live_records, struct live_records, live_records_deinit)

/* The age of the oldest kept record, ms. */
uint64_t live_records_kept_ms(const struct live_records *live);

/*
 * Write the kept records, and the tasks and maps that they need, as a recording.  The fate of
 * earlier firings is unknown, so the file has no ledger.  @ret has its size; see perf_file.h.
 */
struct error *live_records_write(struct live_records *live, const char *path,
				 struct perf_file *ret);

#endif

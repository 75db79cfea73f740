/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The work of record --keep: a consumer of the recorder's loop that writes only the records between
 * the start and the end of slow pairs.
 *
 * The events of pairs are drained (struct event's `judged`), put in the order of time and judged.
 * All other events overwrite the oldest ones in their rings.  A snapshot of these rings is taken
 * when it is known that no other slow pair can begin before the end of a found one, or when a ring
 * fills.
 */
#ifndef KTRACE_CMD_RECORD_KEEP_H
#define KTRACE_CMD_RECORD_KEEP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "cmd/keep_options.h"
#include "lib/error.h"
#include "lib/strbuf.h"
#include "pairs/slow_pairs.h"
#include "record/ledger.h"
#include "recorder/live_records.h"
#include "recorder/loop.h"
#include "recorder/perf_file.h"
#include "recorder/plan.h"
#include "recorder/slices.h"
#include "session/session.h"

struct writer_info;

/* Initialize it to zeros; it must not move after keep_begin(). */
struct keep {
	const struct keep_options *options;
	struct plan *plan;
	struct captures *captures;
	struct perf_file *file;		/* the output; gets the records */

	struct loop_consumer consumer;
	struct record_sink sink;
	struct formats *formats;
	struct live_records live;	/* the drained records */
	struct session session;		/* gives them in the order of time */
	struct session_consumer taker;
	struct slow_pairs *slow;
	struct slices slices;		/* for the rings that overwrite */
	struct strbuf queue;		/* samples of pairs from slices.from on, by time */
	size_t queue_at;		/* bytes of it that were handled */
	size_t settled;			/* so many windows end before slices.from */
	uint64_t needed_ms;		/* since when a snapshot is needed; 0: none is */
	bool told_clock;		/* a warning about an unknown mark was printed */
	struct ledger sums;		/* per event: all firings, before they become those kept */
};

/*
 * Bind the pairs to the events, which are open, and write the first records to keep->file.  Pass
 * keep->consumer to loop_run() then.
 */
struct error *keep_begin(struct keep *keep, const struct writer_info *info);

/* After the loop: write the rest, store the sums in @ledger, and note the facts in the file. */
struct error *keep_finish(struct keep *keep, struct ledger *ledger);

/* Print the numbers of slow pairs, and of kept, dropped and lost samples of each event. */
void keep_print(struct keep *keep, const struct ledger *ledger);

void keep_deinit(struct keep *keep);

#endif

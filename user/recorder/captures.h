/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The captures of one recording: one for each backend that captures some of its events, and the
 * operations on all of them.
 */
#ifndef KTRACE_RECORDER_CAPTURES_H
#define KTRACE_RECORDER_CAPTURES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "capture/backend.h"
#include "lib/cleanup.h"
#include "lib/error.h"
#include "perfdata/write/writer.h"
#include "recorder/plan.h"

struct chain_choice;

struct captures {
	struct capture *items[CAPTURE_NR_BACKENDS];
	size_t nr;
	bool overwrite;		/* the rings keep the newest samples */
	const struct plan *plan;	/* NULL: another process began the recording */
	struct chain_choice *chains;	/* NULL: call chains are not tried */
};

/*
 * Open all events of @plan; nothing is recorded yet.  Events from globs that cannot be recorded are
 * removed from the plan, and the list of events is indexed.  @plan must outlive @ret.  On error,
 * @ret has to be released, too.
 */
struct error *captures_open(struct plan *plan, struct captures *ret);
void captures_close(struct captures *captures);

/*
 * Have each source that can keep a description of the recording store it; @info is for its header.
 */
struct error *captures_describe(struct captures *captures, const struct event_list *events,
				const struct writer_info *info);

/*
 * Have the recording continue under this name when this process ends.  It is an error if one of the
 * sources cannot do that.  @name NULL: cancel this.
 */
struct error *captures_keep(struct captures *captures, const struct event_list *events,
			    const char *name);

struct error *captures_start(struct captures *captures);
/* When it returns, no new record can appear. */
struct error *captures_stop(struct captures *captures);

/* Between captures_start() and captures_stop(), stop samples temporarily, or continue. */
struct error *captures_pause(struct captures *captures, bool paused);

/* Pass every whole record that is now visible to @sink. */
struct error *captures_drain(struct captures *captures, struct record_sink *sink);

/* The earliest mark of all sources; see capture_backend.mark. */
struct error *captures_mark(struct captures *captures, uint64_t *ret);

/* Read the clocks; all 0: the sources have none. */
struct error *captures_read_clock(struct captures *captures, struct clock_pair *ret);

/* Read the clocks, if the sources have them, and add them to the header of @writer's file. */
struct error *captures_add_clock(struct captures *captures, struct writer *writer);

/*
 * Write the last data of the captures, at the end or for a snapshot, to @sink, and the sums to
 * @ledger.  With overwrite, these are the samples in the rings.
 */
struct error *captures_ledger(struct captures *captures, struct record_sink *sink,
			      struct ledger *ledger);

/* Store the sums of all firings so far, while recording continues.  Nothing is written. */
struct error *captures_sums(struct captures *captures, struct ledger *ret);

/*
 * The current state of all rings of all captures, in an array of *ret_nr items; free() it.  NULL:
 * out of memory.
 */
struct capture_ring *captures_rings(struct captures *captures, size_t *ret_nr);

/* Print a sentence for each choice of --call-graph auto; nothing without that option. */
void captures_print_chains(const struct captures *captures);

/* Note these choices in the header of @writer's file. */
struct error *captures_note_chains(const struct captures *captures, struct writer *writer);

/* The number of recorded samples, and of this process's own samples. */
void captures_own_work(struct captures *captures, uint64_t *ret_own, uint64_t *ret_all);

#endif

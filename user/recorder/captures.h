/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The captures of one recording: one for each backend that captures some of its events, and
 * what is done with all of them.
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
	struct chain_choice *chains;	/* NULL: the call chains are not tried */
};

/*
 * Open everything that @plan has; nothing is recorded yet.  Events that globs name and that
 * cannot be recorded are removed from the plan, and the list of events is indexed.  @plan must
 * outlive @ret.  On error @ret has to be released, too.
 */
struct error *captures_open(struct plan *plan, struct captures *ret);
void captures_close(struct captures *captures);

/*
 * Have each source that can keep a description of the recording do so; @info is what the header
 * says of it.
 */
struct error *captures_describe(struct captures *captures, const struct event_list *events,
				const struct writer_info *info);

/*
 * Have the recording go on under this name when this process ends, which is an error if one of the
 * sources cannot do so; @name NULL: not after all.
 */
struct error *captures_keep(struct captures *captures, const struct event_list *events,
			    const char *name);

struct error *captures_start(struct captures *captures);
/* When it returns, no new record can appear. */
struct error *captures_stop(struct captures *captures);

/* Between these, stop samples for a while, or go on. */
struct error *captures_pause(struct captures *captures, bool paused);

/* Pass every whole record that is now visible to @sink. */
struct error *captures_drain(struct captures *captures, struct record_sink *sink);

/* The earliest mark of all sources; see capture_backend.mark. */
struct error *captures_mark(struct captures *captures, uint64_t *ret);

/* Read the clocks; all 0: the sources cannot. */
struct error *captures_read_clock(struct captures *captures, struct clock_pair *ret);

/* Read the clocks, if the sources can, and add them to the header of what @writer writes. */
struct error *captures_add_clock(struct captures *captures, struct writer *writer);

/*
 * Write what the captures give last, at the end or for a snapshot, to @sink, and the sums to
 * @ledger.  With overwrite these are the samples that the rings hold.
 */
struct error *captures_ledger(struct captures *captures, struct record_sink *sink,
			      struct ledger *ledger);

/* Sum up what became of all firings so far, while recording goes on.  Nothing is written. */
struct error *captures_sums(struct captures *captures, struct ledger *ret);

/*
 * All rings of all captures as they are now, in an array of *ret_nr that is to be released by
 * free(); NULL: out of memory.
 */
struct capture_ring *captures_rings(struct captures *captures, size_t *ret_nr);

/* Print a sentence for each choice that --call-graph auto made; nothing if none was asked for. */
void captures_print_chains(const struct captures *captures);

/* Note the same choices in the header of the file that @writer writes. */
struct error *captures_note_chains(const struct captures *captures, struct writer *writer);

/* The number of samples recorded so far, and how many of them this process caused. */
void captures_own_work(struct captures *captures, uint64_t *ret_own, uint64_t *ret_all);

#endif

/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Detects call chains that end too early.  The kernel follows frame pointers; a binary without them
 * cuts the chain off, and the recording does not mark that.  Such a chain never leaves a library,
 * or has a single frame of a program.
 */
#ifndef KTRACE_CALLS_CHAIN_END_H
#define KTRACE_CALLS_CHAIN_END_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "calls/call_tree.h"
#include "lib/strbuf.h"
#include "record/event.h"

/* Further binaries are ignored. */
#define CHAIN_ENDS_MAX	32

/* Initialize it to zeros. */
struct chain_ends {
	uint64_t all;		/* periods of the samples whose chains have frames of user space */
	struct {
		const struct dso *dso;
		uint64_t period;
	} cut[CHAIN_ENDS_MAX];	/* of the chains that are cut off, by binary */
	size_t nr;
	const struct dso *last;	/* the binary of the last call */
	bool last_is_library;
};

/* The state after the first frames of a chain; initialize it to zeros. */
struct chain_end {
	const struct dso *only;	/* in user space; NULL: none */
	bool whole;		/* the frames are not all in one library */
};

/* Add the place of the next frame. */
void chain_end_add_place(struct chain_ends *ends, struct chain_end *end,
			 const struct call_place *place);

/* The kind of a chain's end, as a number. */
#define CHAIN_END_NONE	0	/* it does not matter */
#define CHAIN_END_WHOLE	1
#define CHAIN_END_CUT	2	/* from here on: each binary that cuts chains off */

/* Returns the number for the end of a chain of @event. */
uint32_t chain_ends_number(struct chain_ends *ends, const struct event *event,
			   const struct chain_end *end);

/* Count a chain with this number; @period is the sum of its samples. */
void chain_ends_add(struct chain_ends *ends, uint32_t number, uint64_t period);

/* Reset the counts; the numbers stay valid. */
void chain_ends_forget_periods(struct chain_ends *ends);

/*
 * If many chains are cut off, append a sentence: their share, the binary that cuts most of them
 * off, and the option that keeps callers.
 */
void chain_ends_add_words(const struct chain_ends *ends, struct strbuf *out);

#endif

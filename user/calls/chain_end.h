/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Where call chains end too early.  The kernel follows frame pointers; a binary that is built
 * without them cuts the chain off, and nothing in the recording says so: it never leaves a
 * library, or has a single frame of a program.
 */
#ifndef KTRACE_CALLS_CHAIN_END_H
#define KTRACE_CALLS_CHAIN_END_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "calls/call_tree.h"
#include "lib/strbuf.h"
#include "record/event.h"

/* Binaries beyond this number are not looked at. */
#define CHAIN_ENDS_MAX	32

/* All zero: nothing was added. */
struct chain_ends {
	uint64_t all;		/* periods of the samples whose chains have frames of user space */
	struct {
		const struct dso *dso;
		uint64_t period;
	} cut[CHAIN_ENDS_MAX];	/* of the chains that are cut off, by binary */
	size_t nr;
	const struct dso *last;	/* the binary that was asked for last */
	bool last_is_library;
};

/* What the first frames of a chain say; all zero: there are none yet. */
struct chain_end {
	const struct dso *only;	/* in user space; NULL: none */
	bool whole;		/* not all of them are in one library */
};

/* Take in the place of the next frame. */
void chain_end_add_place(struct chain_ends *ends, struct chain_end *end,
			 const struct call_place *place);

/* How a chain ends, as a number. */
#define CHAIN_END_NONE	0	/* it does not matter */
#define CHAIN_END_WHOLE	1
#define CHAIN_END_CUT	2	/* from here on: each binary that cuts chains off */

/* Give the number of the end of a chain of @event. */
uint32_t chain_ends_number(struct chain_ends *ends, const struct event *event,
			   const struct chain_end *end);

/* Count a chain whose end has this number, and whose samples have @period together. */
void chain_ends_add(struct chain_ends *ends, uint32_t number, uint64_t period);

/* Begin to count anew; the numbers stay. */
void chain_ends_forget_periods(struct chain_ends *ends);

/*
 * Append a sentence if many chains are cut off: how many of them, by the binary that cuts most of
 * them off, and the option that keeps callers.
 */
void chain_ends_add_words(const struct chain_ends *ends, struct strbuf *out);

#endif

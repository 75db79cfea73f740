/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Where call chains end too early.  The kernel follows frame pointers; a library that is built
 * without them cuts the chain off, and nothing in the recording says so.
 */
#ifndef KTRACE_CALLS_CHAIN_END_H
#define KTRACE_CALLS_CHAIN_END_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "calls/call_tree.h"
#include "record/event.h"

/* Libraries beyond this number are not looked at. */
#define CHAIN_ENDS_MAX	32

/* All zero: nothing was added. */
struct chain_ends {
	uint64_t all;		/* periods of the samples whose chains have frames of user space */
	struct {
		const struct dso *dso;
		uint64_t period;
	} cut[CHAIN_ENDS_MAX];	/* of the chains that never leave one library, by library */
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
#define CHAIN_END_CUT	2	/* from here on: each library that cuts chains off */

/* Give the number of the end of a chain of @event. */
uint32_t chain_ends_number(struct chain_ends *ends, const struct event *event,
			   const struct chain_end *end);

/* Count a chain whose end has this number, and whose samples have @period together. */
void chain_ends_add(struct chain_ends *ends, uint32_t number, uint64_t period);

/* Begin to count anew; the numbers stay. */
void chain_ends_forget_periods(struct chain_ends *ends);

/*
 * Find the library that cuts most chains off.  Returns NULL if these are few; otherwise
 * *ret_percent is their share of all chains.
 */
const struct dso *chain_ends_find(const struct chain_ends *ends, double *ret_percent);

#endif

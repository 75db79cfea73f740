/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Where call chains end too early.  The kernel follows frame pointers; a library that is built
 * without them cuts the chain off, and nothing in the recording says so.
 */
#ifndef KTRACE_ANALYSIS_CHAIN_END_H
#define KTRACE_ANALYSIS_CHAIN_END_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "analysis/call_tree.h"
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
};

/* Add the places of a chain of samples of @event, which have @period together. */
void chain_ends_add(struct chain_ends *ends, const struct event *event,
		    const struct call_place *const *places, size_t nr, uint64_t period);

/*
 * Find the library that cuts most chains off.  Returns NULL if these are few; otherwise
 * *ret_percent is their share of all chains.
 */
const struct dso *chain_ends_find(const struct chain_ends *ends, double *ret_percent);

#endif

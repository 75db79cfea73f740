/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The permitted work of all filters of an event, in all sessions together: they run one after the
 * other whenever it fires.
 */
#ifndef KTRACE_FILTER_BUDGET_H
#define KTRACE_FILTER_BUDGET_H

#include <linux/list.h>
#include <linux/types.h>

/* The part of one filter.  All zeros: none. */
struct ktrace_filter_claim {
	struct hlist_node node;
	u64 address;			/* of a function; 0: it is none */
	u64 config;			/* the number of an event that is no function */
	u32 cost;
};

/*
 * Claims @cost for a filter.  Its event is the function at about @address or, if that is 0, has
 * this @config.  -ENOSPC: the filters would cost more than KTRACE_FILTER_MAX_COST; nothing is
 * claimed.
 */
int ktrace_filter_budget_claim(struct ktrace_filter_claim *claim, u64 address, u64 config,
			       u32 cost);
/* Releases the claim, if there is one. */
void ktrace_filter_budget_drop(struct ktrace_filter_claim *claim);

#endif

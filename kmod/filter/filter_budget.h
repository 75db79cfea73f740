/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The work that all filters of an event may ask for, in all sessions together: they run one
 * after the other whenever it fires.
 */
#ifndef KTRACE_FILTER_BUDGET_H
#define KTRACE_FILTER_BUDGET_H

#include <linux/list.h>
#include <linux/types.h>

/* The part of it that one filter has.  All zeros: none. */
struct ktrace_filter_claim {
	struct hlist_node node;
	u64 address;			/* of a function; 0: it is none */
	u64 config;			/* otherwise the number of the event */
	u32 cost;
};

/*
 * Claims @cost for a filter of the event that has this config or, if @address is not 0, is the
 * function at about that address.  -ENOSPC: the filters would cost more than
 * KTRACE_FILTER_MAX_COST; nothing is claimed.
 */
int ktrace_filter_budget_claim(struct ktrace_filter_claim *claim, u64 address, u64 config,
			       u32 cost);
/* Gives it back, if anything was claimed. */
void ktrace_filter_budget_drop(struct ktrace_filter_claim *claim);

#endif

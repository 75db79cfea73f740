/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The call chains in keys: each chain is stored once, and keys have its number.  All CPUs share the
 * table, without a lock: a chain is found by its hash and then compared whole.  Chains are never
 * removed.  A context that meets a place that another context is filling goes on to the next one.
 * So a chain may be stored twice; readers compare chains, not numbers.
 */
#ifndef KTRACE_COUNTING_CHAINS_H
#define KTRACE_COUNTING_CHAINS_H

#include <linux/types.h>
#include <linux/ktrace.h>

struct ktrace_counting_chains;

/* Not a number of a chain: there was no room for it. */
#define KTRACE_COUNTING_NO_ROOM	U64_MAX

/* Room for @entries chains, if they have KTRACE_COUNT_CHAIN_WORDS addresses on average. */
struct ktrace_counting_chains *ktrace_counting_chains_create(u32 entries, int clockid);
void ktrace_counting_chains_destroy(struct ktrace_counting_chains *chains);
/* The memory of such a table, in bytes. */
u64 ktrace_counting_chains_bytes(u32 entries);

/*
 * Returns the number of the chain with @nr addresses, and stores the chain if it is new.  Returns 0
 * if @nr is 0, or KTRACE_COUNTING_NO_ROOM.  The same addresses in the memory of another program
 * (@user) are another chain.  @last is the previous result, or 0: the same chain often comes
 * several times in a row.  Works in any context with preemption disabled.
 */
u64 ktrace_counting_chains_put(struct ktrace_counting_chains *chains, const u64 *ips, u32 nr,
			       bool user, u64 last);

/* KTRACE_IOC_CHAIN_READ, without `dropped`.  May sleep. */
int ktrace_counting_chains_read(const struct ktrace_counting_chains *chains,
				struct ktrace_chain_read *read);

#endif

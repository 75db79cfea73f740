/* SPDX-License-Identifier: GPL-2.0 */
/*
 * A per-CPU cache of the kernel's call chains.  Each entry stores the stack slots that identify a
 * chain, so that it can be recognized without unwinding.
 *
 * An entry has everything that the unwinder has read from the stack.  The return address of each
 * frame has a fixed offset from the place where unwinding begins.  Where the size of a frame is not
 * constant, the unwinder used a saved frame pointer.  The entry has the slot of that, too, and it
 * is the base of the next offsets.  The unwinder reads nothing else, so a stack with the same
 * contents in these slots has the same chain.
 *
 * The cache has only chains of the task's own stack, whose frames were called.  It has none with an
 * interrupt or an exception, nor with a replaced return address.
 */
#ifndef KTRACE_CALLCHAIN_CACHE_H
#define KTRACE_CALLCHAIN_CACHE_H

#include <linux/types.h>

#if defined(CONFIG_X86_64) && defined(CONFIG_UNWINDER_ORC)
#define KTRACE_CALLCHAIN_HAS_CACHE
#endif

/* The beginning of unwinding, and the first frame of the chain. */
struct ktrace_callchain_start {
	unsigned long sp;	/* of the function that collects the chain */
	unsigned long ip;	/* of the first frame */
	/* If not 0, the first frame is the first one above this address, and at @ip, too. */
	unsigned long above;
};

/*
 * Allocates the memory and begins to watch modules.  To be called before chains are collected; may
 * be called again.  May sleep.  Where there is no cache, it does nothing.
 */
int ktrace_callchain_cache_prepare(void);
/* To be called when no chains are collected any more. */
void ktrace_callchain_cache_free(void);

/*
 * Compares the known chains of @start with the stack.  Writes the addresses of the frames to @room,
 * perhaps with a meaningless word behind them, and returns their number.  0: no known chain
 * matches.  Preemption is disabled; any context.
 */
u32 ktrace_callchain_cache_follow(const struct ktrace_callchain_start *start, u64 *room);

/*
 * Adds the chain of @start to the cache, if it comes repeatedly.  The unwinder has written it to
 * @room, @nr addresses.  Contexts are those of ktrace_callchain_cache_follow(), and the same
 * function calls both.
 */
void ktrace_callchain_cache_learn(const struct ktrace_callchain_start *start, const u64 *room,
				  u32 nr);

/* Are recognized chains to be unwound, too, and compared?  For tests. */
extern bool ktrace_callchain_check;

/*
 * Returns KTRACE_CALLCHAIN_ROOM words for unwinding such a chain; NULL: not now.  The cache is then
 * in use until ktrace_callchain_cache_compare(), which reads these words, and warns, once, if the
 * chains differ.
 */
u64 *ktrace_callchain_cache_check(void);
void ktrace_callchain_cache_compare(const u64 *followed, u32 nr, u32 nr_unwound);

#endif

/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The kernel's call chains that were unwound lately, each with what leads along it again.
 *
 * Of a chain is kept what the unwinder has looked at on the stack: the return address of each
 * frame has to be at the place where it was found, seen from where the unwinding begins.  Where
 * the unwinder went by a saved frame pointer, because the size of a frame is not constant, that is
 * loaded, too, and the next places are seen from there.  The unwinder looks at nothing else: a
 * stack that has all this at its places has this chain.
 *
 * Chains are kept for a CPU, and only of the task's own stack, of frames that are called (none
 * that an interrupt or an exception began), without return addresses that somebody replaced.
 */
#ifndef KTRACE_CALLCHAIN_CACHE_H
#define KTRACE_CALLCHAIN_CACHE_H

#include <linux/types.h>

#if defined(CONFIG_X86_64) && defined(CONFIG_UNWINDER_ORC)
#define KTRACE_CALLCHAIN_HAS_CACHE
#endif

/* Where unwinding begins, and which of the frames is the chain's first. */
struct ktrace_callchain_start {
	unsigned long sp;	/* of the function that collects the chain */
	unsigned long ip;	/* of the first frame */
	/* If not 0, the first frame is the first one above this address, and at @ip, too. */
	unsigned long above;
};

/*
 * Allocates the memory and begins to watch modules.  To be called before chains are collected;
 * may be called again.  May sleep.  Where there is no cache, it does nothing.
 */
int ktrace_callchain_cache_prepare(void);
/* To be called when no chains are collected any more. */
void ktrace_callchain_cache_free(void);

/*
 * Follow the known chains of @start.  Returns how many addresses of frames it has written to
 * @room, perhaps with a meaningless word behind them, or 0 if none of them is the chain of now.
 * Preemption is disabled; any context.
 */
u32 ktrace_callchain_cache_follow(const struct ktrace_callchain_start *start, u64 *room);

/*
 * Remember the chain of @start, which the unwinder has written to @room, @nr addresses, if it
 * comes again and again.  As ktrace_callchain_cache_follow(), and called by the same function.
 */
void ktrace_callchain_cache_learn(const struct ktrace_callchain_start *start, const u64 *room,
				  u32 nr);

/* Are chains that were followed to be unwound, too, and compared?  Tests want that. */
extern bool ktrace_callchain_check;

/*
 * Returns KTRACE_CALLCHAIN_ROOM words for unwinding such a chain; NULL: not now.  The cache is in
 * use until ktrace_callchain_cache_compare(), which takes the same words, and complains, once, if
 * the chains differ.
 */
u64 *ktrace_callchain_cache_check(void);
void ktrace_callchain_cache_compare(const u64 *followed, u32 nr, u32 nr_unwound);

#endif

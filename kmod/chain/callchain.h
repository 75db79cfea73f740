/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Call chains in perf's layout: the kernel's frames by the kernel's unwinder, the user's frames by
 * frame pointers.
 */
#ifndef KTRACE_CALLCHAIN_H
#define KTRACE_CALLCHAIN_H

#include <linux/types.h>

struct pt_regs;

/*
 * The most frames of a chain, which is perf's default of kernel.perf_event_max_stack; then the most
 * words, including the two that name contexts.
 */
#define KTRACE_CALLCHAIN_MAX_FRAMES	127
#define KTRACE_CALLCHAIN_MAX		(KTRACE_CALLCHAIN_MAX_FRAMES + 2)
/*
 * The most frames of our own functions between an event and the unwinder.  They are not part of the
 * chain.
 */
#define KTRACE_CALLCHAIN_MAX_OWN	24
/* Words of memory that collecting a chain needs. */
#define KTRACE_CALLCHAIN_ROOM		(KTRACE_CALLCHAIN_MAX + KTRACE_CALLCHAIN_MAX_OWN)

/* Allocates memory.  To be called before the first chain; may be called again.  May sleep. */
int ktrace_callchain_prepare(void);
/* To be called when no chains are collected any more. */
void ktrace_callchain_free(void);

/*
 * Collects the call chain of the current task for an event at @ip, in the kernel or in user space
 * (@user).  @regs are the registers there.  If they are NULL, the chain is searched for @ip, which
 * may be any number of frames above us.  @room has KTRACE_CALLCHAIN_ROOM words; the chain is at its
 * beginning.  Returns the number of words of the chain.  @sp is the caller's current_stack_pointer:
 * the fewer of our functions are between it and the event, the sooner a known chain is found.
 * Works in any context and does not sleep.  Reading a user stack that is not in memory fires the
 * events of page faults.
 */
u32 ktrace_callchain_collect(u64 *room, unsigned long ip, bool user, struct pt_regs *regs,
			     unsigned long sp);

/*
 * Collect the frames of one half alone, without the words that name contexts: for an event in the
 * kernel at @ip, and those of user space.  Threads of the kernel have no frames of user space.
 */
u32 ktrace_callchain_collect_kernel(u64 *room, unsigned long ip, struct pt_regs *regs,
				    unsigned long sp);
u32 ktrace_callchain_collect_user(u64 *room);

#ifdef CONFIG_ARM64
/* Stores two words, abi and lr of the current task's user, as the uapi header describes them. */
void ktrace_callchain_store_regs(u64 *to);
#else
static inline void ktrace_callchain_store_regs(u64 *to)
{
}
#endif

#endif

/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Who called what fired an event, as perf's call chains have it: the kernel's
 * frames as the kernel unwinds them, the user's by frame pointers.
 */
#ifndef KTRACE_CALLCHAIN_H
#define KTRACE_CALLCHAIN_H

#include <linux/types.h>

struct pt_regs;

/* perf's kernel.perf_event_max_stack, and the words that name the contexts. */
#define KTRACE_CALLCHAIN_MAX_FRAMES	127
#define KTRACE_CALLCHAIN_MAX		(KTRACE_CALLCHAIN_MAX_FRAMES + 2)
/* Between an event and who collects: they are no part of the chain. */
#define KTRACE_CALLCHAIN_MAX_OWN	24
/* Words of memory to work in. */
#define KTRACE_CALLCHAIN_ROOM		(KTRACE_CALLCHAIN_MAX + KTRACE_CALLCHAIN_MAX_OWN)

/*
 * For an event at @ip, in the kernel or in user space (@user), of current.  @regs: the
 * registers there, or NULL: the caller is called by what is at @ip, however far from it.
 * @room has KTRACE_CALLCHAIN_ROOM words, of which the first so many as it returns are the
 * chain.  Any context; does not sleep.  To read a user stack that is not in memory fires
 * events of page faults.
 */
u32 ktrace_callchain_collect(u64 *room, unsigned long ip, bool user, struct pt_regs *regs);

#endif

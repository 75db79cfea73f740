// SPDX-License-Identifier: GPL-2.0
/*
 * v6.13 ("sched: Add TIF_NEED_RESCHED_LAZY infrastructure", "tracing: Record task flag
 * NEED_RESCHED_LAZY.").
 */
#include <linux/sched.h>
#include <linux/thread_info.h>
#include <linux/trace_events.h>

unsigned long probe(void);
unsigned long probe(void)
{
	return read_thread_flags() & _TIF_NEED_RESCHED_LAZY ? TRACE_FLAG_NEED_RESCHED_LAZY : 0;
}

// SPDX-License-Identifier: GPL-2.0
/*
 * No release has this.  PREEMPT_RT's patches for kernels before 6.12 add it ("sched: Add
 * support for lazy preemption").
 */
#include <linux/preempt.h>
#include <linux/sched.h>
#include <linux/trace_events.h>

void probe(struct trace_entry *entry);
void probe(struct trace_entry *entry)
{
	entry->preempt_lazy_count = preempt_lazy_count();
	entry->flags = need_resched_lazy() ? TRACE_FLAG_NEED_RESCHED_LAZY : 0;
}

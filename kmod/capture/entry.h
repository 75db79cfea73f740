/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The common part of every event's raw data, with the contents of tracing_gen_ctx(), which is not
 * exported.
 */
#ifndef KTRACE_ENTRY_H
#define KTRACE_ENTRY_H

#include <linux/compiler.h>
#include <linux/minmax.h>
#include <linux/preempt.h>
#include <linux/sched.h>
#include <linux/trace_events.h>

#include "compat/compat.h"

/*
 * The flags in an unusual context: we interrupted something, or the task is to be rescheduled or
 * may not migrate.
 */
static noinline notrace u16 ktrace_entry_unusual(u32 count)
{
	u32 migration = 0;
	u8 flags = 0;

	flags |= count & NMI_MASK ? TRACE_FLAG_NMI : 0;
	flags |= count & HARDIRQ_MASK ? TRACE_FLAG_HARDIRQ : 0;
	flags |= in_serving_softirq() ? TRACE_FLAG_SOFTIRQ : 0;
	flags |= softirq_count() >> (SOFTIRQ_SHIFT + 1) ? TRACE_FLAG_BH_OFF : 0;
	flags |= tif_need_resched() ? TRACE_FLAG_NEED_RESCHED : 0;
	flags |= test_preempt_need_resched() ? TRACE_FLAG_PREEMPT_RESCHED : 0;
	flags |= ktrace_compat_lazy_flags();
#ifdef CONFIG_SMP
	migration = min_t(u32, current->migration_disabled, 15);
#endif
	return flags | min_t(u32, count & 0xff, 15) << 8 | migration << 12;
}

static __always_inline bool ktrace_entry_is_usual(u32 count)
{
	/*
	 * If the count says that the task is to be rescheduled, so does the task's flag.  With
	 * PREEMPT_RT the count does not include softirqs, which each task counts.
	 */
	bool usual = count < 16 && !ktrace_compat_needs_resched() &&
		     (!IS_ENABLED(CONFIG_PREEMPT_RT) || !softirq_count());

#ifdef CONFIG_SMP
	usual = usual && !current->migration_disabled;
#endif
	return usual;
}

static __always_inline void ktrace_entry_fill_with(struct trace_entry *entry, u16 type, u32 rest,
						   pid_t tid)
{
	if (raw_irqs_disabled()) {
		rest |= TRACE_FLAG_IRQS_OFF;
		/* A branch, so that most events pay nothing for it. */
		OPTIMIZER_HIDE_VAR(rest);
	}

	entry->type = type;
	entry->flags = rest;
	entry->preempt_count = rest >> 8;
	entry->pid = tid;
	ktrace_compat_fill_lazy(entry);
}

/* @count is the preempt_count() that perf would find. */
static __always_inline void ktrace_entry_fill(struct trace_entry *entry, u16 type, u32 count)
{
	ktrace_entry_fill_with(entry, type, likely(ktrace_entry_is_usual(count)) ?
					    count << 8 : ktrace_entry_unusual(count),
			       current->pid);
}

/*
 * The same for a @count that passes ktrace_entry_is_usual().  @tid is that of the current
 * task.
 */
static __always_inline void ktrace_entry_fill_usual(struct trace_entry *entry, u16 type, u32 count,
						    pid_t tid)
{
	ktrace_entry_fill_with(entry, type, count << 8, tid);
}

#endif

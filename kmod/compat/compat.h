/* SPDX-License-Identifier: GPL-2.0 */
#ifndef KTRACE_COMPAT_H
#define KTRACE_COMPAT_H

#ifndef KTRACE_HAS_VM_FLAGS_MOD
#include <linux/mm.h>

static inline void vm_flags_mod(struct vm_area_struct *vma,
				unsigned long set, unsigned long clear)
{
	vma->vm_flags = (vma->vm_flags | set) & ~clear;
}
#endif

/* Newer kernels warn about work that is queued by the older names. */
#ifndef KTRACE_HAS_SYSTEM_DFL_WQ
#define system_percpu_wq	system_wq
#define system_dfl_wq		system_unbound_wq
#endif

#include <linux/sched/clock.h>
#include <linux/sched/user.h>
#include <linux/smp.h>

/* The pages of the user that count for perf_event_mlock_kb. */
static inline atomic_long_t *ktrace_compat_locked_by_perf(struct user_struct *user)
{
#ifdef KTRACE_HAS_USER_PERF_MLOCK
	return &user->perf_mlock;
#else
	return &user->locked_vm;
#endif
}

/*
 * These are exported to modules, but declared only in kernel/rcu/rcu.h.  Without them, closing
 * hundreds of events takes many seconds instead of a tenth of one.
 */
#ifdef KTRACE_EXPORTS_rcu_expedite_gp
void rcu_expedite_gp(void);
void rcu_unexpedite_gp(void);
#else
static inline void rcu_expedite_gp(void)
{
}

static inline void rcu_unexpedite_gp(void)
{
}
#endif

/* perf's clock, with preemption disabled.  Where local_clock() is exported, it is faster. */
static __always_inline u64 ktrace_compat_local_clock(void)
{
#ifdef KTRACE_EXPORTS_local_clock
	return local_clock();
#else
	return cpu_clock(raw_smp_processor_id());
#endif
}

/* The members that PREEMPT_RT's patches add to struct trace_entry. */
#ifdef KTRACE_HAS_PREEMPT_LAZY_COUNT
#include <linux/sched.h>
#include <linux/string.h>
#include <linux/trace_events.h>

static __always_inline u8 ktrace_compat_lazy_flags(void)
{
	return need_resched_lazy() ? TRACE_FLAG_NEED_RESCHED_LAZY : 0;
}

static __always_inline void ktrace_compat_fill_lazy(struct trace_entry *entry)
{
	/* This also clears the padding behind the member. */
	memset_after(entry, 0, pid);
	entry->preempt_lazy_count = preempt_lazy_count();
}
#else
#define ktrace_compat_fill_lazy(entry)	do { } while (0)
#endif

/*
 * Since v6.13 a task may be marked to reschedule only at its next return to user space.
 * PREEMPT_RT's patches for older kernels have the same names for this.
 */
#if defined(KTRACE_HAS_RESCHED_LAZY) && !defined(KTRACE_HAS_PREEMPT_LAZY_COUNT)
#include <linux/sched.h>
#include <linux/trace_events.h>

static __always_inline u8 ktrace_compat_lazy_flags(void)
{
	return IS_ENABLED(CONFIG_ARCH_HAS_PREEMPT_LAZY) &&
	       read_thread_flags() & _TIF_NEED_RESCHED_LAZY ? TRACE_FLAG_NEED_RESCHED_LAZY : 0;
}

static __always_inline bool ktrace_compat_needs_resched(void)
{
	return read_thread_flags() & (_TIF_NEED_RESCHED | _TIF_NEED_RESCHED_LAZY);
}
#else
#ifndef KTRACE_HAS_PREEMPT_LAZY_COUNT
#define ktrace_compat_lazy_flags()	0
#endif
#define ktrace_compat_needs_resched()	tif_need_resched()
#endif

/*
 * The part of the preempt_count() during the recording of an event that perf does not count in its
 * own records.  Since v7.0 tracepoints leave preemption enabled.  perf disables it and counts this,
 * as we do.  Before v7.0, perf finds it disabled, so that our own increment is not to be counted.
 */
#ifdef KTRACE_HAS_PREEMPTIBLE_TRACEPOINTS
#define KTRACE_COMPAT_UNCOUNTED		0
#else
#define KTRACE_COMPAT_UNCOUNTED		PREEMPT_DISABLE_OFFSET
#endif

#if defined(CONFIG_ARM64) && !defined(KTRACE_HAS_PTRAUTH_STRIP_USER_INSN_PAC)
#include <asm/pointer_auth.h>

#define ptrauth_strip_user_insn_pac(ip)	ptrauth_strip_insn_pac(ip)
#endif

#endif

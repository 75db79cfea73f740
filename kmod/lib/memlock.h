/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The memory of a session is accounted for like that of perf's rings.  Each user has
 * kernel.perf_event_mlock_kb for each CPU that is online, for perf's rings and all sessions
 * together.  What is beyond it counts for the RLIMIT_MEMLOCK of the process that has set the
 * session up.
 */
#ifndef KTRACE_MEMLOCK_H
#define KTRACE_MEMLOCK_H

#include <linux/errno.h>
#include <linux/gfp.h>
#include <linux/types.h>

struct mm_struct;
struct user_struct;

/*
 * For memory whose amount user space chooses: an allocation that is too large for the machine
 * fails; it does not make the kernel kill processes.
 */
#define KTRACE_MEMLOCK_GFP \
	(GFP_KERNEL_ACCOUNT | __GFP_ZERO | __GFP_NOWARN | __GFP_RETRY_MAYFAIL)

/* All that a session is charged; the caller serialises.  All zeros: nothing. */
struct ktrace_memlock {
	struct user_struct *user;	/* of the task that was charged first, as is @mm */
	struct mm_struct *mm;
	long user_pages, mm_pages;
	u64 bytes;			/* in these pages */
	long pages_per_cpu;		/* kernel.perf_event_mlock_kb when it was asked last */
	bool limits;			/* kernel.perf_event_paranoid wants limits, likewise */
	bool stays;			/* it may outlive the process */
};

/*
 * Charges @bytes more.  -EPERM: that is more than the current task may lock, and it lacks
 * CAP_IPC_LOCK; nothing is charged.
 */
int ktrace_memlock_charge(struct ktrace_memlock *memlock, u64 bytes);
/* The same where -EPERM has another meaning, as in EVENT_ADD: -ENOBUFS. */
static inline int ktrace_memlock_charge_event(struct ktrace_memlock *memlock, u64 bytes)
{
	return ktrace_memlock_charge(memlock, bytes) ? -ENOBUFS : 0;
}

/* Takes back @bytes of what was charged. */
void ktrace_memlock_uncharge(struct ktrace_memlock *memlock, u64 bytes);
/*
 * From now on the memory may outlive the process that it is charged to.  -EPERM: some of it is
 * beyond what the user has, so that a limit of the process counts it, which ends with it, and
 * the current task lacks CAP_IPC_LOCK.  Nothing that is so can be charged afterwards.
 */
int ktrace_memlock_stay(struct ktrace_memlock *memlock);
/* Takes back all that is charged. */
void ktrace_memlock_end(struct ktrace_memlock *memlock);

#endif

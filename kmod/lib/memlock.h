/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Accounts for the memory of a session as perf does for its rings.  Each user has
 * kernel.perf_event_mlock_kb for each online CPU, which perf's rings and all sessions share.  The
 * excess counts for the RLIMIT_MEMLOCK of the process that has set the session up.
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
 * fails, without making the kernel kill processes.
 */
#define KTRACE_MEMLOCK_GFP \
	(GFP_KERNEL_ACCOUNT | __GFP_ZERO | __GFP_NOWARN | __GFP_RETRY_MAYFAIL)

/* The charges of a session; the caller serialises.  All zeros: nothing is charged. */
struct ktrace_memlock {
	struct user_struct *user;	/* of the task that was charged first, as is @mm */
	struct mm_struct *mm;
	long user_pages, mm_pages;
	u64 bytes;			/* charged; the pages are this number, rounded up */
	long pages_per_cpu;		/* kernel.perf_event_mlock_kb at the last reading */
	bool limits;			/* kernel.perf_event_paranoid enforces limits, likewise */
	bool stays;			/* may outlive the process */
};

/*
 * Charges @bytes more.  -EPERM: the current task may not lock so much, and lacks CAP_IPC_LOCK;
 * nothing is charged.
 */
int ktrace_memlock_charge(struct ktrace_memlock *memlock, u64 bytes);
/* The same where -EPERM has another meaning, as in EVENT_ADD: -ENOBUFS. */
static inline int ktrace_memlock_charge_event(struct ktrace_memlock *memlock, u64 bytes)
{
	return ktrace_memlock_charge(memlock, bytes) ? -ENOBUFS : 0;
}

/* Undoes the charge of @bytes. */
void ktrace_memlock_uncharge(struct ktrace_memlock *memlock, u64 bytes);
/*
 * From now on the memory may outlive the process that it is charged to.  -EPERM: some of it exceeds
 * the user's share, so it counts for a limit of the process, which ends with the process, and the
 * current task lacks CAP_IPC_LOCK.  Afterwards only memory within the user's share can be charged.
 */
int ktrace_memlock_stay(struct ktrace_memlock *memlock);
/* Undoes all charges. */
void ktrace_memlock_end(struct ktrace_memlock *memlock);

#endif

/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The memory of rings is accounted for like that of perf's rings.  Each user has
 * kernel.perf_event_mlock_kb for each CPU that is online, for perf's rings and ours
 * together.  What is beyond it counts for the RLIMIT_MEMLOCK of the process.
 */
#ifndef KTRACE_MEMLOCK_H
#define KTRACE_MEMLOCK_H

#include <linux/types.h>

struct mm_struct;
struct user_struct;

/* All zeros: nothing is charged. */
struct ktrace_memlock {
	struct user_struct *user;
	struct mm_struct *mm;
	long user_pages, mm_pages;
};

/*
 * Charges the current task for @pages pages.  -EPERM: that is more than the task may lock,
 * and it lacks CAP_IPC_LOCK; nothing is charged.
 */
int ktrace_memlock_charge(struct ktrace_memlock *memlock, long pages);
/*
 * Whether the memory may outlive the process that it is charged to: no limit of a process, which
 * ends with it, counts some of it, or the current task has CAP_IPC_LOCK.
 */
bool ktrace_memlock_may_stay(const struct ktrace_memlock *memlock);
void ktrace_memlock_uncharge(struct ktrace_memlock *memlock);

#endif

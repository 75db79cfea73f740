// SPDX-License-Identifier: GPL-2.0
#include "memlock.h"

#include <linux/atomic.h>
#include <linux/capability.h>
#include <linux/cpumask.h>
#include <linux/cred.h>
#include <linux/minmax.h>
#include <linux/mm.h>
#include <linux/mutex.h>
#include <linux/sched/mm.h>
#include <linux/sched/signal.h>
#include <linux/sched/user.h>

#include "compat/compat.h"
#include "compat/perf_sysctl.h"

/*
 * The value that perf has until somebody writes perf_event_mlock_kb; then the level of
 * perf_event_paranoid from which on perf limits.
 */
#define DEFAULT_MLOCK_KB	(512 + (int)(PAGE_SIZE / 1024))
#define PARANOID_LIMITS		0

/* Without this lock, two sessions could both find room that is enough for one only. */
static DEFINE_MUTEX(lock);

static long allowance(void)
{
	long kb = max(ktrace_perf_sysctl("perf_event_mlock_kb", DEFAULT_MLOCK_KB), 0);

	return (kb >> (PAGE_SHIFT - 10)) * num_online_cpus();
}

static bool is_limited(void)
{
	return ktrace_perf_sysctl("perf_event_paranoid", PARANOID_LIMITS) >= PARANOID_LIMITS &&
	       !capable(CAP_IPC_LOCK);
}

int ktrace_memlock_charge(struct ktrace_memlock *memlock, long pages)
{
	struct user_struct *user = current_user();
	struct mm_struct *mm = current->mm;
	long room, rest;
	int err = 0;

	mutex_lock(&lock);
	room = allowance() - atomic_long_read(ktrace_compat_locked_by_perf(user));
	rest = pages - clamp(room, 0L, pages);
	if (rest && atomic64_read(&mm->pinned_vm) + rest > rlimit(RLIMIT_MEMLOCK) >> PAGE_SHIFT &&
	    is_limited()) {
		err = -EPERM;
		goto out_unlock;
	}
	memlock->user = get_uid(user);
	memlock->user_pages = pages - rest;
	atomic_long_add(memlock->user_pages, ktrace_compat_locked_by_perf(user));
	memlock->mm = mm;
	mmgrab(mm);
	memlock->mm_pages = rest;
	atomic64_add(memlock->mm_pages, &mm->pinned_vm);
out_unlock:
	mutex_unlock(&lock);
	return err;
}

bool ktrace_memlock_may_stay(const struct ktrace_memlock *memlock)
{
	return !memlock->mm_pages || !is_limited();
}

void ktrace_memlock_uncharge(struct ktrace_memlock *memlock)
{
	if (!memlock->user)
		return;
	atomic_long_sub(memlock->user_pages, ktrace_compat_locked_by_perf(memlock->user));
	free_uid(memlock->user);
	atomic64_sub(memlock->mm_pages, &memlock->mm->pinned_vm);
	mmdrop(memlock->mm);
	*memlock = (struct ktrace_memlock){ };
}

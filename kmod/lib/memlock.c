// SPDX-License-Identifier: GPL-2.0
#include "lib/memlock.h"

#include <linux/atomic.h>
#include <linux/capability.h>
#include <linux/cpumask.h>
#include <linux/cred.h>
#include <linux/kernel.h>
#include <linux/minmax.h>
#include <linux/mm.h>
#include <linux/mutex.h>
#include <linux/sched/mm.h>
#include <linux/sched/signal.h>
#include <linux/sched/user.h>

#include "compat/compat.h"
#include "compat/perf_sysctl.h"

/*
 * perf's own default until somebody writes perf_event_mlock_kb; and the lowest level of
 * perf_event_paranoid at which perf enforces limits.
 */
#define DEFAULT_MLOCK_KB	(512 + (int)(PAGE_SIZE / 1024))
#define PARANOID_LIMITS		0

/* Without this lock, two sessions could both find room that is enough for only one of them. */
static DEFINE_MUTEX(lock);

/* Cached: opening procfs files for each charge would dominate the cost of adding many events. */
static void read_limits(struct ktrace_memlock *memlock)
{
	long kb = max(ktrace_perf_sysctl("perf_event_mlock_kb", DEFAULT_MLOCK_KB), 0);

	memlock->pages_per_cpu = kb >> (PAGE_SHIFT - 10);
	memlock->limits = ktrace_perf_sysctl("perf_event_paranoid", PARANOID_LIMITS) >=
			  PARANOID_LIMITS;
}

static bool is_limited(const struct ktrace_memlock *memlock)
{
	return memlock->limits && !capable(CAP_IPC_LOCK);
}

/* Pages to charge for @bytes, beyond the pages that are charged already. */
static long missing_pages(const struct ktrace_memlock *memlock, u64 bytes)
{
	return DIV_ROUND_UP(bytes, PAGE_SIZE) - memlock->user_pages - memlock->mm_pages;
}

static void begin(struct ktrace_memlock *memlock)
{
	if (memlock->user)
		return;
	memlock->user = get_uid(current_user());
	memlock->mm = current->mm;
	mmgrab(memlock->mm);
	read_limits(memlock);
}

static bool may_pin(const struct ktrace_memlock *memlock, long pages)
{
	return !pages || !is_limited(memlock) ||
	       (!memlock->stays && atomic64_read(&memlock->mm->pinned_vm) + pages <=
				   rlimit(RLIMIT_MEMLOCK) >> PAGE_SHIFT);
}

/* Returns false if it is more than the current task may lock. */
static bool charge_pages(struct ktrace_memlock *memlock, long pages)
{
	atomic_long_t *locked = ktrace_compat_locked_by_perf(memlock->user);
	long room = memlock->pages_per_cpu * num_online_cpus() - atomic_long_read(locked);
	long rest = pages - clamp(room, 0L, pages);

	if (!may_pin(memlock, rest))
		return false;
	memlock->user_pages += pages - rest;
	atomic_long_add(pages - rest, locked);
	memlock->mm_pages += rest;
	atomic64_add(rest, &memlock->mm->pinned_vm);
	return true;
}

int ktrace_memlock_charge(struct ktrace_memlock *memlock, u64 bytes)
{
	long pages = missing_pages(memlock, memlock->bytes + bytes);
	bool charged = true;

	if (pages) {
		begin(memlock);
		mutex_lock(&lock);
		charged = charge_pages(memlock, pages);
		if (!charged) {
			/* The limits may have been raised meanwhile. */
			read_limits(memlock);
			charged = charge_pages(memlock, pages);
		}
		mutex_unlock(&lock);
	}
	if (!charged)
		return -EPERM;
	memlock->bytes += bytes;
	return 0;
}

void ktrace_memlock_uncharge(struct ktrace_memlock *memlock, u64 bytes)
{
	long pages, pinned;

	memlock->bytes -= bytes;
	pages = -missing_pages(memlock, memlock->bytes);
	pinned = min(pages, memlock->mm_pages);
	if (!pages)
		return;
	memlock->mm_pages -= pinned;
	atomic64_sub(pinned, &memlock->mm->pinned_vm);
	memlock->user_pages -= pages - pinned;
	atomic_long_sub(pages - pinned, ktrace_compat_locked_by_perf(memlock->user));
}

int ktrace_memlock_stay(struct ktrace_memlock *memlock)
{
	if (memlock->user)
		read_limits(memlock);
	if (memlock->mm_pages && is_limited(memlock))
		return -EPERM;
	memlock->stays = true;
	return 0;
}

void ktrace_memlock_end(struct ktrace_memlock *memlock)
{
	if (!memlock->user)
		return;
	ktrace_memlock_uncharge(memlock, memlock->bytes);
	free_uid(memlock->user);
	mmdrop(memlock->mm);
	*memlock = (struct ktrace_memlock){ };
}

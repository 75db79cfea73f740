/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The owner of a kernel lock while a task waits for it, inferred from events.
 *
 * The kernel has no event for taking a free lock.  But a task that wakes a sleeping waiter has just
 * released the lock, and a task whose wait ends now owns it.  Both are marks in the line of the
 * tasks that wait for this lock.  The time of each wait is divided among the owners between these
 * marks:
 *
 *	up to a release		the task that releases it. A task that takes and releases the
 *				lock without waking anybody, which happens while others spin,
 *				is not seen
 *	then up to the end	the same task, or the one that got it in between
 *
 * LOCK_OWNER_UNKNOWN stands for three cases.  Nobody wakes tasks that spin, so their owners are
 * unknown.  Interrupts that wake do not hold such a lock.  RCU also wakes the writer of a
 * percpu_rw_semaphore, so its owners are unknown, too.
 */
#ifndef KTRACE_TABLE_LOCK_LOCK_OWNERS_H
#define KTRACE_TABLE_LOCK_LOCK_OWNERS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "lib/array.h"
#include "lib/error.h"
#include "lib/hash_table.h"

#define LOCK_OWNER_UNKNOWN	(-1)

/* Bits of the flags of lock:contention_begin: the kernel's LCB_F_*.  Without any: a semaphore. */
enum {
	LOCK_SPIN = 1, LOCK_READ = 2, LOCK_WRITE = 4, LOCK_RT = 8, LOCK_PERCPU = 16,
	LOCK_MUTEX = 32, LOCK_TYPES = 63,
};

/* How long, in ns, this task held the lock that another one waited for. */
struct lock_share {
	int32_t owner;		/* tid, or LOCK_OWNER_UNKNOWN */
	uint64_t ns;
};

struct lock_owners {
	struct hash_table lines_index, waiters_index;
	ARRAY_OF(struct lock_line) lines;	/* of the waiters for a lock, by its address */
	ARRAY_OF(struct lock_waiter) waiters;	/* by tid */
	/* of the last wait that ended: each owner once, without 0 ns */
	ARRAY_OF(struct lock_share) shares;
	uint64_t unended;	/* waits that have not ended */
};

void lock_owners_deinit(struct lock_owners *owners);

/*
 * Add events in the order of their times, which are in ns.  The only error is a lack of memory.
 * lock_owners_begin() ignores a wait that has begun already: a mutex reports its wait again when
 * spinning has failed.
 */
struct error *lock_owners_begin(struct lock_owners *owners, int32_t tid, uint64_t address,
				uint32_t flags, uint64_t time);

/* Whether @tid sleeps until it gets a lock, so that a task that wakes it releases the lock. */
bool lock_owners_sleeps(struct lock_owners *owners, int32_t tid);

/* @waker wakes @tid, for which lock_owners_sleeps() is true; LOCK_OWNER_UNKNOWN: an interrupt. */
struct error *lock_owners_wake(struct lock_owners *owners, int32_t tid, int32_t waker,
			       uint64_t time);

/*
 * The wait ends, with the lock or, if it @failed because of a signal or a timeout, without it.
 * Sets the shares; there are none if the beginning of the wait is unknown.
 */
struct error *lock_owners_end(struct lock_owners *owners, int32_t tid, uint64_t address,
			      bool failed, uint64_t time);

#endif

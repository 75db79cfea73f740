/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Who held a lock of the kernel while a task waited for it, as far as events tell.
 *
 * No event says who takes a lock that is free.  But a task that wakes one that sleeps until it
 * gets a lock has just released it, and one whose wait for a lock has ended holds it.  Both are
 * marks in the line of the tasks that wait for this lock, and the time of each wait is shared out
 * among those who held the lock between these marks:
 *
 *	up to a release		whoever released it.  Who came and went without waking anybody,
 *				which is while others spin, is not seen
 *	then up to the end	the same task, or who got it in between
 *
 * LOCK_OWNER_UNKNOWN are those for whom tasks spun, as nobody wakes them; interrupts that woke,
 * which hold no such lock; and what a writer of a percpu_rw_semaphore waits for, since RCU wakes
 * it, too.
 */
#ifndef KTRACE_TABLE_LOCK_LOCK_OWNERS_H
#define KTRACE_TABLE_LOCK_LOCK_OWNERS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "lib/error.h"
#include "lib/hash_table.h"

#define LOCK_OWNER_UNKNOWN	(-1)

/* Bits of the flags of lock:contention_begin: the kernel's LCB_F_*.  Without any: a semaphore. */
enum {
	LOCK_SPIN = 1, LOCK_READ = 2, LOCK_WRITE = 4, LOCK_RT = 8, LOCK_PERCPU = 16,
	LOCK_MUTEX = 32, LOCK_TYPES = 63,
};

/* How long, in ns, this task held what another one waited for. */
struct lock_share {
	int32_t owner;		/* tid, or LOCK_OWNER_UNKNOWN */
	uint64_t ns;
};

struct lock_owners {
	struct hash_table lines_index, waiters_index;
	struct {
		struct lock_line *items;
		size_t nr, alloc;
	} lines;	/* of those who wait for a lock, by its address */
	struct {
		struct lock_waiter *items;
		size_t nr, alloc;
	} waiters;	/* by tid */
	struct {
		struct lock_share *items;
		size_t nr, alloc;
	} shares;	/* of the wait that has ended last: each owner once, and none of 0 ns */
	uint64_t unended;	/* waits that have not ended */
};

void lock_owners_deinit(struct lock_owners *owners);

/*
 * Take in events in the order of their times, which are in ns.  The only error is to be out of
 * memory.  lock_owners_begin() ignores a wait that has begun: a mutex says again that it is waited
 * for when spinning was in vain.
 */
struct error *lock_owners_begin(struct lock_owners *owners, int32_t tid, uint64_t address,
				uint32_t flags, uint64_t time);

/* Whether @tid sleeps until it gets a lock, so that who wakes it now releases one. */
bool lock_owners_sleeps(struct lock_owners *owners, int32_t tid);

/* @waker wakes @tid, which lock_owners_sleeps(); LOCK_OWNER_UNKNOWN: an interrupt does. */
struct error *lock_owners_wake(struct lock_owners *owners, int32_t tid, int32_t waker,
			       uint64_t time);

/*
 * The wait ends, with the lock or, if it @failed because of a signal or of time, without it.  Sets
 * the shares, none if the wait's begin is unknown.
 */
struct error *lock_owners_end(struct lock_owners *owners, int32_t tid, uint64_t address,
			      bool failed, uint64_t time);

#endif

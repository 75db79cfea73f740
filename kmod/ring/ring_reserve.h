/* SPDX-License-Identifier: GPL-2.0 */
/* The fast path of the ring's writer, inlined into its callers. */
#ifndef KTRACE_RING_RESERVE_H
#define KTRACE_RING_RESERVE_H

#include <linux/compiler.h>
#include <linux/perf_event.h>

#include "lib/clock.h"
#include "ring/ring.h"

static __always_inline bool ktrace_ring_fits(const struct ktrace_ring *ring, u64 head,
					     u64 tail, u32 size)
{
	/* A tail beyond head gives a huge difference: full. */
	return head - tail <= ring->size - size;
}

/*
 * A tail between the published end and head is wrong: the reader cannot have read these bytes, and
 * nested writers would overwrite records that are not complete yet.
 */
static __always_inline bool ktrace_ring_tail_is_wrong(const struct ktrace_ring *ring, u64 tail)
{
	return (s64)(READ_ONCE(ring->published) - tail) < 0;
}

/* @overwrite is a constant: whether to make room where there is none. */
static __always_inline void *__ktrace_ring_reserve(struct ktrace_ring *ring, u32 size, u64 *time,
						   enum ktrace_lost *lost, bool overwrite)
{
	u64 head, tail;

	if (unlikely(ring->nest >= KTRACE_RING_MAX_NEST)) {
		*lost = KTRACE_LOST_NESTED;
		return NULL;
	}
	/*
	 * This need not be atomic: a context that interrupts it restores the value that it
	 * found.
	 */
	WRITE_ONCE(ring->nest, ring->nest + 1);
	barrier();

	do {
		/*
		 * The reader's loads come before its store-release of the tail.  Our stores
		 * come after this load, because they depend on it by the branch.
		 */
		tail = READ_ONCE(ring->tail->data_tail);
		head = local_read(&ring->head);
		if (unlikely(!ktrace_ring_fits(ring, head, tail, size) ||
			     ktrace_ring_tail_is_wrong(ring, tail)) &&
		    !(overwrite && ktrace_ring_make_room(ring, head, size))) {
			*lost = KTRACE_LOST_FULL;
			ktrace_ring_commit(ring);
			return NULL;
		}
		/*
		 * The clock is read between head and the exchange.  A nested writer that reserves
		 * after the clock was read also moves head, so the exchange fails and we read the
		 * clock again.
		 */
		barrier();
		*time = ktrace_clock_read(ring->clockid);
	} while (unlikely(local_cmpxchg(&ring->head, head, head + size) != head));

	return ring->data + (head & ring->mask);
}

/*
 * Reserves @size bytes in one piece, a multiple of 8 and at most the ring's size, and reads the
 * time for them.  Returns NULL, with the reason in @lost, when there is no room.  The caller has
 * preemption disabled until the commit.
 */
static __always_inline void *ktrace_ring_reserve(struct ktrace_ring *ring, u32 size,
						 u64 *time, enum ktrace_lost *lost)
{
	return __ktrace_ring_reserve(ring, size, time, lost, false);
}

/*
 * Is there room from @head to @next?  Also false in a ring that overwrites, once it is full.  A
 * nested writer can still take the room.
 */
static __always_inline bool ktrace_ring_finds_room(struct ktrace_ring *ring, u64 head, u64 next)
{
	return likely(next <= ring->room_end) ||
	       ktrace_ring_look_for_room(ring, head, next - head);
}

/*
 * Like ktrace_ring_reserve(), in a ring to which nobody else is writing.  Returns false, with
 * nothing reserved, if there is no room or another writer reserves meanwhile.
 * ktrace_ring_reserve() then finds out the reason.
 */
static __always_inline bool ktrace_ring_try_reserve(struct ktrace_ring *ring, u32 size,
						    void **record, u64 *time)
{
	u64 head = local_read(&ring->head), next = head + size;

	if (unlikely(!ktrace_ring_finds_room(ring, head, next)))
		return false;
	/* A writer that reserves before this publishes its own record. */
	barrier();
	WRITE_ONCE(ring->nest, 1);
	barrier();
	/* The ring's clockid is loaded again for other clocks, so that this compares in memory. */
	*time = likely(ring->clockid == KTRACE_CLOCK_PERF) ?
		ktrace_clock_read(KTRACE_CLOCK_PERF) :
		ktrace_clock_read_other(READ_ONCE(ring->clockid));
	if (unlikely(local_cmpxchg(&ring->head, head, next) != head)) {
		ktrace_ring_commit(ring);
		return false;
	}
	*record = ring->data + (head & ring->mask);
	return true;
}

/*
 * Like ktrace_ring_try_reserve(), for a record with a @time that was read a moment ago.  Also
 * returns false if a later record is in the ring already, or if the caller has a reservation in it.
 */
static __always_inline bool ktrace_ring_try_reserve_at(struct ktrace_ring *ring, u32 size, u64 time,
						       void **record)
{
	u64 head = local_read(&ring->head), next = head + size;

	if (unlikely(!ktrace_ring_finds_room(ring, head, next)))
		return false;
	barrier();
	/* A writer that reserves between the load of head and this moves head, too. */
	if (unlikely(time < READ_ONCE(ring->last_time) || ring->nest))
		return false;
	WRITE_ONCE(ring->nest, 1);
	barrier();
	if (unlikely(local_cmpxchg(&ring->head, head, next) != head)) {
		ktrace_ring_commit(ring);
		return false;
	}
	*record = ring->data + (head & ring->mask);
	return true;
}

/*
 * Commits a sample of @size bytes with this @time.  This is fast if no other record waits to be
 * published.  @alone is a constant: the caller knows that no other reservation is open.  @numbered
 * is the sample, if its misc has KTRACE_RING_WANTS_SEQ; otherwise NULL.
 */
static __always_inline void ktrace_ring_commit_sample(struct ktrace_ring *ring, u64 time, u32 size,
						      bool alone,
						      struct perf_event_header *numbered)
{
	u64 head = ring->published + size;

	if (unlikely((!alone && ring->nest != 1) || head != local_read(&ring->head) ||
		     time < ring->last_time)) {
		ktrace_ring_commit(ring);
		return;
	}
	if (numbered) {
		numbered->misc &= ~KTRACE_RING_WANTS_SEQ;
		*(u64 *)((void *)numbered + size - sizeof(u64)) = ring->samples;
	}
	ring->last_time = time;
	ring->samples++;
	WRITE_ONCE(ring->published, head);
	/* Pairs with the reader's load-acquire of data_head. */
	smp_store_release(&ring->meta->data_head, head);
	barrier();
	WRITE_ONCE(ring->nest, 0);
	barrier();
	if (unlikely(head != local_read(&ring->head)))
		ktrace_ring_publish_rest(ring);
	/* An NMI may write it meanwhile; either value is right.  Plain, to compare in memory. */
	else if (unlikely(head >= data_race(ring->wake_at)))
		ktrace_ring_wake(ring);
}

#endif

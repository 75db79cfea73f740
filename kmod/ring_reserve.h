/* SPDX-License-Identifier: GPL-2.0 */
/* The writer's first half, inlined into its callers. */
#ifndef KTRACE_RING_RESERVE_H
#define KTRACE_RING_RESERVE_H

#include <linux/compiler.h>

#include "clock.h"
#include "ring.h"

static __always_inline bool ktrace_ring_fits(const struct ktrace_ring *ring, u64 head,
					     u64 tail, u32 size)
{
	/* A tail beyond head gives a huge difference: full. */
	return head - tail <= ring->size - size;
}

/* @overwrite: a constant; make room where there is none. */
static __always_inline void *__ktrace_ring_reserve(struct ktrace_ring *ring, u32 size, u64 *time,
						   enum ktrace_lost *lost, bool overwrite)
{
	u64 head, tail;

	if (unlikely(ring->nest >= KTRACE_RING_MAX_NEST)) {
		*lost = KTRACE_LOST_NESTED;
		return NULL;
	}
	/* Need not be atomic: who interrupts it puts back what it found. */
	WRITE_ONCE(ring->nest, ring->nest + 1);
	barrier();

	do {
		/*
		 * The reader's own loads are before its store-release of the
		 * tail; our stores depend on this load by the branch.
		 */
		tail = READ_ONCE(ring->tail->data_tail);
		head = local_read(&ring->head);
		if (unlikely(!ktrace_ring_fits(ring, head, tail, size)) &&
		    !(overwrite && ktrace_ring_make_room(ring, head, size))) {
			*lost = KTRACE_LOST_FULL;
			ktrace_ring_commit(ring);
			return NULL;
		}
		/*
		 * Between head and the exchange: a nested writer that gets in
		 * after this reading also moves head, and we read again.
		 */
		barrier();
		*time = ktrace_clock_read(ring->clockid);
	} while (unlikely(local_cmpxchg(&ring->head, head, head + size) != head));

	return ring->data + (head & (ring->size - 1));
}

/*
 * @size bytes in one piece, a multiple of 8 and at most the ring's size, and
 * the time to be written into them.  NULL, with the reason in @lost, when there
 * is no room.  Preemption is disabled until the commit.
 */
static __always_inline void *ktrace_ring_reserve(struct ktrace_ring *ring, u32 size,
						 u64 *time, enum ktrace_lost *lost)
{
	return __ktrace_ring_reserve(ring, size, time, lost, false);
}

/*
 * The same in a ring that nobody is writing to.  False, with nothing reserved, if
 * there is no room or another writer gets in between; ktrace_ring_reserve() then finds
 * out which.
 */
static __always_inline bool ktrace_ring_try_reserve(struct ktrace_ring *ring, u32 size,
						    void **record, u64 *time)
{
	u64 head = local_read(&ring->head);

	if (unlikely(!ktrace_ring_fits(ring, head, READ_ONCE(ring->tail->data_tail), size)))
		return false;
	/* Who gets in before this publishes its own. */
	barrier();
	WRITE_ONCE(ring->nest, 1);
	barrier();
	*time = ktrace_clock_read(ring->clockid);
	if (unlikely(local_cmpxchg(&ring->head, head, head + size) != head)) {
		ktrace_ring_commit(ring);
		return false;
	}
	*record = ring->data + (head & (ring->size - 1));
	return true;
}

/*
 * ktrace_ring_commit() of a sample of @size bytes with this @time, without a
 * number: quick where it lies in the ring alone.  @alone, a constant: the caller knows
 * that no other writer's reservation is open.
 */
static __always_inline void ktrace_ring_commit_sample(struct ktrace_ring *ring, u64 time, u32 size,
						      bool alone)
{
	u64 head = local_read(&ring->head);

	barrier();
	if (unlikely((!alone && ring->nest != 1) || head - ring->published != size ||
		     time < ring->last_time)) {
		ktrace_ring_commit(ring);
		return;
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
	else if (unlikely(head >= READ_ONCE(ring->wake_at)))
		ktrace_ring_wake(ring);
}

#endif

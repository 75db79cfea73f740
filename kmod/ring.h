/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Per-CPU rings of perf records, one writer CPU, one reader in user space.
 *
 * Writers are the contexts of one CPU, which interrupt each other but never run
 * at once: each nested one is done before the one it interrupted goes on.  They
 * reserve by compare-and-exchange of `head` and fill in their bytes in any
 * order; the outermost one publishes all of it.
 *
 * The ring knows of events only what the layout of perf records says: where
 * their size and time are.
 */
#ifndef KTRACE_RING_H
#define KTRACE_RING_H

#include <linux/bits.h>
#include <linux/cache.h>
#include <linux/irq_work.h>
#include <linux/types.h>
#include <linux/wait.h>
#include <asm/local.h>
#include <linux/ktrace.h>

#include "clock.h"

struct page;
struct vm_area_struct;

/*
 * Task, softirq, hardirq and NMI, and as many again for events that fire while
 * a record is being filled in.
 */
#define KTRACE_RING_MAX_NEST	8

/*
 * In header.misc of a sample until it is published: its last 8 bytes are for
 * the number of the sample in the ring.
 */
#define KTRACE_RING_WANTS_SEQ	BIT(15)

/* Who waits for the rings of a session. */
struct ktrace_ring_waiters {
	wait_queue_head_t queue;
	bool armed;			/* somebody looked and may sleep */
};

struct ktrace_ring {
	/* Of the writers. */
	local_t head;			/* bytes ever reserved */
	unsigned int nest;		/* writers between reserve and commit */
	/* Of the outermost writer. */
	u64 published;			/* bytes ever published */
	u64 samples;			/* samples ever published */
	u64 last_time;

	/* Constant. */
	void *data ____cacheline_aligned; /* mapped twice in a row */
	u64 size;
	u64 wakeup_bytes;
	int clockid;
	u32 cpu;
	struct ktrace_ring_meta *meta;
	const struct ktrace_ring_tail *tail;
	struct ktrace_ring_waiters *waiters;

	struct irq_work wakeup ____cacheline_aligned;
	struct page **pages;
	unsigned int nr_pages;
};

struct ktrace_ring *ktrace_ring_create(unsigned int cpu, unsigned int nr_pages,
				       u64 wakeup_bytes, int clockid,
				       struct ktrace_ring_waiters *waiters);
/* When no writer can run any more. */
void ktrace_ring_destroy(struct ktrace_ring *ring);

int ktrace_ring_mmap(struct ktrace_ring *ring, unsigned int region,
		     struct vm_area_struct *vma);

/* Bytes published and not consumed; nonsense if the reader's tail is. */
u64 ktrace_ring_held(const struct ktrace_ring *ring);

/*
 * Would @size bytes fit now?  A nested writer can take them before they are
 * reserved.
 */
bool ktrace_ring_has_room(const struct ktrace_ring *ring, u32 size);

/* The end of each reservation, and of each that failed. */
void ktrace_ring_commit(struct ktrace_ring *ring);

static __always_inline bool ktrace_ring_fits(const struct ktrace_ring *ring, u64 head,
					     u64 tail, u32 size)
{
	/* A tail beyond head gives a huge difference: full. */
	return head - tail <= ring->size - size;
}

/*
 * @size bytes in one piece, a multiple of 8 and at most the ring's size, and
 * the time to be written into them.  NULL, with the reason in @lost, when there
 * is no room.  Preemption is disabled until the commit.
 */
static __always_inline void *ktrace_ring_reserve(struct ktrace_ring *ring, u32 size,
						 u64 *time, enum ktrace_lost *lost)
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
		if (unlikely(!ktrace_ring_fits(ring, head, tail, size))) {
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

#endif

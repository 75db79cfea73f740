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

struct page;
struct vm_area_struct;

/* Task, softirq, hardirq and NMI: in each of them one record is made at a time. */
#define KTRACE_RING_MAX_NEST	4

/* That a ring has besides its data: those of its meta and tail. */
#define KTRACE_RING_OTHER_PAGES	2

/*
 * In header.misc of a sample until it is published: its last 8 bytes are for
 * the number of the sample in the ring.
 */
#define KTRACE_RING_WANTS_SEQ	BIT(15)

/* Who waits for the rings of a session. */
struct ktrace_ring_waiters {
	wait_queue_head_t queue;
	bool armed;			/* somebody looked and may sleep */
	bool triggered;			/* a record came that a snapshot is wanted for */
};

struct ktrace_ring {
	/* Of the writers. */
	local_t head;			/* bytes ever reserved */
	unsigned int nest;		/* writers between reserve and commit */
	/* Of the outermost writer. */
	u64 published;			/* bytes ever published */
	u64 samples;			/* samples ever published */
	u64 last_time;
	u64 wake_at;			/* below this head, nobody need be woken */

	/* Constant. */
	void *data ____cacheline_aligned; /* mapped twice in a row */
	u64 size;
	u64 wakeup_bytes;
	int clockid;
	u32 cpu;
	bool overwrites;
	struct ktrace_ring_meta *meta;
	struct ktrace_ring_tail *tail;	/* the reader's; ours, if it overwrites */
	struct ktrace_ring_waiters *waiters;

	struct irq_work wakeup ____cacheline_aligned;
	struct page **pages;
	unsigned int nr_pages;
};

struct ktrace_ring *ktrace_ring_create(unsigned int cpu, unsigned int nr_pages,
				       u64 wakeup_bytes, int clockid,
				       struct ktrace_ring_waiters *waiters);
/*
 * Before it is used: it drops its oldest records where there is no room for new
 * ones, tells by the tail where those begin that are left, and wakes nobody.
 */
void ktrace_ring_overwrite(struct ktrace_ring *ring);
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

/* Ends a reservation (ring_reserve.h). */
void ktrace_ring_commit(struct ktrace_ring *ring);

/*
 * Of a ring that overwrites: drop records until @size bytes fit behind @head.
 * False: what would have to go is not published yet.
 */
bool ktrace_ring_make_room(struct ktrace_ring *ring, u64 head, u32 size);
/* ktrace_ring_reserve() (ring_reserve.h) of such a ring, once that found no room. */
void *ktrace_ring_reserve_overwriting(struct ktrace_ring *ring, u32 size, u64 *time,
				      enum ktrace_lost *lost);

/*
 * On the ring's CPU, or if that is offline: is every record published that was
 * reserved, and all the same after @look, which the ring's writers of NMIs may
 * have interrupted?  If so, the reader is told where that was.
 */
bool ktrace_ring_snapshot(struct ktrace_ring *ring, void (*look)(void *data), void *data);

/* Wakes who waits, whatever the ring holds. */
void ktrace_ring_trigger(struct ktrace_ring *ring);

/* For who has published and finds that somebody wrote while it did. */
void ktrace_ring_publish_rest(struct ktrace_ring *ring);
/* What is published may be worth waking the reader. */
void ktrace_ring_wake(struct ktrace_ring *ring);

#endif

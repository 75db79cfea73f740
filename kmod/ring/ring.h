/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Rings of perf records: one for each CPU, with that CPU as the only writer, and one reader
 * in user space.
 *
 * The writers are the contexts of the CPU.  They interrupt each other, but never run at
 * once: a nested writer is done before the writer that it interrupted goes on.  Each reserves
 * bytes by a compare-and-exchange of `head`, and they fill in their bytes in any order.  The
 * outermost writer then publishes all of them.
 *
 * Of the layout of records, the ring only knows where their size and time are.
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

/* Task, softirq, hardirq and NMI: each of them makes one record at a time. */
#define KTRACE_RING_MAX_NEST	4

/*
 * Where the time is in a PERF_RECORD_LOST; in samples it is at ring->time_offset.  In front of it
 * are the pid and tid.
 */
#define KTRACE_LOST_TIME_OFFSET		(KTRACE_LOST_SIZE - 24)

/* The pages that a ring has besides its data: those of its meta and tail. */
#define KTRACE_RING_OTHER_PAGES	2

/*
 * Set in header.misc of a sample until it is published: the last 8 bytes of the sample are
 * to get its number in the ring; with the latter, those in front of its registers.
 */
#define KTRACE_RING_WANTS_SEQ	BIT(15)
#define KTRACE_RING_HAS_REGS	BIT(14)
/* Bytes of the user's registers at the end of samples that have them. */
#define KTRACE_RING_REGS_SIZE	((u32)(2 * sizeof(u64)))

/* The readers that wait for the rings of a session. */
struct ktrace_ring_waiters {
	wait_queue_head_t queue;
	bool armed;			/* a reader has looked at the rings and may sleep */
	bool triggered;			/* a sample has come that asks for a snapshot */
};

struct ktrace_ring {
	/* Used by all writers. */
	local_t head;			/* bytes ever reserved */
	unsigned int nest;		/* writers between reserve and commit */
	/* Used by the outermost writer. */
	u64 published;			/* bytes ever published */
	u64 samples;			/* samples ever published */
	u64 last_time;
	u64 wake_at;			/* while head is below this, no reader need be woken */
	/*
	 * Up to here there was room when the tail was looked at last.  The tail only grows, so
	 * there still is.
	 */
	u64 room_end;

	/* Constant. */
	void *data ____cacheline_aligned; /* mapped twice in a row */
	u64 size;
	u64 mask;			/* size - 1 */
	u64 wakeup_bytes;
	u32 time_offset;		/* of the time in a sample */
	int clockid;
	u32 cpu, zero;			/* as samples have them, to be copied at once */
	bool overwrites;
	struct ktrace_ring_meta *meta;
	struct ktrace_ring_tail *tail;	/* written by the reader; by us if the ring overwrites */
	struct ktrace_ring_waiters *waiters;

	struct irq_work wakeup ____cacheline_aligned;
	struct page **pages;
	unsigned int nr_pages;
};

struct ktrace_ring *ktrace_ring_create(unsigned int cpu, unsigned int nr_pages,
				       u64 wakeup_bytes, int clockid,
				       struct ktrace_ring_waiters *waiters);
/*
 * Makes @ring drop its oldest records where there is no room for new ones.  Its tail then
 * says where the oldest remaining record begins, and it wakes nobody.  To be called before
 * the ring is used.
 */
void ktrace_ring_overwrite(struct ktrace_ring *ring);
/* The samples of @ring are of this sample_type.  To be called before the ring is used. */
void ktrace_ring_lay_out(struct ktrace_ring *ring, u64 sample_type);
/* To be called when no writer can run any more. */
void ktrace_ring_destroy(struct ktrace_ring *ring);

int ktrace_ring_mmap(struct ktrace_ring *ring, unsigned int region,
		     struct vm_area_struct *vma);

/*
 * Bytes that are published and not consumed.  Not to be relied upon: the tail is the
 * reader's.
 */
u64 ktrace_ring_held(const struct ktrace_ring *ring);

/* Would @size bytes fit now?  A nested writer may still take them before they are reserved. */
bool ktrace_ring_has_room(const struct ktrace_ring *ring, u32 size);

/*
 * Looks at the tail and says whether @size bytes fit behind @head.  If so, they lie below
 * ring->room_end from then on.
 */
bool ktrace_ring_look_for_room(struct ktrace_ring *ring, u64 head, u32 size);

/* Ends a reservation (see ring_reserve.h). */
void ktrace_ring_commit(struct ktrace_ring *ring);

/*
 * For a ring that overwrites: drops records until @size bytes fit behind @head.  Returns
 * false if records would have to go that are not published yet.
 */
bool ktrace_ring_make_room(struct ktrace_ring *ring, u64 head, u32 size);
/*
 * ktrace_ring_reserve() (ring_reserve.h) for a ring that overwrites, once that function has
 * found no room.
 */
void *ktrace_ring_reserve_overwriting(struct ktrace_ring *ring, u32 size, u64 *time,
				      enum ktrace_lost *lost);

/*
 * Calls @look while every reserved record is published, and sets snapshot_head to where the
 * ring ends then.  Returns false, and sets nothing, if a writer had not published its
 * records yet, or if one (in an NMI) wrote during @look.  To be called on the ring's CPU
 * with interrupts disabled, or anywhere if that CPU is offline.
 */
bool ktrace_ring_snapshot(struct ktrace_ring *ring, void (*look)(void *data), void *data);

/* Wakes the readers that wait, whatever the ring holds. */
void ktrace_ring_trigger(struct ktrace_ring *ring);

/*
 * For a writer that has published and then finds that another one wrote meanwhile:
 * publishes the rest.
 */
void ktrace_ring_publish_rest(struct ktrace_ring *ring);
/* For a writer that has published: wakes the reader if the ring holds enough for it. */
void ktrace_ring_wake(struct ktrace_ring *ring);

#endif

/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Rings of perf records: one for each CPU, which is the only writer, and one reader in user space.
 *
 * The writers are the contexts of the CPU.  They interrupt each other, but never run at the same
 * time: a nested writer is done before the interrupted writer goes on.  Each reserves bytes by a
 * compare-and-exchange of `head`, and they fill in their bytes in any order.  The outermost writer
 * then publishes all of them.
 *
 * The ring knows of a record only the offsets of its size and its time.
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

/* Task, softirq, hardirq and NMI: each of them builds one record at a time. */
#define KTRACE_RING_MAX_NEST	4

/*
 * The offset of the time in a PERF_RECORD_LOST; in samples it is ring->time_offset.  The pid and
 * tid are directly in front of it.
 */
#define KTRACE_LOST_TIME_OFFSET		(KTRACE_LOST_SIZE - 24)

/* The pages of a ring besides its data: meta and tail. */
#define KTRACE_RING_OTHER_PAGES	2

/*
 * Flags in header.misc of a sample until it is published.  WANTS_SEQ: the last 8 bytes of the
 * sample receive its number in the ring.  With HAS_REGS, the 8 bytes in front of its registers do.
 */
#define KTRACE_RING_WANTS_SEQ	BIT(15)
#define KTRACE_RING_HAS_REGS	BIT(14)
/* Bytes of the user's registers at the end of samples that have them. */
#define KTRACE_RING_REGS_SIZE	((u32)(2 * sizeof(u64)))

/* The readers that wait for the rings of a session. */
struct ktrace_ring_waiters {
	wait_queue_head_t queue;
	bool armed;			/* a reader has checked the rings and may sleep */
	bool triggered;			/* a sample has come that requests a snapshot */
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
	 * There was room up to here when the tail was read last.  The tail only grows, so this
	 * still holds.
	 */
	u64 room_end;

	/* Constant. */
	void *data ____cacheline_aligned; /* mapped twice in a row */
	u64 size;
	u64 mask;			/* size - 1 */
	u64 wakeup_bytes;
	u32 time_offset;		/* of the time in a sample */
	int clockid;
	u32 cpu, zero;			/* in the layout of samples, to be copied at once */
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
 * Makes @ring drop its oldest records where there is no room for new ones.  Its tail is then the
 * beginning of the oldest remaining record, and it wakes nobody.  To be called before the ring is
 * used.
 */
void ktrace_ring_overwrite(struct ktrace_ring *ring);
/* Sets the sample_type of @ring's samples.  To be called before the ring is used. */
void ktrace_ring_lay_out(struct ktrace_ring *ring, u64 sample_type);
/* To be called when no writer can run any more. */
void ktrace_ring_destroy(struct ktrace_ring *ring);

int ktrace_ring_mmap(struct ktrace_ring *ring, unsigned int region,
		     struct vm_area_struct *vma);

/* Bytes that are published and not consumed.  Unreliable, because the reader writes the tail. */
u64 ktrace_ring_held(const struct ktrace_ring *ring);

/* Would @size bytes fit now?  A nested writer may still take them before they are reserved. */
bool ktrace_ring_has_room(const struct ktrace_ring *ring, u32 size);

/*
 * Reads the tail and returns whether @size bytes fit behind @head.  If so, they end below
 * ring->room_end from then on.
 */
bool ktrace_ring_look_for_room(struct ktrace_ring *ring, u64 head, u32 size);

/* Ends a reservation (see ring_reserve.h). */
void ktrace_ring_commit(struct ktrace_ring *ring);

/*
 * For a ring that overwrites: drops records until @size bytes fit behind @head.  Returns
 * false if that would drop records that are not published yet.
 */
bool ktrace_ring_make_room(struct ktrace_ring *ring, u64 head, u32 size);
/*
 * ktrace_ring_reserve() (ring_reserve.h) for a ring that overwrites, after that function has
 * found no room.
 */
void *ktrace_ring_reserve_overwriting(struct ktrace_ring *ring, u32 size, u64 *time,
				      enum ktrace_lost *lost);

/*
 * Calls @look while every reserved record is published, and sets snapshot_head to the ring's end at
 * that moment.  Returns false, and sets nothing, if a writer had not published its records yet, or
 * if a writer (in an NMI) wrote during @look.  To be called on the ring's CPU with interrupts
 * disabled, or anywhere if that CPU is offline.
 */
bool ktrace_ring_snapshot(struct ktrace_ring *ring, void (*look)(void *data), void *data);

/* Wakes the waiting readers, however much the ring holds. */
void ktrace_ring_trigger(struct ktrace_ring *ring);

/*
 * For a writer that has published and then finds that another writer has stored a record meanwhile:
 * publishes the rest.
 */
void ktrace_ring_publish_rest(struct ktrace_ring *ring);
/* For a writer that has published: wakes the reader if the ring holds enough for it. */
void ktrace_ring_wake(struct ktrace_ring *ring);

#endif

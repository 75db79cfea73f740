/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Reserves room for a sample in the ring, and sets its time.  Without room, the loss is counted.
 * For this folder only.
 */
#ifndef KTRACE_RESERVE_H
#define KTRACE_RESERVE_H

#include <linux/compiler.h>
#include <linux/types.h>

#include "capture/capture.h"
#include "capture/layout.h"
#include "capture/ledger.h"
#include "ring/ring.h"
#include "ring/ring_reserve.h"

/*
 * This and ktrace_ledger_make_room() reserve @size bytes for a sample and set its time, or count
 * the loss and return NULL.
 */
static __always_inline void *ktrace_reserve(struct ktrace_event_cpu *ec, u32 size)
{
	struct ktrace_ring *ring = ec->probe.ring;
	enum ktrace_lost reason;
	void *sample;
	u64 time;

	sample = ktrace_ring_reserve(ring, size, &time, &reason);
	if (unlikely(!sample))
		return ktrace_ledger_make_room(ec, size, reason);
	*ktrace_layout_time_of(ring, sample) = time;
	return sample;
}

/* Reserves for a sample of @whole bytes, or counts the loss and returns NULL. */
static __always_inline void *ktrace_reserve_sized(const struct ktrace_event *event,
						  struct ktrace_event_cpu *ec, u64 whole)
{
	if (unlikely(whole > ec->max_size)) {
		ktrace_ledger_lose(ec, KTRACE_LOST_TOO_BIG);
		return NULL;
	}
	if (unlikely(READ_ONCE(ec->attention)))
		return ktrace_ledger_reserve_after_loss(event, ec, whole);
	return ktrace_reserve(ec, whole);
}

/*
 * Reserves for a sample whose raw[] has @padded bytes and the trailer, and which has no
 * call chain.
 */
static __always_inline void *ktrace_reserve_for_raw(const struct ktrace_event *event,
						    struct ktrace_event_cpu *ec, u32 padded)
{
	return ktrace_reserve_sized(event, ec,
				    (u64)event->raw_offset + padded + event->trailer_size);
}

/*
 * Reserves for a plain sample while no other one is in progress on this CPU.  Returns false, with
 * nothing done, if that fails.
 */
static __always_inline bool ktrace_reserve_plain(struct ktrace_ring *ring, u32 padded,
						 struct ktrace_layout_sample **sample)
{
	void *record;
	u64 time;

	if (unlikely(!ktrace_ring_try_reserve(ring, KTRACE_SAMPLE_RAW_OFFSET + padded, &record,
					      &time)))
		return false;
	*sample = record;
	(*sample)->time = time;
	return true;
}

#endif

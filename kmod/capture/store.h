/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Stores a sample that is wanted: copies it into the ring, and completes and commits it there.  For
 * this folder only.
 */
#ifndef KTRACE_STORE_H
#define KTRACE_STORE_H

#include <linux/compiler.h>
#include <linux/string.h>
#include <linux/types.h>

#include "capture/capture.h"
#include "capture/copy.h"
#include "capture/event.h"
#include "capture/layout.h"
#include "capture/ledger.h"
#include "capture/reserve.h"
#include "count/counting.h"
#include "lib/clock.h"
#include "machine/judge.h"
#include "ring/ring.h"
#include "ring/ring_reserve.h"

struct pt_regs;

/* Where an event fired. */
struct ktrace_store_place {
	u64 ip;
	u16 misc;			/* PERF_RECORD_MISC_KERNEL or _USER */
	struct pt_regs *regs;		/* registers there; NULL: not known */
};

/* The same as ktrace_store_count() for a key with call chains. */
void ktrace_store_count_chains(const struct ktrace_event *event, struct ktrace_event_cpu *ec,
			       const void *raw, u32 size, const struct ktrace_store_place *place);

static __always_inline void ktrace_store_counted(struct ktrace_event_cpu *ec, u32 result)
{
	if (likely(result == KTRACE_COUNTING_COUNTED))
		local_inc(&ec->recorded);
	else if (result == KTRACE_LOST_NESTED)
		ktrace_ledger_lose(ec, KTRACE_LOST_NESTED);
}

/* Counts a sample by its key instead of storing it. */
static __always_inline void ktrace_store_count(const struct ktrace_event *event,
					       struct ktrace_event_cpu *ec, const void *raw,
					       u32 size)
{
	ktrace_store_counted(ec, ktrace_counting_take(event->counting, raw, size));
}

/*
 * Fills in the rest of a sample without a trailer, and commits it.  @task is the current one, and
 * @tid is task->pid.  No other sample is in progress on this CPU.
 */
static __always_inline void ktrace_store_commit_plain(struct ktrace_event_cpu *ec,
						      struct ktrace_layout_sample *sample,
						      u32 raw_size, const struct task_struct *task,
						      u32 tid)
{
	struct ktrace_ring *ring = ec->probe.ring;

	ktrace_layout_identify(sample, ring, task, tid);
	local_inc(&ec->recorded);
	ktrace_ring_commit_sample(ring, sample->time, KTRACE_SAMPLE_RAW_OFFSET + raw_size, true,
				  NULL);
}

/* Judges a sample that is not stored. */
static __always_inline void ktrace_store_judge_only(const struct ktrace_event *event,
						    struct ktrace_event_cpu *ec, const void *raw,
						    u32 size)
{
	local_inc(&ec->recorded);
	ktrace_judge_take(event->taps, raw, size, ktrace_clock_read(ec->probe.ring->clockid));
}

/* Commits a sample that is complete except for its trailer, or that is a trigger. */
void ktrace_store_finish_with_extras(const struct ktrace_event *event, struct ktrace_ring *ring,
				     struct perf_event_header *sample, u8 *raw, u32 padded);

/* Completes and commits a sample.  Its raw[] is filled in except for the trailer. */
static __always_inline void ktrace_store_finish(const struct ktrace_event *event,
						struct ktrace_event_cpu *ec, void *sample,
						u32 padded, u64 ip, u64 period, u16 misc)
{
	u32 raw_size = padded + event->trailer_size, size = event->raw_offset + raw_size;
	struct ktrace_ring *ring = ec->probe.ring;

	ktrace_layout_describe_whole(event, ring, sample, size, raw_size, ip, period, misc);
	local_inc(&ec->recorded);
	if (likely(!event->fields && !event->trigger))
		ktrace_ring_commit_sample(ring, *ktrace_layout_time_of(ring, sample), size, false,
					  NULL);
	else
		ktrace_store_finish_with_extras(event, ring, sample, sample + event->raw_offset,
						padded);
}

static __always_inline bool ktrace_store_wanted(const struct ktrace_event *event,
						struct ktrace_event_cpu *ec, const void *raw,
						u32 size, u64 ip, u64 period, u16 misc)
{
	u32 padded = ktrace_layout_padded_size(size);
	void *sample;

	sample = ktrace_reserve_for_raw(event, ec, padded);
	if (unlikely(!sample))
		return false;
	ktrace_copy_raw(sample + event->raw_offset, raw, size);
	if (unlikely(padded != size))
		memset(sample + event->raw_offset + size, 0, padded - size);
	ktrace_store_finish(event, ec, sample, padded, ip, period, misc);
	return true;
}

/* Handles a sample by the event's goal, if that is another one than KTRACE_GOAL_STORE. */
void ktrace_store_otherwise(const struct ktrace_event *event, struct ktrace_event_cpu *ec,
			    const void *raw, u32 size, const struct ktrace_store_place *place,
			    u64 period);

static __always_inline void ktrace_store(const struct ktrace_event *event,
					 struct ktrace_event_cpu *ec, const void *raw, u32 size,
					 const struct ktrace_store_place *place, u64 period)
{
	if (unlikely(size > KTRACE_LAYOUT_MAX_SIZE))
		ktrace_ledger_miss(event, ec, KTRACE_LOST_TOO_BIG);
	else if (unlikely(event->way.goal != KTRACE_GOAL_STORE))
		ktrace_store_otherwise(event, ec, raw, size, place, period);
	else
		ktrace_store_wanted(event, ec, raw, size, place->ip, period, place->misc);
}

#endif

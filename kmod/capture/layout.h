/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The records, with the layout of the uapi header.  Functions for compact samples take a sample as
 * a void *, and find its parts by event->raw_offset and ring->time_offset.  For this folder only.
 */
#ifndef KTRACE_LAYOUT_H
#define KTRACE_LAYOUT_H

#include <linux/align.h>
#include <linux/build_bug.h>
#include <linux/limits.h>
#include <linux/perf_event.h>
#include <linux/sched.h>
#include <linux/stddef.h>
#include <linux/string.h>
#include <linux/types.h>

#include "capture/capture.h"
#include "capture/copy.h"
#include "chain/callchain.h"
#include "ring/ring.h"

struct ktrace_layout_sample {
	struct perf_event_header header;
	u64 id;
	u64 ip;
	u32 pid, tid;
	u64 time;
	u32 cpu, reserved;
	u64 period;
	u32 raw_size;
	u8 raw[];
};

struct ktrace_layout_lost {
	struct perf_event_header header;
	u64 id;
	u64 lost;
	u64 reason;
	u64 first, last;
	u32 pid, tid;
	u64 time;
	/* In compact records, only the sample_id follows, or nothing. */
	u32 cpu, reserved;
	u64 sample_id;
};

static_assert(offsetof(struct ktrace_layout_sample, raw) == KTRACE_SAMPLE_RAW_OFFSET);
static_assert(offsetof(struct ktrace_layout_sample, reserved) ==
	      offsetof(struct ktrace_layout_sample, cpu) + sizeof(u32));
static_assert(offsetof(struct ktrace_ring, zero) ==
	      offsetof(struct ktrace_ring, cpu) + sizeof(u32));
static_assert(sizeof(struct ktrace_layout_lost) == KTRACE_LOST_SIZE);
static_assert(offsetof(struct ktrace_layout_lost, time) == KTRACE_LOST_TIME_OFFSET);
static_assert(KTRACE_CAPTURE_NR_LOST <= KTRACE_LOST_NR);

/* The largest multiple of 8 that header.size can hold. */
#define KTRACE_LAYOUT_MAX_SIZE (U16_MAX & ~7)

/* @task is the current one, and @own is task->pid. */
static __always_inline void ktrace_layout_read_ids_of(const struct task_struct *task, u32 own,
						      u32 *pid, u32 *tid)
{
	/* As perf does: the task is being released. */
	if (unlikely(!pid_alive(task))) {
		*pid = -1;
		*tid = -1;
		return;
	}
	/* Two stores, because the compiler would need more time to combine them. */
	WRITE_ONCE(*pid, task->tgid);
	WRITE_ONCE(*tid, own);
}

static __always_inline void ktrace_layout_read_ids(u32 *pid, u32 *tid)
{
	ktrace_layout_read_ids_of(current, current->pid, pid, tid);
}

/* Stores the CPU's number, and the zero behind it, at once. */
static __always_inline void ktrace_layout_store_cpu(struct ktrace_layout_sample *sample,
						    const struct ktrace_ring *ring)
{
	void *to = sample;
	const void *from = ring;

	__builtin_memcpy(to + offsetof(struct ktrace_layout_sample, cpu),
			 from + offsetof(struct ktrace_ring, cpu), sizeof(u64));
}

/* Fills in the task and the CPU of a sample.  @task is the current one, and @tid is task->pid. */
static __always_inline void ktrace_layout_identify(struct ktrace_layout_sample *sample,
						   const struct ktrace_ring *ring,
						   const struct task_struct *task, u32 tid)
{
	ktrace_layout_read_ids_of(task, tid, &sample->pid, &sample->tid);
	ktrace_layout_store_cpu(sample, ring);
}

/* The misc of a record that has no other member for the number of the CPU. */
static __always_inline u16 ktrace_layout_misc_with_cpu(u16 misc, const struct ktrace_ring *ring)
{
	return misc | ring->cpu << KTRACE_MISC_CPU_SHIFT;
}

static __always_inline u64 *ktrace_layout_time_of(const struct ktrace_ring *ring, void *sample)
{
	return sample + ring->time_offset;
}

/*
 * The size of raw[] without the trailer: padded so that, as in perf, it is a multiple of 8
 * together with the size word.
 */
static __always_inline u32 ktrace_layout_padded_size(u32 size)
{
	return ALIGN(size + sizeof(u32), sizeof(u64)) - sizeof(u32);
}

/* Fills in the members that the caller of a probe's sample knows. */
static __always_inline void ktrace_layout_describe(const struct ktrace_event *event,
						   struct ktrace_layout_sample *sample,
						   u32 raw_size, u64 ip, u64 period)
{
	sample->header = event->header;
	sample->header.size += raw_size;
	sample->id = event->id;
	sample->ip = ip;
	sample->period = period;
	sample->raw_size = raw_size;
}

/* The same for samples where only the caller knows whether the event fired in the kernel. */
static __always_inline void ktrace_layout_describe_with(const struct ktrace_event *event,
							struct ktrace_layout_sample *sample,
							u32 raw_size, u64 ip, u64 period, u16 misc)
{
	ktrace_layout_describe(event, sample, raw_size, ip, period);
	sample->header.misc = misc;
}

/*
 * The same for a compact sample of @size bytes, with the task.  @task is the current one, and @tid
 * is task->pid.
 */
static __always_inline void ktrace_layout_describe_compact(const struct ktrace_event *event,
							   const struct ktrace_ring *ring,
							   void *sample, u32 size, u32 raw_size,
							   u16 misc, const struct task_struct *task,
							   u32 tid)
{
	u32 *ids = sample + ring->time_offset - sizeof(u64);
	struct perf_event_header *header = sample;

	header->type = PERF_RECORD_SAMPLE;
	header->misc = ktrace_layout_misc_with_cpu(misc, ring);
	header->size = size;
	if (event->has_ids)
		*(u64 *)(header + 1) = event->id;
	ktrace_layout_read_ids_of(task, tid, ids, ids + 1);
	*(u32 *)(sample + event->raw_offset - sizeof(u32)) = raw_size;
}

/*
 * Fills in a sample of @size bytes, except for its time, its call chain, its raw data and its
 * trailer.
 */
static __always_inline void ktrace_layout_describe_whole(const struct ktrace_event *event,
							 const struct ktrace_ring *ring,
							 void *record, u32 size, u32 raw_size,
							 u64 ip, u64 period, u16 misc)
{
	struct ktrace_layout_sample *sample = record;

	if (unlikely(event->compact)) {
		ktrace_layout_describe_compact(event, ring, record, size, raw_size, misc, current,
					       current->pid);
		return;
	}
	ktrace_layout_describe_with(event, sample, raw_size, ip, period, misc);
	sample->header.size = size;
	ktrace_layout_identify(sample, ring, current, current->pid);
}

/* Scratch memory for a call chain, which begins 4 bytes beyond a multiple of 8. */
#define KTRACE_LAYOUT_CHAIN_SCRATCH \
	(KTRACE_CALLCHAIN_ROOM * (u32)sizeof(u64) + (u32)sizeof(u32))

/* The words of a chain of one frame. */
#define KTRACE_LAYOUT_SHORTEST_CHAIN 2

/* The size of a sample with @nr words of call chain.  @raw_offset: of a sample without a chain. */
static __always_inline u32 ktrace_layout_chained_size(u32 raw_offset, u32 nr, u32 raw_size)
{
	return raw_offset + sizeof(u64) + nr * sizeof(u64) + raw_size;
}

/*
 * Writes the call chain and the raw data of a sample.  The chain is inserted in front of raw_size;
 * the members before it are as in a sample without a chain.  Returns the address of the raw data.
 */
static __always_inline void *ktrace_layout_fill_in_chain(void *sample, u32 raw_offset,
							 const u64 *ips, u32 nr, u32 raw_size,
							 const void *raw, u32 size)
{
	void *at = sample + raw_offset - sizeof(u32);

	*(u64 *)at = nr;
	at += sizeof(u64);
	ktrace_copy_sample(at, ips, nr * sizeof(u64));
	at += nr * sizeof(u64);
	*(u32 *)at = raw_size;
	at += sizeof(u32);
	ktrace_copy_raw(at, raw, size);
	return at;
}

#endif

// SPDX-License-Identifier: GPL-2.0
/*
 * The kinds of events and samples on the hot path, and when each is taken:
 *
 * plain	The quick case: the event is not never_plain, the sample fits in the ring, the
 *	CPU has no loss to report, and no other sample is being made there.
 * unusual	Another sample is being made on this CPU, or the task is one of the recorder:
 *	ktrace_capture_begin_plain() returns KTRACE_CAPTURE_UNUSUAL, and the probe calls
 *	ktrace_capture_begin().
 * early	Decided before the fields are assigned: filters that do not look at the raw data
 *	(filtered_early), and sampling (sampled_early) where no other filter comes first.
 *	Only template probes do so; kernel counters have the fields in any case.
 * direct	The sample of a template probe that was decided early, or is compact_quick: it is
 *	reserved as quickly as a plain one.
 * sampled_quick  The event is decided early by its sampling alone: begin_sampled().
 * filtered_quick  The same by its filter: begin_filtered().
 * trailer_quick  The sample is plain but for its trailer, in which nothing is counted.  A template
 *	probe begins it as a plain one, and end_with_trailer() ends it.
 * alone	No other sample is being made on this CPU, as the guard knows.
 * sampled_or_chained  The event is sampled, its samples have call chains, or it is counted:
 *	store_sampled_or_chained() takes the samples that have passed the filter.
 * chained_quick  The sample is plain but for its call chain.  end_with_chain() ends it.
 * counted	The event is counted by a key (counting.h); its samples are made in scratch
 *	memory, and dropped.  counted_quick: nothing but the assigned fields is looked at.
 * decided_late  The event's filter looks at the raw data (filtered_late), or its samples have
 *	call chains, or are counted: probes assign the fields in scratch memory.
 * never_plain  The event is decided_late, sampled, a trigger, compact, or has a trailer.
 * compact_quick  The sample is plain but for its layout, that of a compact one.  end_compact()
 *	ends it.
 * quick	sampled_quick, filtered_quick, chained_quick or compact_quick
 * slow	store_slow() and end_slow() take the samples that are not plain for any of these
 *	reasons, or because the task's state is unusual (entry.h).
 * extras	A trailer, a call chain or a trigger: finish_with_extras() commits such a sample.
 * wanted	The filter and the sampling have accepted the sample, so store_wanted() copies it
 *	into the ring; ktrace_capture_end_wanted() is called by probes that have run the
 *	filter in line, and leaves only the sampling to do (sampled_late).
 * sized	The size of the complete sample is known, call chain and trailer included:
 *	reserve_sized() reserves it.  reserve_for_raw() computes the size of a sample
 *	without a call chain.
 * after loss  Earlier samples of the event were lost on this CPU (ec->attention; none is plain
 *	then, ec->max_plain), and PERF_RECORD_LOSTs have to be written before this one.
 * without room  The ring is full: one that overwrites makes room, any other loses the sample.
 */
#include "capture/capture.h"

#include <linux/align.h>
#include <linux/build_bug.h>
#include <linux/limits.h>
#include <linux/minmax.h>
#include <linux/percpu.h>
#include <linux/perf_event.h>
#include <linux/preempt.h>
#include <linux/ptrace.h>
#include <linux/sched.h>
#include <linux/stddef.h>
#include <linux/string.h>

#include "capture/entry.h"
#include "chain/callchain.h"
#include "count/counting.h"
#include "fields/common_fields.h"
#include "fields/counter_deltas.h"
#include "filter/filter.h"
#include "filter/scope.h"
#include "lib/clock.h"
#include "probes/ktrace/probe.h"
#include "ring/ring.h"
#include "ring/ring_reserve.h"

/*
 * The records, laid out as the uapi header says.  What handles compact samples takes a sample as
 * a void *, and finds its parts by event->raw_offset and ring->time_offset.
 */
struct sample {
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

struct lost {
	struct perf_event_header header;
	u64 id;
	u64 lost;
	u64 reason;
	u64 first, last;
	u32 pid, tid;
	u64 time;
	/* In compact ones, only the sample_id follows, or nothing. */
	u32 cpu, reserved;
	u64 sample_id;
};

static_assert(offsetof(struct sample, raw) == KTRACE_SAMPLE_RAW_OFFSET);
static_assert(offsetof(struct sample, reserved) == offsetof(struct sample, cpu) + sizeof(u32));
static_assert(offsetof(struct ktrace_ring, zero) ==
	      offsetof(struct ktrace_ring, cpu) + sizeof(u32));
static_assert(sizeof(struct lost) == KTRACE_LOST_SIZE);
static_assert(offsetof(struct lost, time) == KTRACE_LOST_TIME_OFFSET);
static_assert(KTRACE_CAPTURE_NR_LOST <= KTRACE_LOST_NR);

/* At 0, so that going from the part that probes know to the whole costs no instruction. */
static_assert(offsetof(struct ktrace_event, probe) == 0);
static_assert(offsetof(struct ktrace_event_cpu, probe) == 0);

static __always_inline const struct ktrace_event *
event_of(const struct ktrace_probe_event *probe)
{
	return container_of(probe, struct ktrace_event, probe);
}

static __always_inline struct ktrace_event_cpu *event_on_this_cpu(const struct ktrace_event *event)
{
	return container_of(this_cpu_ptr(event->probe.cpu), struct ktrace_event_cpu, probe);
}

static __always_inline struct ktrace_event_cpu *event_on_cpu(const struct ktrace_event *event,
							     unsigned int cpu)
{
	return container_of(per_cpu_ptr(event->probe.cpu, cpu), struct ktrace_event_cpu, probe);
}

/* The largest multiple of 8 that header.size can hold. */
#define MAX_SAMPLE_SIZE		(U16_MAX & ~7)

/* @task is the current one, and @own is task->pid. */
static __always_inline void read_ids_of(const struct task_struct *task, u32 own, u32 *pid, u32 *tid)
{
	/* As perf does: the task is being released. */
	if (unlikely(!pid_alive(task))) {
		*pid = -1;
		*tid = -1;
		return;
	}
	/* Two stores: the compiler would take longer to make one of them. */
	WRITE_ONCE(*pid, task->tgid);
	WRITE_ONCE(*tid, own);
}

static __always_inline void read_ids(u32 *pid, u32 *tid)
{
	read_ids_of(current, current->pid, pid, tid);
}

/* The CPU's number, and the zero behind it, in one piece. */
static __always_inline void store_cpu(struct sample *sample, const struct ktrace_ring *ring)
{
	void *to = sample;
	const void *from = ring;

	__builtin_memcpy(to + offsetof(struct sample, cpu),
			 from + offsetof(struct ktrace_ring, cpu), sizeof(u64));
}

/* Fills in where a sample was made.  @task is the current one, and @tid is task->pid. */
static __always_inline void identify(struct sample *sample, const struct ktrace_ring *ring,
				     const struct task_struct *task, u32 tid)
{
	read_ids_of(task, tid, &sample->pid, &sample->tid);
	store_cpu(sample, ring);
}

/*
 * Most samples are short.  For these, starting a string instruction costs more than the
 * copy.
 */
static __always_inline void copy_raw(void *to, const void *from, u32 size)
{
	const void *end = from + (size & ~15U);

	if (size > 256) {
		memcpy(to, from, size);
		return;
	}
	while (from != end) {
		__builtin_memcpy(to, from, 8);
		__builtin_memcpy(to + 8, from + 8, 8);
		from += 16;
		to += 16;
		/* Without this, the compiler makes the loop a call of memcpy(). */
		OPTIMIZER_HIDE_VAR(from);
	}
	if (size & 8) {
		__builtin_memcpy(to, from, 8);
		from += 8;
		to += 8;
	}
	if (size & 4) {
		__builtin_memcpy(to, from, 4);
		from += 4;
		to += 4;
	}
	if (unlikely(size & 2)) {
		__builtin_memcpy(to, from, 2);
		from += 2;
		to += 2;
	}
	if (unlikely(size & 1))
		__builtin_memcpy(to, from, 1);
}

/* The same for whole samples and call chains, which are longer; @size is a multiple of 8. */
static __always_inline void copy_sample(void *to, const void *from, u32 size)
{
	const void *end = from + (size & ~31U);

	if (size > 512) {
		memcpy(to, from, size);
		return;
	}
	while (from != end) {
		__builtin_memcpy(to, from, 32);
		from += 32;
		to += 32;
		/* As above. */
		OPTIMIZER_HIDE_VAR(from);
	}
	copy_raw(to, from, size & 31);
}

static noinline notrace void count_loss(struct ktrace_event_cpu *ec, enum ktrace_lost reason)
{
	struct ktrace_capture_loss *loss = &ec->loss[reason];
	u64 now = ktrace_clock_read(ec->probe.ring->clockid);

	local_inc(&loss->lost);
	/*
	 * A nested writer that gets in anywhere here may lose samples or report losses
	 * itself.  That shifts these times by no more than the time it runs.
	 */
	if (!local_read(&loss->unplaced))
		WRITE_ONCE(loss->first, now);
	WRITE_ONCE(loss->last, now);
	if (local_inc_return(&loss->unplaced) == 1)
		WRITE_ONCE(loss->first, now);
	/*
	 * In this order: a nested writer that reports all losses in between allows plain samples
	 * again, and nobody else would.
	 */
	WRITE_ONCE(ec->max_plain, 0);
	barrier();
	WRITE_ONCE(ec->has_unplaced, true);
}

/* Counts a sample by its key instead of storing it. */
static __always_inline void count_sample(const struct ktrace_event *event,
					 struct ktrace_event_cpu *ec, const void *raw, u32 size)
{
	u32 result = ktrace_counting_take(event->counting, raw, size);

	if (likely(result == KTRACE_COUNTING_COUNTED))
		local_inc(&ec->recorded);
	else if (result == KTRACE_LOST_NESTED)
		count_loss(ec, KTRACE_LOST_NESTED);
}

/* Losses that a writer has taken out of the ledger, to report them before its sample. */
struct claim {
	u64 lost, first, last;
};

/*
 * A context that is interrupted after it has read the clock, but before count_loss() has
 * stored the time, stores an older time than the context that interrupted it.
 */
static __always_inline void order_times(u64 *first, u64 *last)
{
	if (unlikely(*last < *first))
		swap(*first, *last);
}

static notrace u32 claim_losses(struct ktrace_event_cpu *ec, struct claim *claims)
{
	struct ktrace_capture_loss *loss;
	u32 i, nr = 0;

	for (i = 0; i < KTRACE_CAPTURE_NR_LOST; i++) {
		loss = &ec->loss[i];
		claims[i].first = READ_ONCE(loss->first);
		claims[i].last = READ_ONCE(loss->last);
		order_times(&claims[i].first, &claims[i].last);
		claims[i].lost = local_xchg(&loss->unplaced, 0);
		nr += !!claims[i].lost;
	}
	return nr;
}

static notrace void return_losses(struct ktrace_event_cpu *ec, const struct claim *claims)
{
	u32 i;

	for (i = 0; i < KTRACE_CAPTURE_NR_LOST; i++) {
		if (!claims[i].lost)
			continue;
		WRITE_ONCE(ec->loss[i].first, claims[i].first);
		local_add(claims[i].lost, &ec->loss[i].unplaced);
	}
}

static notrace bool has_losses(const struct ktrace_event_cpu *ec)
{
	u32 i;

	for (i = 0; i < KTRACE_CAPTURE_NR_LOST; i++)
		if (local_read(&ec->loss[i].unplaced))
			return true;
	return false;
}

/* A record's misc where the number of the CPU has no other place. */
static __always_inline u16 misc_with_cpu(u16 misc, const struct ktrace_ring *ring)
{
	return misc | ring->cpu << KTRACE_MISC_CPU_SHIFT;
}

/* Completes a PERF_RECORD_LOST behind its time. */
static notrace void write_lost_end(const struct ktrace_event *event,
				   const struct ktrace_ring *ring, struct lost *lost)
{
	u64 *compact_id = (void *)lost + KTRACE_LOST_TIME_OFFSET + sizeof(u64);

	lost->header.size = event->lost_size;
	if (!event->compact) {
		lost->header.misc = 0;
		lost->cpu = ring->cpu;
		lost->reserved = 0;
		lost->sample_id = event->id;
		return;
	}
	lost->header.misc = misc_with_cpu(0, ring);
	if (event->has_ids)
		*compact_id = event->id;
}

static notrace void *write_losses(const struct ktrace_event *event,
				  const struct ktrace_ring *ring,
				  const struct claim *claims, u64 time, void *to)
{
	struct lost *lost = to;
	u32 i;

	for (i = 0; i < KTRACE_CAPTURE_NR_LOST; i++) {
		if (!claims[i].lost)
			continue;
		lost->header.type = PERF_RECORD_LOST;
		lost->id = event->id;
		lost->lost = claims[i].lost;
		lost->reason = i;
		lost->first = claims[i].first;
		lost->last = claims[i].last;
		read_ids(&lost->pid, &lost->tid);
		lost->time = time;
		write_lost_end(event, ring, lost);
		lost = (void *)lost + event->lost_size;
	}
	return lost;
}

static __always_inline u64 *time_of(const struct ktrace_ring *ring, void *sample)
{
	return sample + ring->time_offset;
}

/* There is no room.  If the ring overwrites, we make some. */
static noinline notrace void *reserve_without_room(struct ktrace_event_cpu *ec, u32 size,
						   enum ktrace_lost reason)
{
	struct ktrace_ring *ring = ec->probe.ring;
	void *sample;
	u64 time;

	if (reason == KTRACE_LOST_FULL && ring->overwrites) {
		sample = ktrace_ring_reserve_overwriting(ring, size, &time, &reason);
		if (sample) {
			*time_of(ring, sample) = time;
			return sample;
		}
	}
	count_loss(ec, reason);
	return NULL;
}

/*
 * This and reserve_without_room() reserve @size bytes for a sample and set its time, or count
 * the loss and return NULL.
 */
static __always_inline void *reserve(struct ktrace_event_cpu *ec, u32 size)
{
	struct ktrace_ring *ring = ec->probe.ring;
	enum ktrace_lost reason;
	void *sample;
	u64 time;

	sample = ktrace_ring_reserve(ring, size, &time, &reason);
	if (unlikely(!sample))
		return reserve_without_room(ec, size, reason);
	*time_of(ring, sample) = time;
	return sample;
}

/* Reserves for a sample that has to report losses first. */
static noinline notrace void *reserve_after_loss(const struct ktrace_event *event,
						 struct ktrace_event_cpu *ec, u32 size)
{
	struct claim claims[KTRACE_CAPTURE_NR_LOST];
	struct ktrace_ring *ring = ec->probe.ring;
	enum ktrace_lost reason;
	void *record, *sample;
	u64 time;
	u32 nr;

	/*
	 * We may have interrupted a writer that has claimed the losses and not reported
	 * them yet.  Then our sample would be in the ring before the PERF_RECORD_LOST that
	 * reports them.
	 */
	if (READ_ONCE(ec->placing)) {
		count_loss(ec, KTRACE_LOST_NESTED);
		return NULL;
	}
	/* Where there is no room anyway, the losses need not be claimed and returned. */
	if (!ktrace_ring_has_room(ring, size + KTRACE_LOST_SIZE)) {
		count_loss(ec, KTRACE_LOST_FULL);
		return NULL;
	}

	WRITE_ONCE(ec->placing, true);
	barrier();
	nr = claim_losses(ec, claims);
	size += nr * event->lost_size;
	record = ring->overwrites ?
		 ktrace_ring_reserve_overwriting(ring, size, &time, &reason) :
		 ktrace_ring_reserve(ring, size, &time, &reason);
	if (record) {
		sample = write_losses(event, ring, claims, time, record);
		*time_of(ring, sample) = time;
		/*
		 * A loss that comes before this write is found by has_losses(); one that
		 * comes later sets the flag again.
		 */
		WRITE_ONCE(ec->has_unplaced, false);
		barrier();
		if (has_losses(ec))
			WRITE_ONCE(ec->has_unplaced, true);
	} else {
		sample = NULL;
		return_losses(ec, claims);
		count_loss(ec, reason);
	}
	barrier();
	WRITE_ONCE(ec->placing, false);
	barrier();
	while (!READ_ONCE(ec->attention)) {
		WRITE_ONCE(ec->max_plain, ec->max_without_loss);
		barrier();
		/* A loss that a nested writer has counted meanwhile has cleared it too early. */
		if (!READ_ONCE(ec->attention))
			break;
		WRITE_ONCE(ec->max_plain, 0);
		/* And another one may have reported all of them since. */
		barrier();
	}
	return sample;
}

/*
 * The size of raw[] without the trailer: padded so that, as in perf, it is a multiple of 8
 * together with the size word.
 */
static __always_inline u32 padded_size(u32 size)
{
	return ALIGN(size + sizeof(u32), sizeof(u64)) - sizeof(u32);
}

/* Reserves for a sample of @whole bytes, or counts the loss and returns NULL. */
static __always_inline void *reserve_sized(const struct ktrace_event *event,
					   struct ktrace_event_cpu *ec, u64 whole)
{
	if (unlikely(whole > ec->max_size)) {
		count_loss(ec, KTRACE_LOST_TOO_BIG);
		return NULL;
	}
	if (unlikely(READ_ONCE(ec->attention)))
		return reserve_after_loss(event, ec, whole);
	return reserve(ec, whole);
}

/*
 * Reserves for a sample whose raw[] has @padded bytes and the trailer, and which has no
 * call chain.
 */
static __always_inline void *reserve_for_raw(const struct ktrace_event *event,
					     struct ktrace_event_cpu *ec, u32 padded)
{
	return reserve_sized(event, ec, (u64)event->raw_offset + padded + event->trailer_size);
}

/* Do the samples end in the user's registers? */
static __always_inline bool has_regs(const struct ktrace_event *event)
{
	return IS_ENABLED(CONFIG_ARM64) && event->regs;
}

static noinline notrace void finish_with_extras(const struct ktrace_event *event,
						struct ktrace_ring *ring,
						struct perf_event_header *sample, u8 *raw,
						u32 padded)
{
	void *trailer = raw + padded;

	if (event->fields)
		ktrace_common_fields_store(event->fields, raw, padded, trailer);
	/* Once all other slots are filled in. */
	if (event->deltas)
		ktrace_counter_deltas_store(event->deltas, event->fields,
					    trailer + event->deltas_offset);
	if (event->fields & BIT_ULL(KTRACE_FIELD_SEQ))
		sample->misc |= KTRACE_RING_WANTS_SEQ |
				(has_regs(event) ? KTRACE_RING_HAS_REGS : 0);
	ktrace_ring_commit(ring);
	if (event->trigger)
		ktrace_ring_trigger(ring);
}

static __always_inline u16 misc_of(struct pt_regs *regs)
{
	return user_mode(regs) ? PERF_RECORD_MISC_USER : PERF_RECORD_MISC_KERNEL;
}

/* Fills in what the caller knows of a sample that a probe has begun. */
static __always_inline void describe(const struct ktrace_event *event, struct sample *sample,
				     u32 raw_size, u64 ip, u64 period)
{
	sample->header = event->header;
	sample->header.size += raw_size;
	sample->id = event->id;
	sample->ip = ip;
	sample->period = period;
	sample->raw_size = raw_size;
}

/* The same for samples of which only the caller knows whether the event fired in the kernel. */
static __always_inline void describe_with(const struct ktrace_event *event, struct sample *sample,
					  u32 raw_size, u64 ip, u64 period, u16 misc)
{
	describe(event, sample, raw_size, ip, period);
	sample->header.misc = misc;
}

/*
 * The same for a compact sample of @size bytes, with the task.  @task is the current one, and @tid
 * is task->pid.
 */
static __always_inline void describe_compact(const struct ktrace_event *event,
					     const struct ktrace_ring *ring, void *sample,
					     u32 size, u32 raw_size, u16 misc,
					     const struct task_struct *task, u32 tid)
{
	u32 *ids = sample + ring->time_offset - sizeof(u64);
	struct perf_event_header *header = sample;

	header->type = PERF_RECORD_SAMPLE;
	header->misc = misc_with_cpu(misc, ring);
	header->size = size;
	if (event->has_ids)
		*(u64 *)(header + 1) = event->id;
	read_ids_of(task, tid, ids, ids + 1);
	*(u32 *)(sample + event->raw_offset - sizeof(u32)) = raw_size;
}

/*
 * Fills in all of a sample of @size bytes but its time, its trailer and its raw data, or where
 * these begin its call chain.
 */
static __always_inline void describe_whole(const struct ktrace_event *event,
					   const struct ktrace_ring *ring, void *record, u32 size,
					   u32 raw_size, u64 ip, u64 period, u16 misc)
{
	struct sample *sample = record;

	if (unlikely(event->compact)) {
		describe_compact(event, ring, record, size, raw_size, misc, current, current->pid);
		return;
	}
	describe_with(event, sample, raw_size, ip, period, misc);
	sample->header.size = size;
	identify(sample, ring, current, current->pid);
}

/*
 * Fills in the rest of a sample without a trailer, and commits it.  @task is the current
 * one, and @tid is task->pid.  No other sample is being made on this CPU.
 */
static __always_inline void commit_plain(struct ktrace_event_cpu *ec, struct sample *sample,
					 u32 raw_size, const struct task_struct *task, u32 tid)
{
	struct ktrace_ring *ring = ec->probe.ring;

	identify(sample, ring, task, tid);
	local_inc(&ec->recorded);
	ktrace_ring_commit_sample(ring, sample->time, KTRACE_SAMPLE_RAW_OFFSET + raw_size, true,
				  NULL);
}

/* Completes and commits a sample of which raw[] is filled in but for the trailer. */
static __always_inline void finish(const struct ktrace_event *event,
				   struct ktrace_event_cpu *ec, void *sample,
				   u32 padded, u64 ip, u64 period, u16 misc)
{
	u32 raw_size = padded + event->trailer_size, size = event->raw_offset + raw_size;
	struct ktrace_ring *ring = ec->probe.ring;

	describe_whole(event, ring, sample, size, raw_size, ip, period, misc);
	local_inc(&ec->recorded);
	if (likely(!event->fields && !event->trigger))
		ktrace_ring_commit_sample(ring, *time_of(ring, sample), size, false, NULL);
	else
		finish_with_extras(event, ring, sample, sample + event->raw_offset, padded);
}

/* May a sample be stored as it is, perhaps with a trailer, on this CPU and now? */
static __always_inline bool is_plain(const struct ktrace_event_cpu *ec, u32 padded)
{
	/* Plain, to compare in place: an NMI that clears it has come after this sample. */
	return padded <= data_race(ec->max_plain);
}

/*
 * Reserves for a plain sample while no other one is being made on this CPU.  Returns false,
 * with nothing done, if that fails; the caller then asks begin().
 */
static __always_inline bool begin_plain(struct ktrace_ring *ring, u32 padded,
					struct sample **sample)
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

/* Where an event fired. */
struct place {
	u64 ip;
	u16 misc;			/* PERF_RECORD_MISC_KERNEL or _USER */
	struct pt_regs *regs;		/* registers there; NULL: not known */
};

/* Scratch memory for a call chain, which begins 4 bytes beyond a multiple of 8. */
#define CHAIN_SCRATCH	(KTRACE_CALLCHAIN_ROOM * (u32)sizeof(u64) + (u32)sizeof(u32))

/* The words of a chain of one frame. */
#define SHORTEST_CHAIN	2

/* The size of a sample with @nr words of call chain.  @raw_offset: of one without. */
static __always_inline u32 chained_size(u32 raw_offset, u32 nr, u32 raw_size)
{
	return raw_offset + sizeof(u64) + nr * sizeof(u64) + raw_size;
}

/*
 * Writes the call chain and the raw data of a sample, which is laid out like one without up to
 * raw_size, where the chain comes in between.  Returns where the raw data is.
 */
static __always_inline void *fill_in_chain(void *sample, u32 raw_offset, const u64 *ips, u32 nr,
					   u32 raw_size, const void *raw, u32 size)
{
	void *at = sample + raw_offset - sizeof(u32);

	*(u64 *)at = nr;
	at += sizeof(u64);
	copy_sample(at, ips, nr * sizeof(u64));
	at += nr * sizeof(u64);
	*(u32 *)at = raw_size;
	at += sizeof(u32);
	copy_raw(at, raw, size);
	return at;
}

/* Stores a sample with a call chain. */
static noinline notrace bool store_with_chain(const struct ktrace_event *event,
					      struct ktrace_event_cpu *ec, const void *raw,
					      u32 size, const struct place *place, u64 period)
{
	u32 padded = padded_size(size), nr, raw_size = padded + event->trailer_size;
	void *scratch, *at, *sample = NULL;
	u32 whole, regs_size = has_regs(event) ? KTRACE_RING_REGS_SIZE : 0;
	u64 *ips;

	/*
	 * Unwinding takes most of the time that such a sample takes.  Where not even a sample
	 * with the shortest chain has room, nothing is unwound.
	 */
	whole = chained_size(event->raw_offset, SHORTEST_CHAIN, raw_size) + regs_size;
	if (unlikely(!ktrace_ring_has_room(ec->probe.ring, whole) && whole <= ec->max_size)) {
		count_loss(ec, KTRACE_LOST_FULL);
		return false;
	}
	scratch = ktrace_scratch_get(CHAIN_SCRATCH);
	if (unlikely(!scratch)) {
		count_loss(ec, KTRACE_LOST_NESTED);
		return false;
	}
	ips = scratch + sizeof(u32);
	nr = ktrace_callchain_collect(ips, place->ip, place->misc == PERF_RECORD_MISC_USER,
				      place->regs, current_stack_pointer);
	whole = chained_size(event->raw_offset, nr, raw_size) + regs_size;
	sample = reserve_sized(event, ec, whole);
	if (unlikely(!sample))
		goto out_put_scratch;

	describe_whole(event, ec->probe.ring, sample, whole, raw_size, place->ip, period,
		       place->misc);
	at = fill_in_chain(sample, event->raw_offset, ips, nr, raw_size, raw, size);
	if (unlikely(padded != size))
		memset(at + size, 0, padded - size);
	if (regs_size)
		ktrace_callchain_store_regs(at + raw_size);
	local_inc(&ec->recorded);
	finish_with_extras(event, ec->probe.ring, sample, at, padded);
out_put_scratch:
	ktrace_scratch_put(CHAIN_SCRATCH);
	return sample;
}

static __always_inline bool store_wanted(const struct ktrace_event *event,
					 struct ktrace_event_cpu *ec, const void *raw, u32 size,
					 u64 ip, u64 period, u16 misc)
{
	u32 padded = padded_size(size);
	void *sample;

	sample = reserve_for_raw(event, ec, padded);
	if (unlikely(!sample))
		return false;
	copy_raw(sample + event->raw_offset, raw, size);
	if (unlikely(padded != size))
		memset(sample + event->raw_offset + size, 0, padded - size);
	finish(event, ec, sample, padded, ip, period, misc);
	return true;
}

/*
 * Counts a sample of an event that is counted.  Stores one of an event that has call chains, or
 * is sampled, if the sampling wants it.
 */
static noinline notrace void store_sampled_or_chained(const struct ktrace_event *event,
						      struct ktrace_event_cpu *ec,
						      const void *raw, u32 size,
						      const struct place *place, u64 period)
{
	u64 own_period = period;
	bool stored;

	if (event->counting) {
		count_sample(event, ec, raw, size);
		return;
	}
	if (event->sampled)
		period += ktrace_sampling_take_weight(&ec->sampling);
	if (event->callchain)
		stored = store_with_chain(event, ec, raw, size, place, period);
	else
		stored = store_wanted(event, ec, raw, size, place->ip, period, place->misc);
	if (!stored)
		ktrace_sampling_return(&ec->sampling, period - own_period);
}

static __always_inline void store(const struct ktrace_event *event,
				  struct ktrace_event_cpu *ec, const void *raw, u32 size,
				  const struct place *place, u64 period)
{
	if (unlikely(size > MAX_SAMPLE_SIZE))
		count_loss(ec, KTRACE_LOST_TOO_BIG);
	else if (unlikely(event->sampled_or_chained))
		store_sampled_or_chained(event, ec, raw, size, place, period);
	else
		store_wanted(event, ec, raw, size, place->ip, period, place->misc);
}

static noinline notrace void store_slow(const struct ktrace_event *event,
					struct ktrace_event_cpu *ec, const void *raw,
					u32 size, u64 period, struct pt_regs *regs)
{
	const struct place place = {
		.ip = instruction_pointer(regs),
		.misc = misc_of(regs),
		.regs = regs,
	};

	store(event, ec, raw, size, &place, period);
}

/* Does sampling leave this sample out?  If so, counts it as filtered. */
static __always_inline bool is_left_out(const struct ktrace_event *event,
					struct ktrace_event_cpu *ec, u64 period)
{
	if (event->counting || ktrace_sampling_wants(&event->sampling, &ec->sampling, period))
		return false;
	local_inc(&ec->probe.filtered);
	return true;
}

notrace void ktrace_capture_record(struct ktrace_event *event, const void *raw, u32 size,
				   u64 period, struct pt_regs *regs)
{
	const struct ktrace_probe_scope *scope = event->probe.scope;
	u32 padded = padded_size(size);
	struct ktrace_event_cpu *ec;
	struct sample *sample;
	bool alone;

	preempt_disable_notrace();
	ec = event_on_this_cpu(event);
	if (unlikely(!READ_ONCE(scope->running) || !ec->probe.ring))
		goto out_enable;
	if (!ktrace_scope_covers(scope)) {
		local_inc(&ec->probe.out_of_scope);
		goto out_enable;
	}
	alone = ktrace_guard_enter_alone();
	if (unlikely(!alone && !ktrace_guard_enter())) {
		count_loss(ec, KTRACE_LOST_RECURSION);
		goto out_enable;
	}

	if (event->filter && !ktrace_filter_run(event->filter, raw, size)) {
		local_inc(&ec->probe.filtered);
	} else if (unlikely(event->sampled && is_left_out(event, ec, period))) {
		;
	} else if (likely(alone && size < MAX_SAMPLE_SIZE && !event->never_plain &&
			  is_plain(ec, padded) &&
			  begin_plain(ec->probe.ring, padded, &sample))) {
		copy_raw(sample->raw, raw, size);
		if (unlikely(padded != size))
			memset(sample->raw + size, 0, padded - size);
		describe_with(event, sample, padded, instruction_pointer(regs), period,
			      misc_of(regs));
		commit_plain(ec, sample, padded, current, current->pid);
	} else {
		store_slow(event, ec, raw, size, period, regs);
	}
	ktrace_guard_leave();

out_enable:
	preempt_enable_notrace();
}

notrace void ktrace_capture_miss(const struct ktrace_event *event)
{
	const struct ktrace_probe_scope *scope = event->probe.scope;
	struct ktrace_event_cpu *ec;

	preempt_disable_notrace();
	ec = event_on_this_cpu(event);
	if (!READ_ONCE(scope->running) || !ec->probe.ring)
		goto out_enable;
	if (ktrace_scope_covers(scope))
		count_loss(ec, KTRACE_LOST_NESTED);
	else
		local_inc(&ec->probe.out_of_scope);
out_enable:
	preempt_enable_notrace();
}

notrace bool ktrace_capture_covers(const struct ktrace_probe_event *event)
{
	return ktrace_scope_covers(event->scope);
}

notrace void ktrace_capture_lose(const struct ktrace_probe_event *probe, u32 padded)
{
	struct ktrace_event_cpu *ec = event_on_this_cpu(event_of(probe));

	if (ec->probe.ring)
		count_loss(ec, padded > KTRACE_FILTER_MAX_RECORD ? KTRACE_LOST_TOO_BIG :
								   KTRACE_LOST_NESTED);
}

notrace void ktrace_capture_reject(const struct ktrace_probe_event *event, u32 padded)
{
	local_inc(&this_cpu_ptr(event->cpu)->filtered);
	ktrace_scratch_put(padded);
	ktrace_guard_leave();
	preempt_enable_notrace();
}

/* Is a sample wanted, as far as this is known before its fields are assigned? */
static __always_inline bool is_wanted_early(const struct ktrace_event *event,
					    struct ktrace_event_cpu *ec, u64 period)
{
	if (event->filtered_early && !ktrace_filter_run_early(event->filter)) {
		local_inc(&ec->probe.filtered);
		return false;
	}
	return !event->sampled_early || !is_left_out(event, ec, period);
}

/*
 * Returns where the raw data of a sample is to be assigned that the guard has admitted and that
 * is wanted, or leaves the guard and returns NULL.
 */
static __always_inline void *begin_wanted(const struct ktrace_event *event,
					  struct ktrace_event_cpu *ec, u32 padded)
{
	void *sample, *entry;

	if (event->decided_late) {
		entry = ktrace_scratch_get(padded);
		if (likely(entry))
			return entry;
		ktrace_capture_lose(&event->probe, padded);
	} else {
		sample = reserve_for_raw(event, ec, padded);
		if (likely(sample))
			return sample + event->raw_offset;
	}
	ktrace_guard_leave();
	return NULL;
}

notrace void *ktrace_capture_begin(struct ktrace_probe_event *probe, u32 padded, u64 period)
{
	const struct ktrace_event *event = event_of(probe);
	struct ktrace_event_cpu *ec;
	void *entry;

	preempt_disable_notrace();
	ec = event_on_this_cpu(event);
	if (!READ_ONCE(probe->scope->running) || !ec->probe.ring)
		goto err_enable;
	if (!ktrace_scope_covers(probe->scope)) {
		local_inc(&ec->probe.out_of_scope);
		goto err_enable;
	}
	if (unlikely(!ktrace_guard_enter())) {
		count_loss(ec, KTRACE_LOST_RECURSION);
		goto err_enable;
	}
	if (unlikely(!is_wanted_early(event, ec, period))) {
		ktrace_guard_leave();
		goto err_enable;
	}
	entry = begin_wanted(event, ec, padded);
	if (likely(entry))
		return entry;
err_enable:
	preempt_enable_notrace();
	return NULL;
}

/* Begins the only sample of this CPU, which is wanted. */
static noinline notrace void *begin_direct(const struct ktrace_event *event,
					   struct ktrace_event_cpu *ec, u32 padded)
{
	struct ktrace_ring *ring = ec->probe.ring;
	void *sample, *entry;
	u64 time;

	/* This succeeds: contexts that interrupted us have left the guard as it was. */
	ktrace_guard_enter_alone();
	if (padded <= ec->max_direct && !READ_ONCE(ec->attention) &&
	    ktrace_ring_try_reserve(ring, event->raw_offset + padded + event->trailer_size,
				    &sample, &time)) {
		*time_of(ring, sample) = time;
		return sample + event->raw_offset;
	}
	entry = begin_wanted(event, ec, padded);
	if (unlikely(!entry))
		preempt_enable_notrace();
	return entry;
}

/*
 * ktrace_capture_begin_plain() where a sample is not plain.  What is decided early needs no
 * guard, because it fires no events.
 */
static noinline notrace void *begin_other(const struct ktrace_event *event, u32 padded,
					  u64 period, struct ktrace_event_cpu *ec)
{
	const struct ktrace_probe_scope *scope = event->probe.scope;
	void *ret = NULL;

	if (!READ_ONCE(scope->running) || !ec->probe.ring)
		goto out_enable;
	if (!ktrace_scope_has_task(scope))
		goto out_of_scope;
	if (unlikely(current->signal == scope->self || __this_cpu_read(ktrace_guard))) {
		ret = KTRACE_CAPTURE_UNUSUAL;
		goto out_enable;
	}
	if (scope->conditions && !ktrace_scope_meets(scope->conditions))
		goto out_of_scope;
	if (is_wanted_early(event, ec, period))
		return begin_direct(event, ec, padded);
	goto out_enable;

out_of_scope:
	local_inc(&ec->probe.out_of_scope);
out_enable:
	preempt_enable_notrace();
	return ret;
}

/* Ends what is left out before its fields are assigned. */
static __always_inline void *leave_out(struct ktrace_event_cpu *ec)
{
	local_inc(&ec->probe.filtered);
	preempt_enable_notrace();
	return NULL;
}

/* begin_sampled() where the sampling may want the sample. */
static noinline notrace void *begin_turn(const struct ktrace_event *event, u32 padded,
					 u64 period, struct ktrace_event_cpu *ec)
{
	if (ktrace_sampling_takes_turn(&event->sampling, &ec->sampling, period))
		return begin_direct(event, ec, padded);
	return leave_out(ec);
}

/* Begins a sample that is sampled_quick, while no other one is being made on this CPU. */
static noinline notrace void *begin_sampled(const struct ktrace_event *event, u32 padded,
					    u64 period, struct ktrace_event_cpu *ec)
{
	if (unlikely(!ktrace_sampling_passes_over(&event->sampling, &ec->sampling, period)))
		return begin_turn(event, padded, period, ec);
	return leave_out(ec);
}

/* Begins a sample that is filtered_quick, while no other one is being made on this CPU. */
static noinline notrace void *begin_filtered(const struct ktrace_event *event, u32 padded,
					     struct ktrace_event_cpu *ec)
{
	if (ktrace_filter_run_early(event->filter))
		return begin_direct(event, ec, padded);
	return leave_out(ec);
}

/* Begins a sample that is chained_quick, while no other one is being made on this CPU. */
static __always_inline void *begin_with_chain(u32 padded)
{
	ktrace_guard_enter_alone();
	return ktrace_scratch_get_alone(padded);
}

/*
 * Begins a sample that is quick, while no other one is being made on this CPU.  All calls are the
 * last thing that the caller does, too, so that it needs no frame.
 */
static __always_inline void *begin_quick(const struct ktrace_event *event, u32 padded, u64 period,
					 struct ktrace_event_cpu *ec)
{
	if (event->sampled_quick)
		return begin_sampled(event, padded, period, ec);
	if (event->filtered_quick)
		return begin_filtered(event, padded, ec);
	if (event->compact_quick)
		return begin_direct(event, ec, padded);
	if (likely(ktrace_scratch_fits_alone(padded)))
		return begin_with_chain(padded);
	return begin_other(event, padded, period, ec);
}

notrace void *ktrace_capture_begin_plain(struct ktrace_probe_event *probe, u32 padded, u64 period)
{
	const struct ktrace_event *event = event_of(probe);
	const struct ktrace_probe_scope *scope = probe->scope;
	struct ktrace_event_cpu *ec;
	struct sample *sample;
	void *ret = NULL;

	preempt_disable_notrace();
	ec = event_on_this_cpu(event);
	if (unlikely(!ktrace_scope_is_plain(scope)))
		return begin_other(event, padded, period, ec);
	if (!ktrace_scope_has_task(scope)) {
		if (ec->probe.ring)
			local_inc(&ec->probe.out_of_scope);
		goto out_enable;
	}
	/* Where the CPU is not in the session, no sample is plain. */
	if (unlikely(!is_plain(ec, padded) || !ktrace_guard_enter_alone())) {
		if (event->quick && ec->probe.ring && !__this_cpu_read(ktrace_guard))
			return begin_quick(event, padded, period, ec);
		return begin_other(event, padded, period, ec);
	}
	if (likely(begin_plain(ec->probe.ring, padded + event->trailer_size, &sample)))
		return sample->raw;
	ktrace_guard_leave_alone();
	ret = KTRACE_CAPTURE_UNUSUAL;

out_enable:
	preempt_enable_notrace();
	return ret;
}

/* What perf would count, had it been called in our place. */
static __always_inline u32 count_before(void)
{
	return preempt_count() - KTRACE_COMPAT_UNCOUNTED;
}

static noinline notrace void end_slow(const struct ktrace_event *event, void *entry, u32 padded,
				      u64 ip, u64 period)
{
	const struct place place = { .ip = ip, .misc = event->header.misc };
	struct ktrace_event_cpu *ec = event_on_this_cpu(event);

	ktrace_entry_fill(entry, event->type, count_before());
	if (!event->decided_late) {
		if (event->sampled)
			period += ktrace_sampling_take_weight(&ec->sampling);
		finish(event, ec, entry - event->raw_offset, padded, ip, period,
		       event->header.misc);
	} else {
		if (event->filtered_late && !ktrace_filter_run(event->filter, entry, padded))
			local_inc(&ec->probe.filtered);
		else if (!event->sampled_late || !is_left_out(event, ec, period))
			store(event, ec, entry, padded, &place, period);
		ktrace_scratch_put(padded);
	}
	ktrace_guard_leave();
	preempt_enable_notrace();
}

/*
 * Ends the only sample of this CPU, which is plain but for its trailer.  @count is the usual
 * preempt_count().
 */
static __always_inline void end_with_trailer(const struct ktrace_event *event, void *entry,
					     u32 padded, u64 ip, u64 period, u32 count)
{
	struct sample *sample = container_of(entry, struct sample, raw[0]);
	struct ktrace_event_cpu *ec = event_on_this_cpu(event);
	struct ktrace_ring *ring = ec->probe.ring;
	struct perf_event_header *numbered = NULL;
	u32 tid = current->pid;

	describe(event, sample, padded + event->trailer_size, ip, period);
	ktrace_entry_fill_usual(entry, event->type, count, tid);
	identify(sample, ring, current, tid);
	ktrace_common_fields_store(event->fields, entry, padded, entry + padded);
	local_inc(&ec->recorded);
	if (event->fields & BIT_ULL(KTRACE_FIELD_SEQ)) {
		numbered = &sample->header;
		numbered->misc |= KTRACE_RING_WANTS_SEQ;
	}
	ktrace_ring_commit_sample(ring, sample->time, sample->header.size, true, numbered);
	ktrace_guard_leave_alone();
	preempt_enable_notrace();
}

/*
 * Ends the only sample of this CPU, which is plain but for its call chain.  The preempt_count() is
 * a usual one.
 */
static noinline notrace void end_with_chain(const struct ktrace_event *event, void *entry,
					    u32 padded, u64 ip, u64 period)
{
	struct ktrace_event_cpu *ec = event_on_this_cpu(event);
	struct ktrace_ring *ring = ec->probe.ring;
	const struct task_struct *task;
	struct sample *sample;
	void *scratch, *record;
	u32 nr, whole, tid;
	u64 *ips, head, time;

	/* See store_with_chain(). */
	whole = chained_size(KTRACE_SAMPLE_RAW_OFFSET, SHORTEST_CHAIN, padded);
	head = local_read(&ring->head);
	if (unlikely(!ktrace_ring_finds_room(ring, head, head + whole)))
		goto slow;
	scratch = ktrace_scratch_get(CHAIN_SCRATCH);
	if (unlikely(!scratch))
		goto slow;
	ips = scratch + sizeof(u32);
	nr = ktrace_callchain_collect(ips, ip, event->header.misc == PERF_RECORD_MISC_USER, NULL,
				      current_stack_pointer);
	whole = chained_size(KTRACE_SAMPLE_RAW_OFFSET, nr, padded);
	if (unlikely(READ_ONCE(ec->attention) || whole > ec->max_size ||
		     !ktrace_ring_try_reserve(ring, whole, &record, &time))) {
		ktrace_scratch_put(CHAIN_SCRATCH);
		goto slow;
	}
	sample = record;
	sample->time = time;
	describe(event, sample, padded, ip, period);
	sample->header.size = whole;
	task = current;
	tid = task->pid;
	ktrace_entry_fill_usual(entry, event->type, count_before(), tid);
	identify(sample, ring, task, tid);
	fill_in_chain(sample, KTRACE_SAMPLE_RAW_OFFSET, ips, nr, padded, entry, padded);
	local_inc(&ec->recorded);
	ktrace_ring_commit_sample(ring, time, whole, true, NULL);
	ktrace_scratch_put_alone();
	ktrace_guard_leave_alone();
	preempt_enable_notrace();
	return;

slow:
	end_slow(event, entry, padded, ip, period);
}

/* The caller makes the only sample of this CPU. */
static __always_inline void end_counted(const struct ktrace_event *event, const void *entry,
					u32 padded)
{
	count_sample(event, event_on_this_cpu(event), entry, padded);
	ktrace_scratch_put_alone();
	ktrace_guard_leave_alone();
	preempt_enable_notrace();
}

static noinline notrace void end_other(const struct ktrace_event *event, void *entry, u32 padded,
				       u64 ip, u64 period)
{
	u32 count = count_before();

	if (unlikely(!ktrace_guard_is_alone(ktrace_guard_count())))
		end_slow(event, entry, padded, ip, period);
	else if (likely(event->trailer_quick && ktrace_entry_is_usual(count)))
		end_with_trailer(event, entry, padded, ip, period, count);
	else if (event->chained_quick && ktrace_entry_is_usual(count))
		end_with_chain(event, entry, padded, ip, period);
	else if (event->counted_quick)
		end_counted(event, entry, padded);
	else
		end_slow(event, entry, padded, ip, period);
}

/* Ends a sample that is compact_quick, if no other one is being made on this CPU. */
static noinline notrace void end_compact(const struct ktrace_event *event, void *entry, u32 padded,
					 u64 ip, u64 period)
{
	u32 tid = current->pid, size = event->raw_offset + padded, count = count_before();
	struct ktrace_event_cpu *ec = event_on_this_cpu(event);
	struct ktrace_ring *ring = ec->probe.ring;
	void *sample = entry - event->raw_offset;

	if (unlikely(!ktrace_guard_is_alone(ktrace_guard_count()) ||
		     !ktrace_entry_is_usual(count))) {
		end_slow(event, entry, padded, ip, period);
		return;
	}
	describe_compact(event, ring, sample, size, padded, event->header.misc, current, tid);
	ktrace_entry_fill_usual(entry, event->type, count, tid);
	local_inc(&ec->recorded);
	ktrace_ring_commit_sample(ring, *time_of(ring, sample), size, true, NULL);
	ktrace_guard_leave_alone();
	preempt_enable_notrace();
}

/* Ends a sample that is never plain, or not now. */
static __always_inline void end_unusual(const struct ktrace_event *event, void *entry, u32 padded,
					u64 ip, u64 period)
{
	if (event->compact_quick)
		end_compact(event, entry, padded, ip, period);
	else
		end_other(event, entry, padded, ip, period);
}

notrace void ktrace_capture_end(struct ktrace_probe_event *probe, void *entry, u32 padded,
				unsigned long ip, u64 period)
{
	const struct ktrace_event *event = event_of(probe);
	struct sample *sample = container_of(entry, struct sample, raw[0]);
	/*
	 * If any other sample is being made on this CPU, the guard's word has bits that are set
	 * in an unusual count only: so a usual one belongs to this sample, which is alone.
	 */
	u32 count = __this_cpu_read(ktrace_guard) - event->uncounted;
	const struct task_struct *task;
	u32 tid;

	if (unlikely(!ktrace_entry_is_usual(count))) {
		end_unusual(event, entry, padded, ip, period);
		return;
	}
	describe(event, sample, padded, ip, period);
	task = current;
	tid = task->pid;
	ktrace_entry_fill_usual(entry, event->type, count, tid);
	commit_plain(event_on_this_cpu(event), sample, padded, task, tid);
	ktrace_guard_leave_alone();
	preempt_enable_notrace();
}

/*
 * Stores a copy of a plain sample for the same event in another session.  The caller has made it,
 * on this CPU alone, and has not left the guard.  Returns false, with nothing done, where the
 * other session has to be asked by itself.
 */
static __always_inline bool store_copy(const struct ktrace_event *event, int clockid,
				       const struct sample *from, u32 padded)
{
	const struct ktrace_probe_scope *scope = event->probe.scope;
	struct ktrace_event_cpu *ec = event_on_this_cpu(event);
	u32 size = KTRACE_SAMPLE_RAW_OFFSET + padded;
	struct sample *sample;
	void *record;

	if (unlikely(!ktrace_scope_is_plain(scope) || !ktrace_scope_has_task(scope) ||
		     !is_plain(ec, padded) || event->fields || ec->probe.ring->clockid != clockid))
		return false;
	if (unlikely(!ktrace_ring_try_reserve_at(ec->probe.ring, size, from->time, &record)))
		return false;
	sample = record;
	copy_sample(sample, from, size);
	sample->id = event->id;
	local_inc(&ec->recorded);
	ktrace_ring_commit_sample(ec->probe.ring, from->time, size, true, NULL);
	return true;
}

notrace struct ktrace_probe_event *
ktrace_capture_end_shared(struct ktrace_probe_event *probe, void *entry, u32 padded,
			  unsigned long ip, u64 period)
{
	const struct ktrace_event *event = event_of(probe);
	struct sample *sample = container_of(entry, struct sample, raw[0]);
	u32 count = __this_cpu_read(ktrace_guard) - event->uncounted;
	struct ktrace_probe_event *next = READ_ONCE(probe->next);
	const struct task_struct *task;
	struct ktrace_event_cpu *ec;
	u32 tid;

	if (unlikely(!ktrace_entry_is_usual(count))) {
		end_unusual(event, entry, padded, ip, period);
		return next;
	}
	describe(event, sample, padded, ip, period);
	task = current;
	tid = task->pid;
	ktrace_entry_fill_usual(entry, event->type, count, tid);
	ec = event_on_this_cpu(event);
	identify(sample, ec->probe.ring, task, tid);
	/* Before the commit: nobody writes over the sample until then. */
	while (next && store_copy(event_of(next), ec->probe.ring->clockid, sample, padded))
		next = READ_ONCE(next->next);
	local_inc(&ec->recorded);
	ktrace_ring_commit_sample(ec->probe.ring, sample->time, KTRACE_SAMPLE_RAW_OFFSET + padded,
				  true, NULL);
	ktrace_guard_leave_alone();
	preempt_enable_notrace();
	return next;
}

notrace void ktrace_capture_end_wanted(struct ktrace_probe_event *probe, void *entry, u32 padded,
				       unsigned long ip, u64 period)
{
	const struct ktrace_event *event = event_of(probe);
	const struct place place = { .ip = ip, .misc = event->header.misc };
	struct ktrace_event_cpu *ec = event_on_this_cpu(event);

	ktrace_entry_fill(entry, event->type, count_before());
	/* Probes with a filter of their own do not look whether the CPU is in the session. */
	if (likely(ec->probe.ring) && (!event->sampled_late || !is_left_out(event, ec, period)))
		store(event, ec, entry, padded, &place, period);
	ktrace_scratch_put(padded);
	ktrace_guard_leave();
	preempt_enable_notrace();
}

static void set_max_plain(struct ktrace_event *event, unsigned int cpu)
{
	struct ktrace_event_cpu *ec = event_on_cpu(event, cpu);

	ec->max_plain = 0;
	ec->max_without_loss = 0;
	ec->max_direct = 0;
	if (!ec->probe.ring || event->decided_late)
		return;
	ec->max_direct = ec->max_size - event->raw_offset - event->trailer_size;
	if ((!event->never_plain || event->trailer_quick) && !event->filtered_early)
		ec->max_without_loss = ec->max_direct;
	if (!ec->attention)
		ec->max_plain = ec->max_without_loss;
}

void ktrace_capture_bind(struct ktrace_event *event, unsigned int cpu, struct ktrace_ring *ring)
{
	struct ktrace_event_cpu *ec = event_on_cpu(event, cpu);

	ec->probe.ring = ring;
	event->header.type = PERF_RECORD_SAMPLE;
	event->header.size = KTRACE_SAMPLE_RAW_OFFSET;
	event->raw_offset = ktrace_sample_raw_offset(event->sample_type);
	event->lost_size = ktrace_lost_size(event->sample_type);
	event->has_ids = event->sample_type & PERF_SAMPLE_IDENTIFIER;
	event->compact = !(event->sample_type & PERF_SAMPLE_CPU);
	/*
	 * The ring has to have room for the losses that may be reported before the sample,
	 * too.
	 */
	ec->max_size = min_t(u64, MAX_SAMPLE_SIZE,
			     ring->size - KTRACE_CAPTURE_NR_LOST * KTRACE_LOST_SIZE);
	set_max_plain(event, cpu);
}

static void set_kind(struct ktrace_event *event)
{
	bool counted = event->counting;
	unsigned int cpu;

	event->filtered_late = event->filter && ktrace_filter_takes_record(event->filter);
	event->filtered_early = event->filter && !event->filtered_late;
	event->sampled_early = event->sampled && !event->filtered_late && !counted;
	event->sampled_late = event->sampled && event->filtered_late && !counted;
	event->sampled_or_chained = event->sampled || event->callchain || counted;
	event->decided_late = event->filtered_late || event->callchain || counted;
	event->trailer_quick = event->fields && !event->deltas && !event->decided_late &&
			       !event->sampled && !event->trigger && !event->compact;
	event->compact_quick = event->compact && !event->filter && !event->fields &&
			       !event->sampled && !event->trigger && !event->callchain && !counted;
	event->sampled_quick = event->sampled_early && !event->filtered_early;
	event->filtered_quick = event->filtered_early && !event->sampled_early;
	event->chained_quick = event->callchain && !event->filter && !event->fields &&
			       !event->sampled && !event->trigger && !event->compact && !counted &&
			       !has_regs(event);
	event->quick = event->sampled_quick || event->filtered_quick || event->chained_quick ||
		       event->compact_quick;
	event->never_plain = event->decided_late || event->sampled || event->fields ||
			     event->trigger || event->compact;
	event->counted_quick = counted && !event->filtered_late && !event->counting->takes_common;
	event->uncounted = KTRACE_COMPAT_UNCOUNTED + KTRACE_GUARD_EXTRA +
			   (event->never_plain ? BIT(31) : 0);
	for_each_possible_cpu(cpu)
		set_max_plain(event, cpu);
}

void ktrace_capture_choose(struct ktrace_event *event, struct ktrace_filter *filter, u64 fields)
{
	event->filter = filter;
	event->fields = fields;
	event->trailer_size = ktrace_common_fields_size(fields);
	event->deltas_offset =
		ktrace_common_fields_size(fields & (BIT_ULL(KTRACE_FIELD_CYCLES) - 1) &
					  ~BIT_ULL(KTRACE_FIELD_SEQ));
	set_kind(event);
	/*
	 * Probes run the filter before the common part of the entry is filled in, so they
	 * cannot run one that looks at it.
	 */
	event->probe.run = NULL;
	if (event->filtered_late && filter->prog && filter->prog_is_bare &&
	    !filter->prog_takes_common)
		event->probe.run = filter->prog->bpf_func;
}

void ktrace_capture_limit(struct ktrace_event *event, u32 size)
{
	if (event->probe.run && event->filter->prog_min_size > size)
		event->probe.run = NULL;
}

void ktrace_capture_count(struct ktrace_event *event, struct ktrace_counting *counting)
{
	event->counting = counting;
	set_kind(event);
}

void ktrace_capture_sample(struct ktrace_event *event, const struct ktrace_sampling *sampling)
{
	unsigned int cpu;

	event->sampling = *sampling;
	event->sampled = sampling->every > 1 || sampling->interval_ns;
	set_kind(event);
	for_each_possible_cpu(cpu)
		ktrace_sampling_init(sampling, &event_on_cpu(event, cpu)->sampling);
}

void ktrace_capture_keep_counts(struct ktrace_event *event, unsigned int cpu)
{
	struct ktrace_event_cpu *ec = event_on_cpu(event, cpu);
	u32 i;

	ec->snapshot.recorded = local_read(&ec->recorded);
	ec->snapshot.filtered = local_read(&ec->probe.filtered);
	ec->snapshot.out_of_scope = local_read(&ec->probe.out_of_scope);
	for (i = 0; i < KTRACE_CAPTURE_NR_LOST; i++)
		ec->snapshot.lost[i] = local_read(&ec->loss[i].lost);
}

void ktrace_capture_read_kept(const struct ktrace_event *event, unsigned int cpu,
			      struct ktrace_stats *stats)
{
	const struct ktrace_capture_counts *counts = &event_on_cpu(event, cpu)->snapshot;
	u32 i;

	stats->recorded = counts->recorded;
	stats->filtered = counts->filtered;
	stats->out_of_scope = counts->out_of_scope;
	for (i = 0; i < KTRACE_CAPTURE_NR_LOST; i++)
		stats->lost[i] = counts->lost[i];
}

void ktrace_capture_read_stats(const struct ktrace_event *event, unsigned int cpu,
			       struct ktrace_stats *stats)
{
	const struct ktrace_event_cpu *ec = event_on_cpu(event, cpu);
	const struct ktrace_capture_loss *loss;
	u64 first, last;
	u32 i;

	stats->recorded = local_read(&ec->recorded);
	stats->filtered = local_read(&ec->probe.filtered);
	stats->out_of_scope = local_read(&ec->probe.out_of_scope);
	for (i = 0; i < KTRACE_CAPTURE_NR_LOST; i++) {
		loss = &ec->loss[i];
		stats->lost[i] = local_read(&loss->lost);
		stats->unplaced[i] = local_read(&loss->unplaced);
		if (!stats->unplaced[i])
			continue;
		first = READ_ONCE(loss->first);
		last = READ_ONCE(loss->last);
		order_times(&first, &last);
		if (!stats->first_lost || first < stats->first_lost)
			stats->first_lost = first;
		stats->last_lost = max(stats->last_lost, last);
	}
	if (event->counting)
		ktrace_counting_add_lost(event->counting, cpu, stats->lost);
}

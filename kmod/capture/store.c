// SPDX-License-Identifier: GPL-2.0
#include "capture/store.h"

#include <linux/perf_event.h>
#include <linux/preempt.h>
#include <linux/string.h>
#include <linux/trace_events.h>

#include "capture/entry.h"
#include "chain/callchain.h"
#include "fields/common_fields.h"
#include "fields/counter_deltas.h"
#include "filter/sampling.h"
#include "probes/ktrace/probe.h"

noinline notrace void ktrace_store_finish_with_extras(const struct ktrace_event *event,
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
				(ktrace_event_has_regs(event) ? KTRACE_RING_HAS_REGS : 0);
	ktrace_ring_commit(ring);
	if (event->trigger)
		ktrace_ring_trigger(ring);
}

/* Stores a sample with a call chain. */
static noinline notrace bool store_with_chain(const struct ktrace_event *event,
					      struct ktrace_event_cpu *ec, const void *raw,
					      u32 size, const struct ktrace_store_place *place,
					      u64 period)
{
	u32 padded = ktrace_layout_padded_size(size), nr, raw_size = padded + event->trailer_size;
	void *scratch, *at, *sample = NULL;
	u32 whole, regs_size = ktrace_event_has_regs(event) ? KTRACE_RING_REGS_SIZE : 0;
	u64 *ips;

	/*
	 * Unwinding takes most of the time of such a sample.  Where not even a sample with the
	 * shortest chain has room, nothing is unwound.
	 */
	whole = ktrace_layout_chained_size(event->raw_offset, KTRACE_LAYOUT_SHORTEST_CHAIN,
					   raw_size + regs_size);
	if (unlikely(!ktrace_ring_has_room(ec->probe.ring, whole) && whole <= ec->max_size)) {
		ktrace_ledger_lose(ec, KTRACE_LOST_FULL);
		return false;
	}
	scratch = ktrace_scratch_get(KTRACE_LAYOUT_CHAIN_SCRATCH);
	if (unlikely(!scratch)) {
		ktrace_ledger_lose(ec, KTRACE_LOST_NESTED);
		return false;
	}
	ips = scratch + sizeof(u32);
	nr = ktrace_callchain_collect(ips, place->ip, place->misc == PERF_RECORD_MISC_USER,
				      place->regs, current_stack_pointer);
	whole = ktrace_layout_chained_size(event->raw_offset, nr, raw_size) + regs_size;
	sample = ktrace_reserve_sized(event, ec, whole);
	if (unlikely(!sample))
		goto out_put_scratch;

	ktrace_layout_describe_whole(event, ec->probe.ring, sample, whole, raw_size, place->ip,
				     period, place->misc);
	at = ktrace_layout_fill_in_chain(sample, event->raw_offset, ips, nr, raw_size, raw, size);
	if (unlikely(padded != size))
		memset(at + size, 0, padded - size);
	if (regs_size)
		ktrace_callchain_store_regs(at + raw_size);
	local_inc(&ec->recorded);
	ktrace_store_finish_with_extras(event, ec->probe.ring, sample, at, padded);
out_put_scratch:
	ktrace_scratch_put(KTRACE_LAYOUT_CHAIN_SCRATCH);
	return sample;
}

/* Stores a sample, and judges it by its time.  If it was not stored, by the present time. */
static noinline notrace void store_and_judge(const struct ktrace_event *event,
					     struct ktrace_event_cpu *ec, const void *raw, u32 size,
					     const struct ktrace_store_place *place, u64 period)
{
	u32 padded = ktrace_layout_padded_size(size);
	struct ktrace_ring *ring = ec->probe.ring;
	void *sample = ktrace_reserve_for_raw(event, ec, padded);
	u64 time;

	if (likely(sample)) {
		time = *ktrace_layout_time_of(ring, sample);
		ktrace_copy_raw(sample + event->raw_offset, raw, size);
		if (unlikely(padded != size))
			memset(sample + event->raw_offset + size, 0, padded - size);
		ktrace_store_finish(event, ec, sample, padded, place->ip, period, place->misc);
	} else {
		time = ktrace_clock_read(ring->clockid);
	}
	ktrace_judge_take(event->taps, raw, size, time);
}

static __always_inline u32 count_chains(struct ktrace_counting *counting, const void *raw,
					u32 size, const struct ktrace_store_place *place,
					unsigned long sp)
{
	/* On the stack it would be zeroed, and move frames so that known chains are not found. */
	const u32 room = sizeof(struct ktrace_counting_given) + KTRACE_LAYOUT_CHAIN_SCRATCH;
	struct ktrace_counting_given *given;
	u32 ret = KTRACE_LOST_NO_SLOT, nr = 0;
	void *scratch;
	u64 *ips;

	scratch = ktrace_scratch_get(room);
	if (unlikely(!scratch))
		return KTRACE_LOST_NESTED;
	given = scratch + sizeof(u32);
	ips = (u64 *)(given + 1);
	if (counting->takes_chain[false]) {
		if (place->misc != PERF_RECORD_MISC_USER)
			nr = ktrace_callchain_collect_kernel(ips, place->ip, place->regs, sp);
		if (unlikely(!ktrace_counting_put_chain(counting, ips, nr, false, given)))
			goto out_put_scratch;
	}
	if (counting->takes_chain[true]) {
		nr = ktrace_callchain_collect_user(ips);
		if (unlikely(!ktrace_counting_put_chain(counting, ips, nr, true, given)))
			goto out_put_scratch;
	}
	ret = ktrace_counting_take_given(counting, raw, size, given);
out_put_scratch:
	ktrace_scratch_put(room);
	return ret;
}

noinline notrace void ktrace_store_count_chains(const struct ktrace_event *event,
						struct ktrace_event_cpu *ec, const void *raw,
						u32 size, const struct ktrace_store_place *place)
{
	ktrace_store_counted(ec, count_chains(event->counting, raw, size, place,
					      current_stack_pointer));
}

noinline notrace void ktrace_store_otherwise(const struct ktrace_event *event,
					     struct ktrace_event_cpu *ec, const void *raw, u32 size,
					     const struct ktrace_store_place *place, u64 period)
{
	u64 own_period = period;
	bool stored;

	if (event->way.goal == KTRACE_GOAL_COUNT) {
		if (event->counting->takes_chains)
			ktrace_store_count_chains(event, ec, raw, size, place);
		else
			ktrace_store_count(event, ec, raw, size);
		return;
	}
	if (event->way.goal == KTRACE_GOAL_JUDGE) {
		if (event->judged_only)
			ktrace_store_judge_only(event, ec, raw, size);
		else
			store_and_judge(event, ec, raw, size, place, period);
		return;
	}
	if (event->sampled)
		period += ktrace_sampling_take_weight(&ec->sampling);
	if (event->way.goal == KTRACE_GOAL_STORE_CHAIN)
		stored = store_with_chain(event, ec, raw, size, place, period);
	else
		stored = ktrace_store_wanted(event, ec, raw, size, place->ip, period, place->misc);
	if (!stored)
		ktrace_sampling_return(&ec->sampling, period - own_period);
}

notrace void ktrace_capture_tell(void *to, const struct ktrace_violation *violation)
{
	struct {
		struct trace_entry ent;
		struct ktrace_violation violation __aligned(8);
	} raw = { };
	const struct ktrace_store_place place = { .misc = PERF_RECORD_MISC_KERNEL };
	const struct ktrace_event *event = to;
	struct ktrace_event_cpu *ec = ktrace_event_on_this_cpu(event);

	/* Such a CPU was not there when the session began. */
	if (!ec->probe.ring)
		return;
	ktrace_entry_fill(&raw.ent, event->type, preempt_count());
	raw.violation = *violation;
	ktrace_store(event, ec, &raw, sizeof(raw), &place, 1);
}

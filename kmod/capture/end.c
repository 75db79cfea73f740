// SPDX-License-Identifier: GPL-2.0
/*
 * The end of a sample whose fields a template probe has assigned.
 *
 * Each end_*() and ktrace_capture_end*() function here, and ktrace_capture_reject(), leaves the
 * guard and enables the preemption that the beginning has disabled (begin.c).  No other function
 * here does.
 */
#include <linux/compiler.h>
#include <linux/perf_event.h>
#include <linux/preempt.h>
#include <linux/sched.h>

#include "capture/capture.h"
#include "capture/copy.h"
#include "capture/entry.h"
#include "capture/event.h"
#include "capture/layout.h"
#include "capture/store.h"
#include "chain/callchain.h"
#include "fields/common_fields.h"
#include "filter/filter.h"
#include "filter/sampling.h"
#include "probes/ktrace/probe.h"
#include "ring/ring_reserve.h"

notrace void ktrace_capture_reject(const struct ktrace_probe_event *event, u32 padded)
{
	local_inc(&this_cpu_ptr(event->cpu)->filtered);
	ktrace_scratch_put(padded);
	ktrace_guard_leave();
	preempt_enable_notrace();
}

/* The preempt_count() that perf would have found if it had been called instead of us. */
static __always_inline u32 count_before(void)
{
	return preempt_count() - KTRACE_COMPAT_UNCOUNTED;
}

static noinline notrace void end_slow(const struct ktrace_event *event, void *entry, u32 padded,
				      u64 ip, u64 period)
{
	const struct ktrace_store_place place = { .ip = ip, .misc = event->header.misc };
	struct ktrace_event_cpu *ec = ktrace_event_on_this_cpu(event);

	ktrace_entry_fill(entry, event->type, count_before());
	if (!event->way.in_scratch) {
		if (event->sampled)
			period += ktrace_sampling_take_weight(&ec->sampling);
		ktrace_store_finish(event, ec, entry - event->raw_offset, padded, ip, period,
				    event->header.misc);
	} else {
		if (event->way.filtered == KTRACE_WAY_LATE &&
		    !ktrace_filter_run(event->filter, entry, padded))
			local_inc(&ec->probe.filtered);
		else if (event->way.sampled != KTRACE_WAY_LATE ||
			 !ktrace_event_leaves_out(event, ec, period))
			ktrace_store(event, ec, entry, padded, &place, period);
		ktrace_scratch_put(padded);
	}
	ktrace_guard_leave();
	preempt_enable_notrace();
}

/*
 * Ends the only sample of this CPU, which is plain except for its trailer.  @count is a usual
 * preempt_count().
 */
static __always_inline void end_with_trailer(const struct ktrace_event *event, void *entry,
					     u32 padded, u64 ip, u64 period, u32 count)
{
	struct ktrace_layout_sample *sample =
		container_of(entry, struct ktrace_layout_sample, raw[0]);
	struct ktrace_event_cpu *ec = ktrace_event_on_this_cpu(event);
	struct ktrace_ring *ring = ec->probe.ring;
	struct perf_event_header *numbered = NULL;
	u32 tid = current->pid;

	ktrace_layout_describe(event, sample, padded + event->trailer_size, ip, period);
	ktrace_entry_fill_usual(entry, event->type, count, tid);
	ktrace_layout_identify(sample, ring, current, tid);
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
 * Ends the only sample of this CPU, which is plain except for its call chain.  The preempt_count()
 * is a usual one.
 */
static noinline notrace void end_with_chain(const struct ktrace_event *event, void *entry,
					    u32 padded, u64 ip, u64 period)
{
	struct ktrace_event_cpu *ec = ktrace_event_on_this_cpu(event);
	struct ktrace_ring *ring = ec->probe.ring;
	struct ktrace_layout_sample *sample;
	const struct task_struct *task;
	void *scratch, *record;
	u32 nr, whole, tid;
	u64 *ips, head, time;

	/* See store_with_chain(). */
	whole = ktrace_layout_chained_size(KTRACE_SAMPLE_RAW_OFFSET, KTRACE_LAYOUT_SHORTEST_CHAIN,
					   padded);
	head = local_read(&ring->head);
	if (unlikely(!ktrace_ring_finds_room(ring, head, head + whole)))
		goto slow;
	scratch = ktrace_scratch_get(KTRACE_LAYOUT_CHAIN_SCRATCH);
	if (unlikely(!scratch))
		goto slow;
	ips = scratch + sizeof(u32);
	nr = ktrace_callchain_collect(ips, ip, event->header.misc == PERF_RECORD_MISC_USER, NULL,
				      current_stack_pointer);
	whole = ktrace_layout_chained_size(KTRACE_SAMPLE_RAW_OFFSET, nr, padded);
	if (unlikely(READ_ONCE(ec->attention) || whole > ec->max_size ||
		     !ktrace_ring_try_reserve(ring, whole, &record, &time))) {
		ktrace_scratch_put(KTRACE_LAYOUT_CHAIN_SCRATCH);
		goto slow;
	}
	sample = record;
	sample->time = time;
	ktrace_layout_describe(event, sample, padded, ip, period);
	sample->header.size = whole;
	task = current;
	tid = task->pid;
	ktrace_entry_fill_usual(entry, event->type, count_before(), tid);
	ktrace_layout_identify(sample, ring, task, tid);
	ktrace_layout_fill_in_chain(sample, KTRACE_SAMPLE_RAW_OFFSET, ips, nr, padded, entry,
				    padded);
	local_inc(&ec->recorded);
	ktrace_ring_commit_sample(ring, time, whole, true, NULL);
	ktrace_scratch_put_alone();
	ktrace_guard_leave_alone();
	preempt_enable_notrace();
	return;

slow:
	end_slow(event, entry, padded, ip, period);
}

/* The caller's sample is the only one in progress on this CPU. */
static __always_inline void end_counted(const struct ktrace_event *event, const void *entry,
					u32 padded)
{
	ktrace_store_count(event, ktrace_event_on_this_cpu(event), entry, padded);
	ktrace_scratch_put_alone();
	ktrace_guard_leave_alone();
	preempt_enable_notrace();
}

/* Likewise. */
static __always_inline void end_judged(const struct ktrace_event *event, void *entry, u32 padded,
				       u32 count)
{
	ktrace_entry_fill(entry, event->type, count);
	ktrace_store_judge_only(event, ktrace_event_on_this_cpu(event), entry, padded);
	ktrace_scratch_put_alone();
	ktrace_guard_leave_alone();
	preempt_enable_notrace();
}

static noinline notrace void end_counted_chains(const struct ktrace_event *event,
						const void *entry, u32 padded, u64 ip)
{
	const struct ktrace_store_place place = { .ip = ip, .misc = event->header.misc };

	ktrace_store_count_chains(event, ktrace_event_on_this_cpu(event), entry, padded, &place);
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
	else if (likely(event->way.end == KTRACE_END_TRAILER && ktrace_entry_is_usual(count)))
		end_with_trailer(event, entry, padded, ip, period, count);
	else if (event->way.end == KTRACE_END_CHAIN && ktrace_entry_is_usual(count))
		end_with_chain(event, entry, padded, ip, period);
	else if (event->way.end == KTRACE_END_COUNTED)
		end_counted(event, entry, padded);
	else if (event->way.end == KTRACE_END_JUDGED)
		end_judged(event, entry, padded, count);
	else if (event->way.end == KTRACE_END_COUNTED_CHAIN)
		end_counted_chains(event, entry, padded, ip);
	else
		end_slow(event, entry, padded, ip, period);
}

/* Ends a sample that is plain except for its layout, if it is the only one of this CPU. */
static noinline notrace void end_compact(const struct ktrace_event *event, void *entry, u32 padded,
					 u64 ip, u64 period)
{
	u32 tid = current->pid, size = event->raw_offset + padded, count = count_before();
	struct ktrace_event_cpu *ec = ktrace_event_on_this_cpu(event);
	struct ktrace_ring *ring = ec->probe.ring;
	void *sample = entry - event->raw_offset;

	if (unlikely(!ktrace_guard_is_alone(ktrace_guard_count()) ||
		     !ktrace_entry_is_usual(count))) {
		end_slow(event, entry, padded, ip, period);
		return;
	}
	ktrace_layout_describe_compact(event, ring, sample, size, padded, event->header.misc,
				       current, tid);
	ktrace_entry_fill_usual(entry, event->type, count, tid);
	local_inc(&ec->recorded);
	ktrace_ring_commit_sample(ring, *ktrace_layout_time_of(ring, sample), size, true, NULL);
	ktrace_guard_leave_alone();
	preempt_enable_notrace();
}

/* Ends a sample that is never plain, or not now. */
static __always_inline void end_unusual(const struct ktrace_event *event, void *entry, u32 padded,
					u64 ip, u64 period)
{
	if (event->way.end == KTRACE_END_COMPACT)
		end_compact(event, entry, padded, ip, period);
	else
		end_other(event, entry, padded, ip, period);
}

notrace void ktrace_capture_end(struct ktrace_probe_event *probe, void *entry, u32 padded,
				unsigned long ip, u64 period)
{
	const struct ktrace_event *event = ktrace_event_of(probe);
	struct ktrace_layout_sample *sample =
		container_of(entry, struct ktrace_layout_sample, raw[0]);
	/*
	 * If any other sample is in progress on this CPU, the guard's word has bits that make the
	 * count unusual.  So a usual count belongs to this sample, which is alone.
	 */
	u32 count = __this_cpu_read(ktrace_guard) - event->uncounted;
	const struct task_struct *task;
	u32 tid;

	if (unlikely(!ktrace_entry_is_usual(count))) {
		end_unusual(event, entry, padded, ip, period);
		return;
	}
	ktrace_layout_describe(event, sample, padded, ip, period);
	task = current;
	tid = task->pid;
	ktrace_entry_fill_usual(entry, event->type, count, tid);
	ktrace_store_commit_plain(ktrace_event_on_this_cpu(event), sample, padded, task, tid);
	ktrace_guard_leave_alone();
	preempt_enable_notrace();
}

/*
 * Stores a copy of a plain sample for the same event in another session.  The caller has built the
 * sample, on this CPU alone, and has not left the guard.  Returns false, with nothing done, where
 * the other session needs its own pass.
 */
static __always_inline bool store_copy(const struct ktrace_event *event, int clockid,
				       const struct ktrace_layout_sample *from, u32 padded)
{
	const struct ktrace_probe_scope *scope = event->probe.scope;
	struct ktrace_event_cpu *ec = ktrace_event_on_this_cpu(event);
	u32 size = KTRACE_SAMPLE_RAW_OFFSET + padded;
	struct ktrace_layout_sample *sample;
	void *record;

	if (unlikely(!ktrace_scope_is_plain(scope) || !ktrace_scope_has_task(scope) ||
		     !ktrace_event_is_plain(ec, padded) || event->fields ||
		     ec->probe.ring->clockid != clockid))
		return false;
	if (unlikely(!ktrace_ring_try_reserve_at(ec->probe.ring, size, from->time, &record)))
		return false;
	sample = record;
	ktrace_copy_sample(sample, from, size);
	sample->id = event->id;
	local_inc(&ec->recorded);
	ktrace_ring_commit_sample(ec->probe.ring, from->time, size, true, NULL);
	return true;
}

notrace struct ktrace_probe_event *ktrace_capture_end_shared(struct ktrace_probe_event *probe,
							     void *entry, u32 padded,
							     unsigned long ip, u64 period)
{
	const struct ktrace_event *event = ktrace_event_of(probe);
	struct ktrace_layout_sample *sample =
		container_of(entry, struct ktrace_layout_sample, raw[0]);
	u32 count = __this_cpu_read(ktrace_guard) - event->uncounted;
	struct ktrace_probe_event *next = READ_ONCE(probe->next);
	const struct task_struct *task;
	struct ktrace_event_cpu *ec;
	u32 tid;

	if (unlikely(!ktrace_entry_is_usual(count))) {
		end_unusual(event, entry, padded, ip, period);
		return next;
	}
	ktrace_layout_describe(event, sample, padded, ip, period);
	task = current;
	tid = task->pid;
	ktrace_entry_fill_usual(entry, event->type, count, tid);
	ec = ktrace_event_on_this_cpu(event);
	ktrace_layout_identify(sample, ec->probe.ring, task, tid);
	/* Before the commit: nobody overwrites the sample until then. */
	while (next && store_copy(ktrace_event_of(next), ec->probe.ring->clockid, sample, padded))
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
	const struct ktrace_event *event = ktrace_event_of(probe);
	const struct ktrace_store_place place = { .ip = ip, .misc = event->header.misc };
	struct ktrace_event_cpu *ec = ktrace_event_on_this_cpu(event);

	ktrace_entry_fill(entry, event->type, count_before());
	/* Probes that run the filter themselves do not check whether the CPU is in the session. */
	if (likely(ec->probe.ring) &&
	    (event->way.sampled != KTRACE_WAY_LATE || !ktrace_event_leaves_out(event, ec, period)))
		ktrace_store(event, ec, entry, padded, &place, period);
	ktrace_scratch_put(padded);
	ktrace_guard_leave();
	preempt_enable_notrace();
}

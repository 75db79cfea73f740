// SPDX-License-Identifier: GPL-2.0
/*
 * The beginning of a sample whose fields a template probe assigns.
 *
 * ktrace_capture_begin() and ktrace_capture_begin_plain() disable preemption.  They, and each
 * begin_*() function here, enable it again unless they return an entry; then an end function does
 * (end.c).  No other function here changes preemption.
 */
#include <linux/compiler.h>
#include <linux/preempt.h>
#include <linux/sched.h>

#include "capture/capture.h"
#include "capture/event.h"
#include "capture/layout.h"
#include "capture/ledger.h"
#include "capture/reserve.h"
#include "filter/filter.h"
#include "filter/sampling.h"
#include "filter/scope.h"
#include "probes/ktrace/probe.h"
#include "ring/ring_reserve.h"

notrace bool ktrace_capture_covers(const struct ktrace_probe_event *event)
{
	return ktrace_scope_covers(event->scope);
}

notrace void ktrace_capture_lose(const struct ktrace_probe_event *probe, u32 padded)
{
	const struct ktrace_event *event = ktrace_event_of(probe);
	struct ktrace_event_cpu *ec = ktrace_event_on_this_cpu(event);

	if (ec->probe.ring)
		ktrace_ledger_miss(event, ec, padded > KTRACE_FILTER_MAX_RECORD ?
					      KTRACE_LOST_TOO_BIG : KTRACE_LOST_NESTED);
}

notrace void ktrace_capture_shut_out(const struct ktrace_probe_event *probe)
{
	const struct ktrace_event *event = ktrace_event_of(probe);

	if (READ_ONCE(probe->scope->frozen))
		ktrace_ledger_shut_out(event, ktrace_event_on_this_cpu(event));
}

/* Is a sample wanted, by the decisions that come before its fields are assigned? */
static __always_inline bool is_wanted_early(const struct ktrace_event *event,
					    struct ktrace_event_cpu *ec, u64 period)
{
	if (event->way.filtered == KTRACE_WAY_EARLY && !ktrace_filter_run_early(event->filter)) {
		local_inc(&ec->probe.filtered);
		return false;
	}
	return event->way.sampled != KTRACE_WAY_EARLY ||
	       !ktrace_event_leaves_out(event, ec, period);
}

/*
 * Returns the memory for the raw data of a sample that is wanted and that the guard has admitted.
 * On failure it leaves the guard and returns NULL.
 */
static __always_inline void *make_entry(const struct ktrace_event *event,
					struct ktrace_event_cpu *ec, u32 padded)
{
	void *sample, *entry;

	if (event->way.in_scratch) {
		entry = ktrace_scratch_get(padded);
		if (likely(entry))
			return entry;
		ktrace_capture_lose(&event->probe, padded);
	} else {
		sample = ktrace_reserve_for_raw(event, ec, padded);
		if (likely(sample))
			return sample + event->raw_offset;
	}
	ktrace_guard_leave();
	return NULL;
}

notrace void *ktrace_capture_begin(struct ktrace_probe_event *probe, u32 padded, u64 period)
{
	const struct ktrace_event *event = ktrace_event_of(probe);
	struct ktrace_event_cpu *ec;
	void *entry;

	preempt_disable_notrace();
	ec = ktrace_event_on_this_cpu(event);
	if (!READ_ONCE(probe->scope->running)) {
		ktrace_capture_shut_out(probe);
		goto err_enable;
	}
	if (!ec->probe.ring)
		goto err_enable;
	if (!ktrace_scope_covers(probe->scope)) {
		local_inc(&ec->probe.out_of_scope);
		goto err_enable;
	}
	if (unlikely(!ktrace_guard_enter())) {
		ktrace_ledger_miss(event, ec, KTRACE_LOST_RECURSION);
		goto err_enable;
	}
	if (unlikely(!is_wanted_early(event, ec, period))) {
		ktrace_guard_leave();
		goto err_enable;
	}
	entry = make_entry(event, ec, padded);
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

	/* This succeeds: contexts that interrupted us have restored the guard. */
	ktrace_guard_enter_alone();
	if (padded <= ec->max_direct && !READ_ONCE(ec->attention) &&
	    ktrace_ring_try_reserve(ring, event->raw_offset + padded + event->trailer_size, &sample,
				    &time)) {
		*ktrace_layout_time_of(ring, sample) = time;
		return sample + event->raw_offset;
	}
	entry = make_entry(event, ec, padded);
	if (unlikely(!entry))
		preempt_enable_notrace();
	return entry;
}

/*
 * ktrace_capture_begin_plain() where a sample is not plain.  Early decisions need no guard, because
 * they fire no events.
 */
static noinline notrace void *begin_other(const struct ktrace_event *event, u32 padded, u64 period,
					  struct ktrace_event_cpu *ec)
{
	const struct ktrace_probe_scope *scope = event->probe.scope;
	void *ret = NULL;

	if (!READ_ONCE(scope->running)) {
		ktrace_capture_shut_out(&event->probe);
		goto out_enable;
	}
	if (!ec->probe.ring)
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

/* Ends a sample that is omitted before its fields are assigned. */
static __always_inline void *begin_left_out(struct ktrace_event_cpu *ec)
{
	local_inc(&ec->probe.filtered);
	preempt_enable_notrace();
	return NULL;
}

/* begin_sampled() where the sampling may want the sample. */
static noinline notrace void *begin_turn(const struct ktrace_event *event, u32 padded, u64 period,
					 struct ktrace_event_cpu *ec)
{
	if (ktrace_sampling_takes_turn(&event->sampling, &ec->sampling, period))
		return begin_direct(event, ec, padded);
	return begin_left_out(ec);
}

/* Begins the only sample of this CPU, where only sampling decides early. */
static noinline notrace void *begin_sampled(const struct ktrace_event *event, u32 padded,
					    u64 period, struct ktrace_event_cpu *ec)
{
	if (unlikely(!ktrace_sampling_passes_over(&event->sampling, &ec->sampling, period)))
		return begin_turn(event, padded, period, ec);
	return begin_left_out(ec);
}

/* Begins the only sample of this CPU, where only a filter decides early. */
static noinline notrace void *begin_filtered(const struct ktrace_event *event, u32 padded,
					     struct ktrace_event_cpu *ec)
{
	if (ktrace_filter_run_early(event->filter))
		return begin_direct(event, ec, padded);
	return begin_left_out(ec);
}

/* Begins the only sample of this CPU, which is plain except for its call chain, or is judged. */
static __always_inline void *begin_in_scratch(u32 padded)
{
	ktrace_guard_enter_alone();
	return ktrace_scratch_get_alone(padded);
}

/*
 * Begins the only sample of this CPU, which has a shortcut.  All calls are tail calls, also in the
 * caller, so that the caller needs no stack frame.
 */
static __always_inline void *begin_quick(const struct ktrace_event *event, u32 padded, u64 period,
					 struct ktrace_event_cpu *ec)
{
	if (event->way.begin == KTRACE_BEGIN_SAMPLED)
		return begin_sampled(event, padded, period, ec);
	if (event->way.begin == KTRACE_BEGIN_FILTERED)
		return begin_filtered(event, padded, ec);
	if (event->way.begin == KTRACE_BEGIN_COMPACT)
		return begin_direct(event, ec, padded);
	if (likely(ktrace_scratch_fits_alone(padded)))
		return begin_in_scratch(padded);
	return begin_other(event, padded, period, ec);
}

notrace void *ktrace_capture_begin_plain(struct ktrace_probe_event *probe, u32 padded, u64 period)
{
	const struct ktrace_event *event = ktrace_event_of(probe);
	const struct ktrace_probe_scope *scope = probe->scope;
	struct ktrace_layout_sample *sample;
	struct ktrace_event_cpu *ec;
	void *ret = NULL;

	preempt_disable_notrace();
	ec = ktrace_event_on_this_cpu(event);
	if (unlikely(!ktrace_scope_is_plain(scope)))
		return begin_other(event, padded, period, ec);
	if (!ktrace_scope_has_task(scope)) {
		if (ec->probe.ring)
			local_inc(&ec->probe.out_of_scope);
		goto out_enable;
	}
	/* Where the CPU is not in the session, no sample is plain. */
	if (unlikely(!ktrace_event_is_plain(ec, padded) || !ktrace_guard_enter_alone())) {
		if (event->way.begin != KTRACE_BEGIN_ASKING && ec->probe.ring &&
		    !__this_cpu_read(ktrace_guard))
			return begin_quick(event, padded, period, ec);
		return begin_other(event, padded, period, ec);
	}
	if (likely(ktrace_reserve_plain(ec->probe.ring, padded + event->trailer_size, &sample)))
		return sample->raw;
	ktrace_guard_leave_alone();
	ret = KTRACE_CAPTURE_UNUSUAL;

out_enable:
	preempt_enable_notrace();
	return ret;
}

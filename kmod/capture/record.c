// SPDX-License-Identifier: GPL-2.0
/* Events that fire with complete raw data: those of kernel counters, and functions. */
#include "capture/capture.h"

#include <linux/compiler.h>
#include <linux/preempt.h>
#include <linux/ptrace.h>
#include <linux/string.h>

#include "capture/copy.h"
#include "capture/event.h"
#include "capture/layout.h"
#include "capture/ledger.h"
#include "capture/reserve.h"
#include "capture/store.h"
#include "filter/filter.h"
#include "filter/scope.h"
#include "probes/ktrace/probe.h"

static __always_inline u16 misc_of(struct pt_regs *regs)
{
	return user_mode(regs) ? PERF_RECORD_MISC_USER : PERF_RECORD_MISC_KERNEL;
}

static noinline notrace void record_slow(const struct ktrace_event *event,
					 struct ktrace_event_cpu *ec, const void *raw, u32 size,
					 u64 period, struct pt_regs *regs)
{
	const struct ktrace_store_place place = {
		.ip = instruction_pointer(regs),
		.misc = misc_of(regs),
		.regs = regs,
	};

	ktrace_store(event, ec, raw, size, &place, period);
}

notrace void ktrace_capture_record(struct ktrace_event *event, const void *raw, u32 size,
				   u64 period, struct pt_regs *regs)
{
	const struct ktrace_probe_scope *scope = event->probe.scope;
	u32 padded = ktrace_layout_padded_size(size);
	struct ktrace_layout_sample *sample;
	struct ktrace_event_cpu *ec;
	bool alone;

	preempt_disable_notrace();
	ec = ktrace_event_on_this_cpu(event);
	if (unlikely(!READ_ONCE(scope->running))) {
		ktrace_capture_shut_out(&event->probe);
		goto out_enable;
	}
	if (unlikely(!ec->probe.ring))
		goto out_enable;
	if (!ktrace_scope_covers(scope)) {
		local_inc(&ec->probe.out_of_scope);
		goto out_enable;
	}
	alone = ktrace_guard_enter_alone();
	if (unlikely(!alone && !ktrace_guard_enter())) {
		ktrace_ledger_miss(event, ec, KTRACE_LOST_RECURSION);
		goto out_enable;
	}

	if (event->filter && !ktrace_filter_run(event->filter, raw, size)) {
		local_inc(&ec->probe.filtered);
	} else if (unlikely(event->sampled && ktrace_event_leaves_out(event, ec, period))) {
		;
	} else if (likely(alone && size < KTRACE_LAYOUT_MAX_SIZE &&
			  event->way.end == KTRACE_END_PLAIN && ktrace_event_is_plain(ec, padded) &&
			  ktrace_reserve_plain(ec->probe.ring, padded, &sample))) {
		ktrace_copy_raw(sample->raw, raw, size);
		if (unlikely(padded != size))
			memset(sample->raw + size, 0, padded - size);
		ktrace_layout_describe_with(event, sample, padded, instruction_pointer(regs),
					    period, misc_of(regs));
		ktrace_store_commit_plain(ec, sample, padded, current, current->pid);
	} else {
		record_slow(event, ec, raw, size, period, regs);
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
	ec = ktrace_event_on_this_cpu(event);
	if (!READ_ONCE(scope->running)) {
		ktrace_capture_shut_out(&event->probe);
		goto out_enable;
	}
	if (!ec->probe.ring)
		goto out_enable;
	if (ktrace_scope_covers(scope))
		ktrace_ledger_miss(event, ec, KTRACE_LOST_NESTED);
	else
		local_inc(&ec->probe.out_of_scope);
out_enable:
	preempt_enable_notrace();
}

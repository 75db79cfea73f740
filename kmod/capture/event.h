/* SPDX-License-Identifier: GPL-2.0 */
/*
 * An event on the hot path: from the part of it that probes know to the whole, and what is asked
 * of it for each sample.  For this folder only.
 *
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
 *	ktrace_store_sampled_or_chained() takes the samples that have passed the filter.
 * chained_quick  The sample is plain but for its call chain.  end_with_chain() ends it.
 * counted	The event is counted by a key (counting.h); its samples are made in scratch
 *	memory, and dropped.  counted_quick: nothing but the assigned fields is looked at.
 * decided_late  The event's filter looks at the raw data (filtered_late), or its samples have
 *	call chains, or are counted: probes assign the fields in scratch memory.
 * never_plain  The event is decided_late, sampled, a trigger, compact, or has a trailer.
 * compact_quick  The sample is plain but for its layout, that of a compact one.  end_compact()
 *	ends it.
 * quick	sampled_quick, filtered_quick, chained_quick or compact_quick
 * slow	record_slow() and end_slow() take the samples that are not plain for any of these
 *	reasons, or because the task's state is unusual (entry.h).
 * extras	A trailer, a call chain or a trigger: ktrace_store_finish_with_extras() commits
 *	such a sample.
 * wanted	The filter and the sampling have accepted the sample, so ktrace_store_wanted() copies
 *	it into the ring; ktrace_capture_end_wanted() is called by probes that have run the
 *	filter in line, and leaves only the sampling to do (sampled_late).
 * sized	The size of the complete sample is known, call chain and trailer included:
 *	ktrace_reserve_sized() reserves it.  ktrace_reserve_for_raw() computes the size of
 *	a sample without a call chain.
 * after loss  Earlier samples of the event were lost on this CPU (ec->attention; none is plain
 *	then, ec->max_plain), and PERF_RECORD_LOSTs have to be written before this one.
 * without room  The ring is full: one that overwrites makes room, any other loses the sample.
 */
#ifndef KTRACE_EVENT_H
#define KTRACE_EVENT_H

#include <linux/build_bug.h>
#include <linux/compiler.h>
#include <linux/container_of.h>
#include <linux/kconfig.h>
#include <linux/percpu.h>
#include <linux/stddef.h>

#include "capture/capture.h"
#include "filter/sampling.h"
#include "probes/ktrace/probe.h"

/* At 0, so that going from the part that probes know to the whole costs no instruction. */
static_assert(offsetof(struct ktrace_event, probe) == 0);
static_assert(offsetof(struct ktrace_event_cpu, probe) == 0);

static __always_inline const struct ktrace_event *
ktrace_event_of(const struct ktrace_probe_event *probe)
{
	return container_of(probe, struct ktrace_event, probe);
}

static __always_inline struct ktrace_event_cpu *
ktrace_event_on_this_cpu(const struct ktrace_event *event)
{
	return container_of(this_cpu_ptr(event->probe.cpu), struct ktrace_event_cpu, probe);
}

static __always_inline struct ktrace_event_cpu *
ktrace_event_on_cpu(const struct ktrace_event *event, unsigned int cpu)
{
	return container_of(per_cpu_ptr(event->probe.cpu, cpu), struct ktrace_event_cpu, probe);
}

/* Do the samples end in the user's registers? */
static __always_inline bool ktrace_event_has_regs(const struct ktrace_event *event)
{
	return IS_ENABLED(CONFIG_ARM64) && event->regs;
}

/* May a sample be stored as it is, perhaps with a trailer, on this CPU and now? */
static __always_inline bool ktrace_event_is_plain(const struct ktrace_event_cpu *ec, u32 padded)
{
	/* Plain, to compare in place: an NMI that clears it has come after this sample. */
	return padded <= data_race(ec->max_plain);
}

/* Does sampling leave this sample out?  If so, counts it as filtered. */
static __always_inline bool ktrace_event_leaves_out(const struct ktrace_event *event,
						    struct ktrace_event_cpu *ec, u64 period)
{
	if (event->counting || ktrace_sampling_wants(&event->sampling, &ec->sampling, period))
		return false;
	local_inc(&ec->probe.filtered);
	return true;
}

#endif

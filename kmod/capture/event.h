/* SPDX-License-Identifier: GPL-2.0 */
/*
 * An event on the hot path: conversions from the part that probes know to the whole, and the
 * questions that each sample asks.  For this folder only.
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

/* At 0, so that the conversion from the part that probes know costs no instruction. */
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

/* May a sample be stored unchanged, perhaps with a trailer, on this CPU and now? */
static __always_inline bool ktrace_event_is_plain(const struct ktrace_event_cpu *ec, u32 padded)
{
	/* Plain, to compare in memory: an NMI that clears it has come after this sample. */
	return padded <= data_race(ec->max_plain);
}

/* Does sampling omit this sample?  If so, counts it as filtered. */
static __always_inline bool ktrace_event_leaves_out(const struct ktrace_event *event,
						    struct ktrace_event_cpu *ec, u64 period)
{
	if (event->counting || ktrace_sampling_wants(&event->sampling, &ec->sampling, period))
		return false;
	local_inc(&ec->probe.filtered);
	return true;
}

#endif

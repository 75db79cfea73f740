// SPDX-License-Identifier: GPL-2.0
/* How the samples of an event are made: what is known before it is attached. */
#include <linux/bits.h>
#include <linux/minmax.h>
#include <linux/perf_event.h>

#include "capture/capture.h"
#include "capture/event.h"
#include "capture/layout.h"
#include "compat/compat.h"
#include "count/counting.h"
#include "fields/common_fields.h"
#include "filter/filter.h"
#include "filter/sampling.h"
#include "ring/ring.h"

static void set_max_plain(struct ktrace_event *event, unsigned int cpu)
{
	struct ktrace_event_cpu *ec = ktrace_event_on_cpu(event, cpu);

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
	struct ktrace_event_cpu *ec = ktrace_event_on_cpu(event, cpu);

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
	ec->max_size = min_t(u64, KTRACE_LAYOUT_MAX_SIZE,
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
			       !ktrace_event_has_regs(event);
	event->quick = event->sampled_quick || event->filtered_quick || event->chained_quick ||
		       event->compact_quick;
	event->never_plain = event->decided_late || event->sampled || event->fields ||
			     event->trigger || event->compact;
	event->counted_quick = counted && !event->filtered_late && !event->counting->takes_common;
	event->uncounted =
		KTRACE_COMPAT_UNCOUNTED + KTRACE_GUARD_EXTRA + (event->never_plain ? BIT(31) : 0);
	for_each_possible_cpu(cpu)
		set_max_plain(event, cpu);
}

void ktrace_capture_choose(struct ktrace_event *event, struct ktrace_filter *filter, u64 fields)
{
	event->filter = filter;
	event->fields = fields;
	event->trailer_size = ktrace_common_fields_size(fields);
	event->deltas_offset = ktrace_common_fields_size(
		fields & (BIT_ULL(KTRACE_FIELD_CYCLES) - 1) & ~BIT_ULL(KTRACE_FIELD_SEQ));
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
		ktrace_sampling_init(sampling, &ktrace_event_on_cpu(event, cpu)->sampling);
}

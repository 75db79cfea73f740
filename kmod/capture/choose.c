// SPDX-License-Identifier: GPL-2.0
/* Chooses the steps for an event's samples, by the facts that are known before it is attached. */
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
#include "machine/judge.h"
#include "ring/ring.h"

static void set_max_plain(struct ktrace_event *event, unsigned int cpu)
{
	struct ktrace_event_cpu *ec = ktrace_event_on_cpu(event, cpu);

	ec->max_plain = 0;
	ec->max_without_loss = 0;
	ec->max_direct = 0;
	if (!ec->probe.ring || event->way.in_scratch)
		return;
	ec->max_direct = ec->max_size - event->raw_offset - event->trailer_size;
	if ((event->way.end == KTRACE_END_PLAIN || event->way.end == KTRACE_END_TRAILER) &&
	    event->way.filtered != KTRACE_WAY_EARLY)
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
	/* The ring must also have room for losses that may be reported before the sample. */
	ec->max_size = min_t(u64, KTRACE_LAYOUT_MAX_SIZE,
			     ring->size - KTRACE_CAPTURE_NR_LOST * KTRACE_LOST_SIZE);
	set_max_plain(event, cpu);
}

static enum ktrace_way_goal choose_goal(const struct ktrace_event *event)
{
	if (event->counting)
		return KTRACE_GOAL_COUNT;
	if (event->taps)
		return KTRACE_GOAL_JUDGE;
	if (event->callchain)
		return KTRACE_GOAL_STORE_CHAIN;
	return event->sampled ? KTRACE_GOAL_STORE_SAMPLED : KTRACE_GOAL_STORE;
}

static enum ktrace_way_end choose_end(const struct ktrace_event *event,
				      const struct ktrace_way *way)
{
	bool trailer = event->fields, chain = event->callchain, compact = event->compact;

	if (way->filtered == KTRACE_WAY_LATE)
		return KTRACE_END_SLOW;
	if (way->goal == KTRACE_GOAL_COUNT)
		return event->counting->takes_common ? KTRACE_END_SLOW :
		       event->counting->takes_chains ? KTRACE_END_COUNTED_CHAIN :
						       KTRACE_END_COUNTED;
	if (way->goal == KTRACE_GOAL_JUDGE)
		return event->judged_only ? KTRACE_END_JUDGED : KTRACE_END_SLOW;
	if (event->sampled || event->trigger || event->deltas || trailer + chain + compact > 1)
		return KTRACE_END_SLOW;
	if (trailer)
		return KTRACE_END_TRAILER;
	if (!chain && !compact)
		return KTRACE_END_PLAIN;
	if (event->filter || ktrace_event_has_regs(event))
		return KTRACE_END_SLOW;
	return chain ? KTRACE_END_CHAIN : KTRACE_END_COMPACT;
}

static enum ktrace_way_begin choose_begin(const struct ktrace_way *way)
{
	bool filtered = way->filtered == KTRACE_WAY_EARLY;
	bool sampled = way->sampled == KTRACE_WAY_EARLY;

	if (filtered && sampled)
		return KTRACE_BEGIN_ASKING;
	if (filtered)
		return KTRACE_BEGIN_FILTERED;
	if (sampled)
		return KTRACE_BEGIN_SAMPLED;
	if (way->end == KTRACE_END_COMPACT)
		return KTRACE_BEGIN_COMPACT;
	return way->end == KTRACE_END_CHAIN || way->end == KTRACE_END_JUDGED ?
	       KTRACE_BEGIN_SCRATCH : KTRACE_BEGIN_ASKING;
}

static struct ktrace_way choose_way(const struct ktrace_event *event)
{
	struct ktrace_way way = { .goal = choose_goal(event) };

	if (event->filter)
		way.filtered = ktrace_filter_takes_record(event->filter) ? KTRACE_WAY_LATE :
									   KTRACE_WAY_EARLY;
	if (event->sampled && !event->counting)
		way.sampled = way.filtered == KTRACE_WAY_LATE ? KTRACE_WAY_LATE : KTRACE_WAY_EARLY;
	way.in_scratch = way.filtered == KTRACE_WAY_LATE || way.goal == KTRACE_GOAL_STORE_CHAIN ||
			 way.goal == KTRACE_GOAL_COUNT || way.goal == KTRACE_GOAL_JUDGE;
	way.end = choose_end(event, &way);
	way.begin = choose_begin(&way);
	return way;
}

static void set_way(struct ktrace_event *event)
{
	unsigned int cpu;

	event->way = choose_way(event);
	event->uncounted = KTRACE_COMPAT_UNCOUNTED + KTRACE_GUARD_EXTRA +
			   (event->way.end == KTRACE_END_PLAIN ? 0 : BIT(31));
	for_each_possible_cpu(cpu)
		set_max_plain(event, cpu);
}

static void set_filter(struct ktrace_event *event, struct ktrace_filter *filter)
{
	event->filter = filter;
	set_way(event);
	/*
	 * Probes run the filter before the common part of the entry is filled in, so they
	 * cannot run a filter that reads it.
	 */
	event->probe.run = NULL;
	if (event->way.filtered == KTRACE_WAY_LATE && filter->prog && filter->prog_is_bare &&
	    !filter->prog_takes_common && filter->prog_min_size <= event->min_size)
		event->probe.run = filter->prog->bpf_func;
}

void ktrace_capture_choose(struct ktrace_event *event, struct ktrace_filter *filter, u64 fields)
{
	event->fields = fields;
	event->min_size = U32_MAX;
	event->trailer_size = ktrace_common_fields_size(fields);
	event->deltas_offset =
		ktrace_common_fields_size(fields & (BIT_ULL(KTRACE_FIELD_CYCLES) - 1) &
					  ~BIT_ULL(KTRACE_FIELD_SEQ));
	set_filter(event, filter);
}

void ktrace_capture_limit(struct ktrace_event *event, u32 size)
{
	event->min_size = size;
	set_filter(event, event->filter);
}

void ktrace_capture_count(struct ktrace_event *event, struct ktrace_counting *counting)
{
	event->counting = counting;
	set_way(event);
}

/* The filter that every judged sample has to pass; NULL: there is none. */
static struct ktrace_filter *only_filter(const struct ktrace_event *event)
{
	const struct ktrace_judge_tap *tap = event->taps;
	const struct ktrace_program *program = tap->judge->program;
	u16 filter = program->sources[tap->first].filter;

	if (!event->judged_only || tap->next || tap->end - tap->first > 1 ||
	    filter == KTRACE_MACHINE_NO_FILTER)
		return NULL;
	return program->filters[filter];
}

void ktrace_capture_judge(struct ktrace_event *event, struct ktrace_judge_tap *tap)
{
	event->judged_only = tap->judge->only && (!event->taps || event->judged_only);
	tap->next = event->taps;
	event->taps = tap;
	set_filter(event, only_filter(event));
}

void ktrace_capture_sample(struct ktrace_event *event, const struct ktrace_sampling *sampling)
{
	unsigned int cpu;

	event->sampling = *sampling;
	event->sampled = sampling->every > 1 || sampling->interval_ns;
	set_way(event);
	for_each_possible_cpu(cpu)
		ktrace_sampling_init(sampling, &ktrace_event_on_cpu(event, cpu)->sampling);
}

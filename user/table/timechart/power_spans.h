/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Which idle state each CPU was in and at which frequency it ran, and when, as the events
 * power:cpu_idle and power:cpu_frequency tell it.
 */
#ifndef KTRACE_TABLE_TIMECHART_POWER_SPANS_H
#define KTRACE_TABLE_TIMECHART_POWER_SPANS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "session/session.h"
#include "states/known_events.h"

struct power_span {
	uint64_t since, until;	/* ns */
	uint32_t value;		/* the number of an idle state, or kHz */
};

/* In the order of time; none overlap.  What was before the first event is not known. */
struct power_track {
	struct power_span *items;
	size_t nr, alloc;
	bool is_open;		/* the last one goes on */
};

struct power_cpu {
	struct power_track idle, frequency;
};

struct power_spans {
	struct known_events events;
	struct {
		struct power_cpu *items;
		size_t nr, alloc;
	} cpus;
};

void power_spans_init(struct power_spans *spans);
void power_spans_deinit(struct power_spans *spans);

/* Take in a sample, which may be of any event.  The only error is to be out of memory. */
struct error *power_spans_take(struct power_spans *spans, const struct session_record *r);

/* What goes on lasts until @end. */
void power_spans_finish(struct power_spans *spans, uint64_t end);

#endif

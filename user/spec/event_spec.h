/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The arguments of -e, in perf's syntax, parsed into the events to open.
 *
 *	sched:sched_switch, 'sched:*', '*:*wait*'	tracepoints, globs
 *	cycles, cpu-clock, page-faults, ...		hardware, software, cache events
 *	r1a8						raw
 *	cpu/event=0x3c,umask=1/, cpu-clock/period=9/	PMU events, and terms
 *	mem:0x1000/4:rw					breakpoint
 *	{a,b}						a group
 *	each with modifiers: u k h H G p D S e
 */
#ifndef KTRACE_SPEC_EVENT_SPEC_H
#define KTRACE_SPEC_EVENT_SPEC_H

#include <linux/perf_event.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "lib/error.h"

struct event_spec {
	uint32_t type;		/* enum perf_type_id */
	uint64_t config, config1, config2;	/* of perf_event_attr */
	uint64_t period, freq;	/* of this event alone; 0: from -c and -F */
	char *system, *name;	/* tracepoints: both; others: name alone; owned */
	char *text;		/* as in perf's reports: "cycles:u"; owned */
	char *filter;		/* --filter; NULL: none; owned */
	char *cgroup;		/* -G; NULL: any; owned */
	char modifiers[12];	/* the text behind the last ':', then the group's */
	size_t nr_own_modifiers;	/* without the group's */
	uint64_t bp_addr, bp_len;
	uint32_t bp_type;
	bool from_glob;		/* its name was expanded from a glob */
	bool trigger;		/* it triggers a snapshot */
	bool any_trigger;	/* with `trigger`: also if only perf_event records it */
	bool judged;		/* its samples are read at once, also if rings overwrite */
	uint32_t group;		/* 0: none; members of one {} share a number */
};

struct event_specs {
	struct event_spec *items;
	size_t nr, alloc;
	size_t last_first;	/* index of the first event of the last event_specs_add() */
};

void event_specs_deinit(struct event_specs *specs);

/*
 * Parse one -e argument and append its events; globs are expanded here.  Errors show the text with
 * a caret under the mistake, and suggest similar events.
 */
struct error *event_specs_add(struct event_specs *specs, const char *text);

/*
 * Append a tracepoint or a similar event by its known number.  @from_glob: the event may be left
 * out.  Before the first event of one -e, the caller sets @specs->last_first = @specs->nr.
 */
struct error *event_specs_add_number(struct event_specs *specs, const char *system,
				     const char *name, uint64_t number, bool from_glob);

/* Give an event a filter.  As with perf, a second one further restricts the first. */
struct error *event_spec_add_filter(struct event_spec *spec, const char *filter);

/* Set the filter of every tracepoint of the last event_specs_add(), as perf does. */
struct error *event_specs_set_filter(struct event_specs *specs, const char *filter);

/*
 * Assign each name in @list, in order, to the next event that has no cgroup yet ("": none).  As
 * with perf, a single name is assigned to all of them.
 */
struct error *event_specs_set_cgroups(struct event_specs *specs, const char *list);

#endif

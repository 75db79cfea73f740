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
	uint64_t period, freq;	/* its own ones; 0: those of -c and -F */
	char *system, *name;	/* tracepoints: both; others: name alone; owned */
	char *text;		/* as perf shows it in reports: "cycles:u"; owned */
	char *filter;		/* --filter; NULL: none; owned */
	char *cgroup;		/* -G; NULL: any; owned */
	char modifiers[12];	/* as after the last ':', then those of its group */
	size_t nr_own_modifiers;	/* without the group's */
	uint64_t bp_addr, bp_len;
	uint32_t bp_type;
	bool from_glob;		/* it comes from a glob */
	bool trigger;		/* asks for a snapshot */
	bool any_trigger;	/* with `trigger`: also if nothing but perf_event records it */
	uint32_t group;		/* 0: none; members of one {} share a number */
};

struct event_specs {
	struct event_spec *items;
	size_t nr, alloc;
	size_t last_first;	/* index of the first event of the last event_specs_add() */
};

void event_specs_deinit(struct event_specs *specs);

/*
 * Parse one -e argument and append the events it names; globs are expanded here.  Errors show
 * the text with a caret under the mistake, and suggest similar events.
 */
struct error *event_specs_add(struct event_specs *specs, const char *text);

/*
 * Append a tracepoint or the like, whose number is known.  @from_glob: it may be left out.  The
 * first of those that one -e names begins with @specs->last_first = @specs->nr.
 */
struct error *event_specs_add_number(struct event_specs *specs, const char *system,
				     const char *name, uint64_t number, bool from_glob);

/* Give an event a filter; as with perf, a second one narrows the first. */
struct error *event_spec_add_filter(struct event_spec *spec, const char *filter);

/* Set the filter of every tracepoint of the last event_specs_add(), as perf does. */
struct error *event_specs_set_filter(struct event_specs *specs, const char *filter);

/*
 * Assign each of the names in @list, in order, to the next event that has no cgroup yet ("":
 * none).  A single name is assigned to all of them, as with perf.
 */
struct error *event_specs_set_cgroups(struct event_specs *specs, const char *list);

#endif

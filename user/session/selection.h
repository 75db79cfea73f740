/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Selects the samples for a consumer: by event, CPU, task and time, as perf script's -C, --comms,
 * --pid, --tid and --time do.  Other records all pass.
 */
#ifndef KTRACE_SESSION_SELECTION_H
#define KTRACE_SESSION_SELECTION_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "lib/cpumap.h"
#include "lib/error.h"
#include "record/scope.h"
#include "session/session.h"

struct time_ranges {
	struct time_range *items;
	size_t nr, alloc;
	bool ordered;		/* ascending; no range begins before the one ahead ends */
};

struct id_list {
	int32_t *items;
	size_t nr, alloc;
};

struct selection {
	const struct cpumap *cpus;	/* NULL: all; borrowed */
	const char *comms;		/* "a,b"; NULL: all; borrowed */
	struct id_list pids, tids;	/* empty: all */
	struct time_ranges times;	/* empty: always */
	const char *events;		/* globs of names, "sched:*,cycles"; NULL: all; borrowed */
	const char *dsos, *symbols;	/* of the sample, "a,b"; NULL: anywhere; borrowed */
	uint64_t addr_range;		/* bytes from an address in @symbols on; 0: only itself */
	/*
	 * Names of events.  Samples are selected from the first sample of switch_on (NULL: from the
	 * beginning) until one of switch_off comes (NULL: never).
	 */
	const char *switch_on, *switch_off;
	bool show_switches;		/* these samples are selected, too */
	bool off_cpu;			/* blocked times replace switches */
	bool wall_time;			/* all times of threads replace those of a clock, too */
};

void selection_deinit(struct selection *selection);
DEFINE_CLEANUP(selection, struct selection, selection_deinit)

/* Parse "1,2,3"; @option is the option's name for the error. */
struct error *id_list_parse(struct id_list *list, const char *option, const char *text);

/*
 * Parse "START,STOP" in seconds with up to nine decimals, where either may be missing; several of
 * them separated by blanks; "10%/2,10%/4", the 2nd and 4th tenth; or "0%-10%,30%-40%".  Percentages
 * refer to the time from @first to @last.  If these are 0, they are unknown, and percentages are an
 * error.
 */
struct error *time_ranges_parse(struct time_ranges *ranges, const char *text,
				uint64_t first, uint64_t last);

/* Build the part of the selection that a source can apply by itself; it borrows from @selection. */
void selection_scope(const struct selection *selection, const struct event_list *events,
		     struct record_scope *ret);

/* Whether one of @globs, "sched:*,cycles", is the name of an event. */
bool selection_names_event(const char *globs, const struct event *event);

struct selector {
	struct session_consumer consumer;
	const struct selection *selection;
	struct session_consumer *next;
	uint64_t rejected;		/* samples that did not pass */
	const struct event *last;	/* the event for which last_selected holds; NULL: none */
	bool last_selected;
	size_t last_range;		/* index of the range that had the last time */
	bool off;			/* by switch_on and switch_off */
};

/* Everything is borrowed; &selector->consumer goes to session_run(). */
void selector_init(struct selector *selector, const struct selection *selection,
		   struct session_consumer *next);

/*
 * EINVAL: the samples of one of @events lack the data for the selection.  Events of a pipe may come
 * later; then the first sample of such an event is an error.
 */
struct error *selection_check(const struct selection *selection, const struct event_list *events);

/* Whether the selection restricts nothing. */
bool selection_is_everything(const struct selection *selection);

#endif

/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The --filters of a recording's events, each parsed once with the running kernel's format of its
 * event.
 */
#ifndef KTRACE_CAPTURE_EVENT_FILTER_H
#define KTRACE_CAPTURE_EVENT_FILTER_H

#include "format/event_format.h"
#include "record/event.h"
#include "spec/filter_expr.h"

struct event_filters {
	struct formats *formats;	/* the trees point into it; NULL: no filter yet */
	struct filter_node **items;	/* owned */
	size_t nr, alloc;
};

/*
 * Parse event->filter, which must be set, into event->filter_tree.  The tree lives as long as
 * @filters, even if the event gets another filter later.  If the format had to be read, the event
 * keeps its text.
 */
struct error *event_filters_add(struct event_filters *filters, struct event *event);
/*
 * Record the strings of a system call's arguments with the event, and add their fields to its
 * format.  Call it before the event's filter is added.  Events without such arguments are not
 * changed.
 */
struct error *event_filters_add_strings(struct event_filters *filters, struct event *event);
/* The format of a tracepoint, which is read if necessary; it lives as long as @filters. */
struct error *event_filters_format(struct event_filters *filters, struct event *event,
				   const struct event_format **ret);
void event_filters_deinit(struct event_filters *filters);

#endif

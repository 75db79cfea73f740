/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The --filters of the events of a recording, each parsed once with the running kernel's format
 * of its event.
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
 * @filters, also if the event gets another filter later.  The event keeps the text of its
 * format if it had to be read.
 */
struct error *event_filters_add(struct event_filters *filters, struct event *event);
/*
 * Have the strings that arguments of a system call point to recorded with the event, and give its
 * format their fields, before its filter is added.  Events without such arguments stay as they
 * are.
 */
struct error *event_filters_add_strings(struct event_filters *filters, struct event *event);
/* The format of a tracepoint, which is read if it was not yet; it lives as long as @filters. */
struct error *event_filters_format(struct event_filters *filters, struct event *event,
				   const struct event_format **ret);
void event_filters_deinit(struct event_filters *filters);

#endif

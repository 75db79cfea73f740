/* SPDX-License-Identifier: GPL-2.0 */
/*
 * An event's --filter, parsed with the running kernel's format of that event.
 */
#ifndef KTRACE_CAPTURE_EVENT_FILTER_H
#define KTRACE_CAPTURE_EVENT_FILTER_H

#include "format/event_format.h"
#include "format/filter_expr.h"
#include "record/event.h"

struct event_filter {
	struct formats *formats;	/* the tree points into it */
	struct filter_node *tree;
};

/* Parse the filter of @event, which must have one and be a tracepoint. */
struct error *event_filter_init(const struct event *event, struct event_filter *ret);
void event_filter_deinit(struct event_filter *filter);
DEFINE_CLEANUP(event_filter, struct event_filter, event_filter_deinit)

#endif

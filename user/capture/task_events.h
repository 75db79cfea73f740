/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The event that tells who the tasks are: its COMM, FORK, EXIT and MMAP2
 * records go with every recording, whoever captures the rest of it.
 */
#ifndef KTRACE_CAPTURE_TASK_EVENTS_H
#define KTRACE_CAPTURE_TASK_EVENTS_H

#include "capture/backend.h"

/* Whether @event is it. */
bool task_events_is(const struct event *event);

/* Whether maps of data are told of, for what @events record. */
bool task_events_need_data(const struct event_list *events);

/*
 * Append it to @events; perf_event captures it.  It is an event of its own, so that its
 * losses are not those of samples.
 */
struct error *task_events_add(struct event_list *events, const struct capture_config *config);

/*
 * After task_events_add(): have another event tell of the tasks, as perf does, which saves
 * the descriptors of its own.  Returns that event; NULL: none can, and all is as before.
 */
struct event *task_events_join(struct event_list *events, const struct capture_config *config);

#endif

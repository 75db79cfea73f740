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

/* Append it to @events; perf_event captures it. */
struct error *task_events_add(struct event_list *events, const struct capture_config *config);

#endif

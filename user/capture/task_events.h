/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The event that reports tasks: its COMM, FORK, EXIT and MMAP2 records are part of every recording,
 * with any backend of the other events.
 */
#ifndef KTRACE_CAPTURE_TASK_EVENTS_H
#define KTRACE_CAPTURE_TASK_EVENTS_H

#include "capture/backend.h"

/* Whether @event is the event that reports tasks. */
bool task_events_is(const struct event *event);

/* Whether the samples of @events need maps of data. */
bool task_events_need_data(const struct event_list *events);

/*
 * Whether the namespaces of tasks, and the paths of cgroups, are recorded.  Paths are also recorded
 * if samples have the common field cgroup.
 */
bool task_events_have_namespaces(const struct event_list *events);
bool task_events_have_cgroups(const struct event_list *events);

/* Whether records of maps have build ids. */
bool task_events_have_build_ids(const struct event_list *events);

/*
 * Append the event that reports tasks to @events; perf_event captures it.  It is a separate event,
 * so that its losses are not counted as those of samples.
 */
struct error *task_events_add(struct event_list *events, const struct capture_config *config);

/*
 * After task_events_add(): let another event report the tasks, as perf does, and remove the
 * separate event, which saves its descriptors.  Returns that event.  NULL: no event is suitable,
 * and nothing has changed.
 */
struct event *task_events_join(struct event_list *events, const struct capture_config *config);

/*
 * If samples have no ids (KTRACE_SAMPLE_TYPE_ALONE), a file can have only one event, and readers
 * assign all records to it.  Fill @ret, which is empty, with the list for files: the event of the
 * samples, which also reports the tasks.  If @events is suitable, @ret stays empty.
 */
struct error *task_events_carry(const struct event_list *events, struct event_list *ret);

#endif

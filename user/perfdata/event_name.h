/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Names for the events of recordings that lack them.
 */
#ifndef KTRACE_PERFDATA_EVENT_NAME_H
#define KTRACE_PERFDATA_EVENT_NAME_H

#include "format/event_format.h"
#include "lib/error.h"
#include "record/event.h"

/*
 * Store the name that perf derives from an attr in *ret; free() it.  @formats gives the names of
 * tracepoints.
 */
struct error *event_name_derive(const struct perf_event_attr *attr,
				const struct formats *formats, char **ret);

/*
 * Name @event by a text of the recording, which ends after @len bytes or at a NUL.  Control
 * characters are escaped: no kernel and no recorder puts them into names.
 */
struct error *event_name_set(struct event *event, const char *text, size_t len);

#endif

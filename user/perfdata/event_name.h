/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Names for events of recordings that do not tell them.
 */
#ifndef KTRACE_PERFDATA_EVENT_NAME_H
#define KTRACE_PERFDATA_EVENT_NAME_H

#include "format/event_format.h"
#include "lib/error.h"
#include "record/event.h"

/* The name perf derives from an attr; free() it.  @formats knows tracepoints. */
struct error *event_name_derive(const struct perf_event_attr *attr,
				const struct formats *formats, char **ret);

/*
 * Name @event by a text of the recording, @len bytes, or up to its NUL.  Control
 * characters, which no kernel and no recorder has in names, are escaped.
 */
struct error *event_name_set(struct event *event, const char *text, size_t len);

#endif

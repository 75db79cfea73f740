/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Tracepoints as Perfetto's FtraceEvent: those that its timelines are made of as messages of
 * their own, all others as a generic one, with the names and values of their fields.
 */
#ifndef KTRACE_OUTPUT_PERFETTO_EVENT_H
#define KTRACE_OUTPUT_PERFETTO_EVENT_H

#include "lib/strbuf.h"
#include "session/session.h"

struct perfetto_event;

/* The message of an event's own; NULL: there is none, or the event is no such tracepoint. */
const struct perfetto_event *perfetto_event_find(const struct event_format *format);

/* Append the fields of the FtraceEvent of a sample; @type is that of its event. */
void perfetto_event_add(struct strbuf *out, const struct session_record *r,
			const struct perfetto_event *type);

#endif

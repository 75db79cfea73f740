/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Describes a recording that was begun without a recorder.  Only the events that the ktrace module
 * reports are known about it.
 */
#ifndef KTRACE_PERFDATA_MODULE_EVENTS_H
#define KTRACE_PERFDATA_MODULE_EVENTS_H

#include <stddef.h>

#include "lib/error.h"
#include "lib/strbuf.h"
#include "record/module_event.h"

struct description;

/*
 * Append the description (perfdata/write/description.h) of a recording with these @nr events.
 * Their names and formats come from the tracefs of the running kernel, or from @like, a recording
 * of the kernel of the events (NULL: none).  @clockid is that of the session.
 */
struct error *module_events_describe(const struct module_event *items, size_t nr, int clockid,
				     const struct description *like, struct strbuf *ret);

#endif

/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Describes a recording of which nothing is known but the events that the ktrace module tells: it
 * was begun without a recorder.
 */
#ifndef KTRACE_PERFDATA_MODULE_EVENTS_H
#define KTRACE_PERFDATA_MODULE_EVENTS_H

#include <stddef.h>

#include "lib/error.h"
#include "lib/strbuf.h"
#include "record/module_event.h"

/*
 * Append the description (perfdata/description.h) of a recording with these @nr events of the
 * running kernel, whose tracefs has their names and formats.  @clockid is that of the session.
 */
struct error *module_events_describe(const struct module_event *items, size_t nr, int clockid,
				     struct strbuf *ret);

#endif

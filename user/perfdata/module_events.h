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

struct description;

/*
 * Append the description (perfdata/write/description.h) of a recording with these @nr events, whose
 * names and formats are those of the running kernel's tracefs, or else of @like, a recording of the
 * same kernel as theirs (NULL: there is none).  @clockid is that of the session.
 */
struct error *module_events_describe(const struct module_event *items, size_t nr, int clockid,
				     const struct description *like, struct strbuf *ret);

#endif

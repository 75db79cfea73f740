/* SPDX-License-Identifier: GPL-2.0 */
/* The kernel's probe events: tracefs' kprobe_events and uprobe_events, which all tools share. */
#ifndef KTRACE_PROBE_STORE_H
#define KTRACE_PROBE_STORE_H

#include <stdbool.h>

#include "probe/event.h"

/* Sets *@ret, which is to be freed, to the path of a file in tracefs. */
struct error *probe_store_path(const char *file, char **ret);

/*
 * Append all events of both files.  A file that the kernel does not have is ignored.  It is an
 * error if it has neither.
 */
struct error *probe_store_read(struct probe_events *ret);

/*
 * Give valid names to the events of one definition, items[@first] and those behind it.  With
 * @force, an existing name gets a suffix, as in walk_1; else that is an error.  @existing: the
 * kernel's events.
 */
struct error *probe_store_name(const struct probe_events *existing, struct probe_events *events,
			       size_t first, bool force);

/* With -v, print the lines that probe_store_add() would write. */
struct error *probe_store_tell(const struct probe_events *events);

/* Add all events, or none if one of them is refused. */
struct error *probe_store_add(const struct probe_events *events);

/*
 * Add an event if the kernel allows a probe there; @refused: it does not.  A refusal is not
 * explained as in probe_store_add(), because that takes longer than a hundred probes.
 */
struct error *probe_store_offer(const struct probe_event *event, bool *refused);

/* Remove an event with all of its locations.  EBUSY: it is being recorded. */
struct error *probe_store_remove(const struct probe_event *event);

/* As probe_store_remove(), for an event "GROUP/NAME" of uprobe_events or kprobe_events. */
struct error *probe_store_remove_name(const char *name, bool is_user);

#endif

/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The probe events that the kernel has: tracefs' kprobe_events and uprobe_events, which all
 * tools share.
 */
#ifndef KTRACE_PROBE_STORE_H
#define KTRACE_PROBE_STORE_H

#include <stdbool.h>

#include "probe/event.h"

/* Sets *@ret, which is to be freed, to the path of a file in tracefs. */
struct error *probe_store_path(const char *file, char **ret);

/*
 * Append all events of both files.  A file that the kernel does not have is left out, unless
 * it has neither: that is an error.
 */
struct error *probe_store_read(struct probe_events *ret);

/*
 * Give the events of one definition, items[@first] and those behind it, names that the kernel
 * takes.  With @force, one that exists already gets a suffix, as in walk_1; else that is an
 * error.  @existing: what the kernel has.
 */
struct error *probe_store_name(const struct probe_events *existing, struct probe_events *events,
			       size_t first, bool force);

/* With -v, tell what probe_store_add() would write. */
struct error *probe_store_tell(const struct probe_events *events);

/* Add all events, or none if one of them is refused. */
struct error *probe_store_add(const struct probe_events *events);

/*
 * Add an event if the kernel allows a probe there; @refused: it does not.  Unlike those of
 * probe_store_add() a refusal is not explained, which takes longer than a hundred probes.
 */
struct error *probe_store_offer(const struct probe_event *event, bool *refused);

/* Remove an event with all of its places.  EBUSY: somebody records it. */
struct error *probe_store_remove(const struct probe_event *event);

/* As probe_store_remove(), for an event "GROUP/NAME" of uprobe_events or kprobe_events. */
struct error *probe_store_remove_name(const char *name, bool is_user);

#endif

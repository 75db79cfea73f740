/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Where tracefs is, and what it says of events.
 */
#ifndef KTRACE_FORMAT_TRACEFS_H
#define KTRACE_FORMAT_TRACEFS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "lib/cleanup.h"
#include "lib/error.h"

/*
 * The mount point, "/sys/kernel/tracing" or "/sys/kernel/debug/tracing";
 * static, found once.  The error says whether it is not mounted or not
 * readable, and how to get it.
 */
struct error *tracefs_path(const char **ret);

struct tracepoint_name {
	char *system, *name;
};

struct tracepoint_names {
	struct tracepoint_name *items;	/* sorted by system, then name; owned */
	size_t nr, alloc;
};

void tracepoint_names_deinit(struct tracepoint_names *names);
DEFINE_CLEANUP(tracepoint_names, struct tracepoint_names, tracepoint_names_deinit)

/*
 * All tracepoints that match both globs (fnmatch; "*" for all) and have an id.
 * None matching is no error here: ret->nr is 0.
 */
struct error *tracefs_find(const char *system_glob, const char *name_glob,
			   struct tracepoint_names *ret);

/* The id perf and the device know a tracepoint by. */
struct error *tracefs_event_id(const char *system, const char *name, uint64_t *ret);

/* The text of its format file; free() it. */
struct error *tracefs_event_format(const char *system, const char *name, char **ret,
				   size_t *ret_len);

/*
 * The error for an event that does not exist: names it, and the nearest that
 * does ("did you mean").
 */
struct error *tracefs_unknown_event(const char *system, const char *name);

#endif

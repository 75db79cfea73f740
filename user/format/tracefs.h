/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Finds tracefs, and reads its files about events.
 */
#ifndef KTRACE_FORMAT_TRACEFS_H
#define KTRACE_FORMAT_TRACEFS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "lib/cleanup.h"
#include "lib/error.h"

/*
 * The mount point, "/sys/kernel/tracing" or "/sys/kernel/debug/tracing".  It is looked up once; the
 * string is static.  As in perf, tracefs is mounted if it is not and we may.  Errors: it is not
 * mounted (ENODEV) or not readable; the hint gives the next step.
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
 * Find all tracepoints that match both globs (fnmatch; "*" for all) and have an id.  It is no
 * error if none matches: ret->nr is 0 then.
 */
struct error *tracefs_find(const char *system_glob, const char *name_glob,
			   struct tracepoint_names *ret);

/* The id of a tracepoint for perf and the device. */
struct error *tracefs_event_id(const char *system, const char *name, uint64_t *ret);

/* The text of the event's format file; free() it. */
struct error *tracefs_event_format(const char *system, const char *name, char **ret,
				   size_t *ret_len);

/*
 * Returns the error for an event that does not exist.  It names the event and the most
 * similar one ("did you mean").
 */
struct error *tracefs_unknown_event(const char *system, const char *name);

#endif

/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Reads format files from this kernel's tracefs, or from a folder with those of another
 * kernel.
 */
#ifndef KTRACE_FORMAT_FORMAT_FILES_H
#define KTRACE_FORMAT_FORMAT_FILES_H

#include <stdbool.h>
#include <stddef.h>

#include "lib/cleanup.h"
#include "lib/error.h"

struct format_file {
	char *system, *name;	/* of the event */
	char *path;
	char *text;		/* NUL-terminated */
	size_t len;
};

struct format_files {
	struct format_file *items;	/* by system, then name */
	size_t nr, alloc;
};

void format_files_deinit(struct format_files *files);
DEFINE_CLEANUP(format_files, struct format_files, format_files_deinit)

/*
 * Read the formats of all events that match one of @globs ("sched:sched_switch", "sched:*",
 * "sched"), or of all events if there are no globs.  @globs ends with NULL.
 *
 * @folder has SYSTEM/EVENT/format, like the events folder of tracefs, or has a subfolder named
 * events that does; NULL: tracefs.  It is an error if a glob matches nothing.
 */
struct error *format_files_read(const char *folder, char *const *globs, struct format_files *ret);

/* Whether one of @globs matches the event. */
bool format_files_named(char *const *globs, const char *system, const char *name);

#endif

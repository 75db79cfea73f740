/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Where format files come from: this kernel's tracefs, or a folder with those
 * of another.
 */
#ifndef KTRACE_CHECK_FORMAT_FILES_H
#define KTRACE_CHECK_FORMAT_FILES_H

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
 * The formats of all events that one of @globs names ("sched:sched_switch",
 * "sched:*", "sched"), of all events for no globs.  @globs ends with NULL.
 *
 * @folder holds SYSTEM/EVENT/format, as tracefs' events does, or a folder events
 * with these; NULL: tracefs.  A glob that names nothing is an error.
 */
struct error *format_files_read(const char *folder, char *const *globs, struct format_files *ret);

/* Whether one of @globs names the event. */
bool format_files_named(char *const *globs, const char *system, const char *name);

#endif

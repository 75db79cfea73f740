/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The lines of a source file.
 */
#ifndef KTRACE_PROBE_SOURCE_H
#define KTRACE_PROBE_SOURCE_H

#include <elfutils/libdw.h>
#include <stdbool.h>
#include <stddef.h>

#include "lib/cleanup.h"
#include "lib/error.h"

struct source {
	char *path;		/* of the file that was read */
	char *text;		/* its line ends are NULs */
	const char **items;	/* line 1 is items[0] */
	size_t nr, alloc;
};

/*
 * Read the file whose path the debug information of @unit has.  A relative path begins in the
 * folder in which the unit was compiled.  With @folder (-s), it is searched for there: by the whole
 * path, then by shorter ends of it.
 */
struct error *source_read(struct source *source, const char *folder, Dwarf_Die *unit,
			  const char *path);
void source_deinit(struct source *source);
DEFINE_CLEANUP(source, struct source, source_deinit)

/* Whether line @line contains a match of the glob @pattern; spaces in the line are ignored. */
bool source_matches(const struct source *source, unsigned int line, const char *pattern);

#endif

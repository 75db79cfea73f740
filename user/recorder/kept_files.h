/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The files that one recording has written.  The oldest are removed when there are too many, or
 * when they are too large together.
 */
#ifndef KTRACE_RECORDER_KEPT_FILES_H
#define KTRACE_RECORDER_KEPT_FILES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "lib/error.h"

struct kept_file {
	char *path;	/* owned */
	uint64_t bytes;
};

/* Initialize it to zeros: no files, no limit. */
struct kept_files {
	/* Set by the caller; 0: no limit. */
	unsigned int max_files;
	uint64_t max_bytes;
	bool tells;		/* print each removed file, and the limit that requires it */

	struct kept_file *items;	/* the oldest one first */
	size_t nr, alloc;
	uint64_t bytes;			/* of all */
};

/* Add a finished file.  The newest one is always kept. */
struct error *kept_files_add(struct kept_files *files, const char *path, uint64_t bytes);
void kept_files_deinit(struct kept_files *files);

#endif

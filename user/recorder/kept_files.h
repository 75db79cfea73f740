/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The files that one recording has written, of which the oldest are removed when they are too many
 * or too large together.
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

/* All zero: there are none, and no limit. */
struct kept_files {
	/* Set by the caller; 0: no limit. */
	unsigned int max_files;
	uint64_t max_bytes;
	bool tells;		/* print what is removed, and which limit asks for it */

	struct kept_file *items;	/* the oldest one first */
	size_t nr, alloc;
	uint64_t bytes;			/* of all */
};

/* A file was finished.  The newest one is kept in any case. */
struct error *kept_files_add(struct kept_files *files, const char *path, uint64_t bytes);
void kept_files_deinit(struct kept_files *files);

#endif

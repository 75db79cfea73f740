/* SPDX-License-Identifier: GPL-2.0 */
/*
 * A file that takes its name only when it is complete: until then it lies
 * beside it under a temporary one, or none, and what had the name stays as it was.
 */
#ifndef KTRACE_LIB_NEW_FILE_H
#define KTRACE_LIB_NEW_FILE_H

#include <stdbool.h>

#include "lib/cleanup.h"
#include "lib/error.h"

struct new_file {
	int fd;			/* for writing; -1: none; owned */
	char *path;		/* its name to be */
	char *temporary;	/* its name until then; NULL: it has its name, or none */
	bool unnamed;		/* it has none */
};

#define NEW_FILE_INIT { -1, NULL, NULL, false }

/* Create it beside @path; the errors name @path. */
struct error *new_file_create(struct new_file *file, const char *path);

/*
 * The same for what is worth nothing before it is complete: when this process
 * is killed nothing stays behind, where the file system knows O_TMPFILE.
 */
struct error *new_file_create_unnamed(struct new_file *file, const char *path);

/* Give it its name, in place of what had it. */
struct error *new_file_commit(struct new_file *file);

/* Close it; without new_file_commit() before, it is removed. */
void new_file_deinit(struct new_file *file);
DEFINE_CLEANUP(new_file, struct new_file, new_file_deinit)

#endif

/* SPDX-License-Identifier: GPL-2.0 */
/*
 * A file that gets its name only when it is complete.  Until then it lies in the same folder,
 * under a temporary name or without one, and an older file of that name stays untouched.
 */
#ifndef KTRACE_LIB_NEW_FILE_H
#define KTRACE_LIB_NEW_FILE_H

#include <stdbool.h>

#include "lib/cleanup.h"
#include "lib/error.h"

struct new_file {
	int fd;			/* for writing; -1: none; owned */
	char *path;		/* its final name */
	char *temporary;	/* its name until then; NULL: it has the final name, or none */
	bool unnamed;		/* it has no name yet */
};

#define NEW_FILE_INIT { -1, NULL, NULL, false }

/*
 * Create the file in the folder of @path.  Errors name @path.  EEXIST: there is something of that
 * name that is no regular file.
 */
struct error *new_file_create(struct new_file *file, const char *path);

/*
 * As new_file_create(), for a file that is useless before it is complete: if this process is
 * killed, nothing is left behind where the file system supports O_TMPFILE.
 */
struct error *new_file_create_unnamed(struct new_file *file, const char *path);

/* Give the file its final name, replacing an older file. */
struct error *new_file_commit(struct new_file *file);

/* Close the file, and remove it unless new_file_commit() was called before. */
void new_file_deinit(struct new_file *file);
DEFINE_CLEANUP(new_file, struct new_file, new_file_deinit)

#endif

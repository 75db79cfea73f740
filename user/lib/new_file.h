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
	bool keeps_older;	/* it is a recording: an older file is kept */
};

#define NEW_FILE_INIT { -1, NULL, NULL, false, false }

/*
 * Whether something that is no recording may be written to @path.  All that write to a path that a
 * user gave ask this before they touch it.  EEXIST: there is a recording, so that whoever gave its
 * name took an output for an input.
 */
struct error *new_file_check(const char *path);

/*
 * Create the file in the folder of @path.  Errors name @path.  EEXIST: there is a recording of that
 * name, or what is no regular file.
 */
struct error *new_file_create(struct new_file *file, const char *path);

/*
 * As new_file_create(), for a file that is useless before it is complete: if this process is
 * killed, nothing is left behind where the file system supports O_TMPFILE.
 */
struct error *new_file_create_unnamed(struct new_file *file, const char *path);

/*
 * As new_file_create() or new_file_create_unnamed(), for a recording, which may take the place of
 * another one: as with perf, new_file_commit() keeps the older file as PATH.old.
 */
struct error *new_file_create_recording(struct new_file *file, const char *path, bool unnamed);

/*
 * Let others read the file as far as the umask says.  Without it, only its owner may, as is right
 * for recordings.
 */
struct error *new_file_share(struct new_file *file);

/* Give the file its final name, replacing an older file. */
struct error *new_file_commit(struct new_file *file);

/* Close the file, and remove it unless new_file_commit() was called before. */
void new_file_deinit(struct new_file *file);
DEFINE_CLEANUP(new_file, struct new_file, new_file_deinit)

#endif

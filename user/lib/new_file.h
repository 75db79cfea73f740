/* SPDX-License-Identifier: GPL-2.0 */
/*
 * A file, or a folder of files, that gets its name only when it is complete.  Until then it is in
 * the same folder, under a temporary name or without a name, and an older file of the final name is
 * not touched.  leftover_begin() has a signal remove it.
 */
#ifndef KTRACE_LIB_NEW_FILE_H
#define KTRACE_LIB_NEW_FILE_H

#include <stdbool.h>

#include "lib/cleanup.h"
#include "lib/error.h"

struct new_file {
	int fd;			/* for writing; -1: none; owned */
	char *path;		/* its final name; owned */
	char *temporary;	/* its name until then; owned; NULL: it has the final name, or
				 * none */
	bool unnamed;		/* it has no name yet */
	bool keeps_older;	/* it is a recording: an older file is kept */
};

#define NEW_FILE_INIT { -1, NULL, NULL, false, false }

/*
 * Check that @path may be replaced by a file that is no recording.  Every output to a path that a
 * user gave checks this first.  EEXIST: @path is a recording, so the user has probably mistaken the
 * output for an input.
 */
struct error *new_file_check(const char *path);

/*
 * Create the file in the folder of @path.  Errors name @path.  EEXIST: @path is a recording, or is
 * no regular file.
 */
struct error *new_file_create(struct new_file *file, const char *path);

/*
 * As new_file_create(), for a file that is useless before it is complete: if this process is
 * killed, nothing is left behind where the file system supports O_TMPFILE.
 */
struct error *new_file_create_unnamed(struct new_file *file, const char *path);

/*
 * As new_file_create() or new_file_create_unnamed(), for a recording.  It may replace another
 * recording: as with perf, new_file_commit() keeps the older file as PATH.old.
 */
struct error *new_file_create_recording(struct new_file *file, const char *path, bool unnamed);

/*
 * Give others the permissions that the umask allows.  Without this call only the owner may read the
 * file, as is right for recordings.
 */
struct error *new_file_share(struct new_file *file);

/* Give the file its final name, replacing an older file. */
struct error *new_file_commit(struct new_file *file);

/* Close the file, and remove it unless new_file_commit() was called before. */
void new_file_deinit(struct new_file *file);
DEFINE_CLEANUP(new_file, struct new_file, new_file_deinit)

/*
 * A folder of files that gets its name only when it is complete.  Until then it is in the same
 * parent folder under a temporary name.
 */

struct new_folder {
	char *path;		/* its final name */
	char *temporary;	/* its name until then; NULL: there is none */
};

#define NEW_FOLDER_INIT { NULL, NULL }

/* Create the folder beside @path.  Errors name @path. */
struct error *new_folder_create(struct new_folder *folder, const char *path);

/* Give the folder its final name.  If that name exists, it must be an empty folder. */
struct error *new_folder_commit(struct new_folder *folder);

/*
 * Give the folder its final name.  An older folder of that name is replaced, and
 * new_folder_deinit() removes it and its files.  A complete folder has the name at every instant.
 */
struct error *new_folder_replace(struct new_folder *folder);

/*
 * Remove the folder that has the temporary name, and its files.  After new_folder_commit() there is
 * none.
 */
void new_folder_deinit(struct new_folder *folder);
DEFINE_CLEANUP(new_folder, struct new_folder, new_folder_deinit)

/*
 * Removes a half-written file when SIGINT, SIGTERM or SIGHUP ends the process.  It is for commands
 * that need not finish anything else: the signals keep their effect.
 *
 *	leftover_begin(file.temporary);
 *	...		write it
 *	leftover_end();
 *
 * Only one path at a time can be registered.  Signals that were ignored before (by nohup) stay
 * ignored.
 */

/* Register @path, which is copied: a file, with "@path-journal" beside it, or a folder of files. */
void leftover_begin(const char *path);

/* From now on no file is removed. */
void leftover_end(void);

#endif

/* SPDX-License-Identifier: GPL-2.0 */
/*
 * A folder of files that gets its name only when it is complete.  Until then it is in the same
 * parent folder under a temporary name.
 */
#ifndef KTRACE_LIB_NEW_FOLDER_H
#define KTRACE_LIB_NEW_FOLDER_H

#include "lib/cleanup.h"
#include "lib/error.h"

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

#endif

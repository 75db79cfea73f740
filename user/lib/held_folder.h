/* SPDX-License-Identifier: GPL-2.0 */
/*
 * A uniquely named folder that is locked for as long as the process that created it lives, so that
 * other processes can recognize a folder that was left behind.  The lock is one of flock(): it ends
 * with the process, however that ends, and works across pid namespaces.
 */
#ifndef KTRACE_LIB_HELD_FOLDER_H
#define KTRACE_LIB_HELD_FOLDER_H

#include <stddef.h>

#include "lib/error.h"

struct held_folder {
	char *path;		/* NULL: there is none */
	int fd;			/* holds the lock; -1: none */
};

#define HELD_FOLDER_INIT { NULL, -1 }

/*
 * Create and lock "@parent/@prefix-PID-XXXXXX", where XXXXXX are six random characters.  A
 * process that forks without exec shares the lock with its children.
 */
struct error *held_folder_create(struct held_folder *folder, const char *parent,
				 const char *prefix);

/* Unlock the folder and reset the struct.  The caller removes the folder and its contents. */
void held_folder_release(struct held_folder *folder);

/*
 * Call @remove with the path of each folder of this user that has a name of held_folder_create()
 * and that no process has locked.  The folder is locked during the call.
 */
void held_folder_sweep(const char *parent, const char *prefix,
		       void (*remove)(const char *path));

#endif

/* SPDX-License-Identifier: GPL-2.0 */
/*
 * A folder with a name of its own that is locked for as long as its maker lives,
 * so that others can tell whether it was left behind.  The lock is flock()'s: it
 * goes with the process, whatever ends it, and holds across pid namespaces.
 */
#ifndef KTRACE_LIB_HELD_FOLDER_H
#define KTRACE_LIB_HELD_FOLDER_H

#include <stddef.h>

#include "lib/error.h"

struct held_folder {
	char *path;		/* NULL: there is none */
	int fd;			/* holds the lock, where there is one */
};

#define HELD_FOLDER_INIT { NULL, -1 }

/*
 * Make and lock "@parent/@prefix-PID-XXXXXX" with six characters of its own.
 * Those who fork without exec share the lock with their children.
 */
struct error *held_folder_create(struct held_folder *folder, const char *parent,
				 const char *prefix);

/* Unlock it, and forget it: what is in it and the folder are the caller's to remove. */
void held_folder_release(struct held_folder *folder);

/*
 * @remove is called with the path of each folder of this user whose name is as
 * held_folder_create() makes it and that nobody holds; it is locked for that time.
 */
void held_folder_sweep(const char *parent, const char *prefix,
		       void (*remove)(const char *path));

#endif

// SPDX-License-Identifier: GPL-2.0
#include "lib/held_folder.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "lib/cleanup.h"

/* Open and lock a folder of this user.  Returns -1 if it is not one, or is locked already. */
static int lock_folder(const char *path, int operation)
{
	int fd = open(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	struct stat held, named;

	if (fd < 0)
		return -1;
	/* If we waited for the lock, the folder may have been removed meanwhile. */
	if (!flock(fd, operation) && !fstat(fd, &held) && held.st_uid == geteuid() &&
	    !lstat(path, &named) && named.st_ino == held.st_ino && named.st_dev == held.st_dev)
		return fd;
	close(fd);
	return -1;
}

struct error *held_folder_create(struct held_folder *folder, const char *parent,
				 const char *prefix)
{
	*folder = (struct held_folder)HELD_FOLDER_INIT;
	/* A sweep can remove a new folder before it is locked, so we try several times. */
	for (int i = 0; i < 16; i++) {
		char *path;

		if (asprintf(&path, "%s/%s-%d-XXXXXX", parent, prefix, getpid()) < 0)
			return &error_no_memory;
		if (!mkdtemp(path)) {
			struct error *err = error_errno(errno, "Cannot create %s", path);

			free(path);
			return err;
		}
		folder->fd = lock_folder(path, LOCK_EX);
		if (folder->fd >= 0) {
			folder->path = path;
			return NULL;
		}
		free(path);
	}
	return error_new(EBUSY, "Cannot lock a new folder in %s with flock()", parent);
}

void held_folder_release(struct held_folder *folder)
{
	if (folder->path)
		close(folder->fd);
	free(folder->path);
	*folder = (struct held_folder)HELD_FOLDER_INIT;
}

/* PREFIX-PID-XXXXXX. */
static bool is_made_here(const char *name, const char *prefix)
{
	size_t len = strlen(prefix), digits;

	if (strncmp(name, prefix, len) || name[len] != '-')
		return false;
	name += len + 1;
	digits = strspn(name, "0123456789");
	return digits && name[digits] == '-' && strlen(name + digits + 1) == 6;
}

void held_folder_sweep(const char *parent, const char *prefix, void (*remove)(const char *path))
{
	_cleanup_closedir_ DIR *dir = opendir(parent);
	struct dirent *entry;

	while (dir && (entry = readdir(dir))) {
		_cleanup_free_ char *path = NULL;
		_cleanup_close_ int fd = -1;

		if (!is_made_here(entry->d_name, prefix))
			continue;
		if (asprintf(&path, "%s/%s", parent, entry->d_name) < 0) {
			path = NULL;
			continue;
		}
		fd = lock_folder(path, LOCK_EX | LOCK_NB);
		if (fd >= 0)
			remove(path);
	}
}

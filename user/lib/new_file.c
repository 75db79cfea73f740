// SPDX-License-Identifier: GPL-2.0
#include "lib/new_file.h"

#include <errno.h>
#include <fcntl.h>
#include <libgen.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* A device, a pipe or a folder is not ours to replace. */
static struct error *check_replaceable(const char *path)
{
	struct stat st;

	if (stat(path, &st) || S_ISREG(st.st_mode))
		return NULL;
	return error_hint(error_new(EEXIST, "%s is no regular file, so nothing can take its place",
				    path),
			  "Name another file");
}

struct error *new_file_create(struct new_file *file, const char *path)
{
	struct error *err = check_replaceable(path);

	*file = (struct new_file)NEW_FILE_INIT;
	if (err)
		return err;
	file->path = strdup(path);
	if (!file->path || asprintf(&file->temporary, "%s.XXXXXX", path) < 0) {
		file->temporary = NULL;
		return &error_no_memory;
	}
	file->fd = mkostemp(file->temporary, O_CLOEXEC);
	if (file->fd < 0) {
		int code = errno;

		free(take_ptr(file->temporary));
		return error_hint(error_errno(code, "Cannot create %s", path),
				  "Write elsewhere with -o FILE");
	}
	return NULL;
}

struct error *new_file_create_unnamed(struct new_file *file, const char *path)
{
	struct error *err = check_replaceable(path);
	_cleanup_free_ char *copy = strdup(path);
	int fd;

	*file = (struct new_file)NEW_FILE_INIT;
	if (err || !copy)
		return err ? err : &error_no_memory;
	fd = open(dirname(copy), O_TMPFILE | O_RDWR | O_CLOEXEC, 0600);
	if (fd < 0)
		return new_file_create(file, path);
	*file = (struct new_file){ .fd = fd, .path = strdup(path), .unnamed = true };
	return file->path ? NULL : &error_no_memory;
}

/*
 * linkat() cannot replace an existing file; in that case we link to a temporary name, which
 * the caller renames.
 */
static struct error *give_name(struct new_file *file)
{
	char link[64];

	snprintf(link, sizeof(link), "/proc/self/fd/%d", file->fd);
	if (!linkat(AT_FDCWD, link, AT_FDCWD, file->path, AT_SYMLINK_FOLLOW)) {
		file->unnamed = false;
		return NULL;
	}
	if (errno == EEXIST && asprintf(&file->temporary, "%s.%d", file->path, getpid()) < 0) {
		file->temporary = NULL;
		return &error_no_memory;
	}
	if (!file->temporary ||
	    linkat(AT_FDCWD, link, AT_FDCWD, file->temporary, AT_SYMLINK_FOLLOW)) {
		int code = errno;

		free(take_ptr(file->temporary));
		return error_errno(code, "Cannot create %s", file->path);
	}
	file->unnamed = false;
	return NULL;
}

struct error *new_file_commit(struct new_file *file)
{
	struct error *err = file->unnamed ? give_name(file) : NULL;

	if (err || !file->temporary)
		return err;
	if (rename(file->temporary, file->path))
		return error_errno(errno, "Cannot rename %s to %s", file->temporary, file->path);
	free(take_ptr(file->temporary));
	return NULL;
}

void new_file_deinit(struct new_file *file)
{
	if (file->fd >= 0)
		close(file->fd);
	if (file->temporary)
		unlink(file->temporary);
	free(file->temporary);
	free(file->path);
	*file = (struct new_file)NEW_FILE_INIT;
}

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

#include "lib/file.h"
#include "lib/log.h"

/* A device, a pipe or a folder is not ours to replace. */
static struct error *check_regular(const char *path)
{
	struct stat st;

	if (stat(path, &st) || S_ISREG(st.st_mode))
		return NULL;
	return error_hint(error_new(EEXIST, "%s is not a regular file, so it cannot be replaced",
				    path),
			  "Name another file");
}

struct error *new_file_check(const char *path)
{
	if (!file_is_recording(path))
		return NULL;
	return error_hint(error_new(EEXIST, "%s is a recording, which only another recording may "
				    "replace", path),
			  "Name another file to write; -i FILE reads a recording");
}

static struct error *create_named(struct new_file *file, const char *path)
{
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
				  "Name a file in a folder where you may write");
	}
	return NULL;
}

static struct error *create_unnamed(struct new_file *file, const char *path)
{
	_cleanup_free_ char *copy = strdup(path);

	if (!copy)
		return &error_no_memory;
	file->fd = open(dirname(copy), O_TMPFILE | O_RDWR | O_CLOEXEC, 0600);
	if (file->fd < 0)
		return create_named(file, path);
	file->unnamed = true;
	file->path = strdup(path);
	return file->path ? NULL : &error_no_memory;
}

struct error *new_file_create(struct new_file *file, const char *path)
{
	struct error *err = new_file_check(path);

	*file = (struct new_file)NEW_FILE_INIT;
	if (!err)
		err = check_regular(path);
	return err ? err : create_named(file, path);
}

struct error *new_file_create_unnamed(struct new_file *file, const char *path)
{
	struct error *err = new_file_check(path);

	*file = (struct new_file)NEW_FILE_INIT;
	if (!err)
		err = check_regular(path);
	return err ? err : create_unnamed(file, path);
}

struct error *new_file_create_recording(struct new_file *file, const char *path, bool unnamed)
{
	struct error *err = check_regular(path);

	*file = (struct new_file)NEW_FILE_INIT;
	file->keeps_older = true;
	if (err)
		return err;
	return unnamed ? create_unnamed(file, path) : create_named(file, path);
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

static struct error *keep_older(const struct new_file *file)
{
	_cleanup_free_ char *old = NULL;
	struct stat st;

	if (lstat(file->path, &st) || !st.st_size)
		return NULL;
	if (asprintf(&old, "%s.old", file->path) < 0) {
		old = NULL;
		return &error_no_memory;
	}
	if (rename(file->path, old))
		log_warning("Cannot keep the older %s as %s: %s.", file->path, old,
			    strerror(errno));
	return NULL;
}

struct error *new_file_share(struct new_file *file)
{
	mode_t mask = umask(0);

	umask(mask);
	if (fchmod(file->fd, 0666 & ~mask))
		return error_errno(errno, "Cannot set the mode of %s", file->path);
	return NULL;
}

struct error *new_file_commit(struct new_file *file)
{
	struct error *err = NULL;

	if (file->keeps_older && (file->unnamed || file->temporary))
		err = keep_older(file);
	if (!err && file->unnamed)
		err = give_name(file);
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

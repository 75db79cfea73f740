// SPDX-License-Identifier: GPL-2.0
#include "lib/new_file.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <libgen.h>
#include <limits.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "lib/array.h"
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

struct error *new_folder_create(struct new_folder *folder, const char *path)
{
	mode_t mask = umask(0);
	struct error *err;

	umask(mask);
	folder->path = strdup(path);
	if (!folder->path || asprintf(&folder->temporary, "%s.XXXXXX", path) < 0) {
		folder->temporary = NULL;
		return &error_no_memory;
	}
	if (mkdtemp(folder->temporary) && !chmod(folder->temporary, 0777 & ~mask))
		return NULL;
	err = error_errno(errno, "Cannot create %s", path);
	free(take_ptr(folder->temporary));
	return err;
}

struct error *new_folder_commit(struct new_folder *folder)
{
	if (rename(folder->temporary, folder->path))
		return error_errno(errno, "Cannot rename %s to %s", folder->temporary,
				   folder->path);
	free(take_ptr(folder->temporary));
	return NULL;
}

struct error *new_folder_replace(struct new_folder *folder)
{
	/* The older folder becomes the temporary one, which new_folder_deinit() removes. */
	if (!renameat2(AT_FDCWD, folder->temporary, AT_FDCWD, folder->path, RENAME_EXCHANGE))
		return NULL;
	if (errno != ENOENT)
		return error_hint(error_errno(errno, "Cannot put %s in the place of %s",
					      folder->temporary, folder->path),
				  "Name another folder, or remove it first");
	return new_folder_commit(folder);
}

static void remove_files(const char *path)
{
	DIR *dir = opendir(path);
	const struct dirent *entry;

	while (dir && (entry = readdir(dir)))
		unlinkat(dirfd(dir), entry->d_name, 0);
	if (dir)
		closedir(dir);
}

void new_folder_deinit(struct new_folder *folder)
{
	if (folder->temporary) {
		remove_files(folder->temporary);
		rmdir(folder->temporary);
	}
	free(folder->temporary);
	free(folder->path);
}

static const int leftover_signals[] = { SIGINT, SIGTERM, SIGHUP };

static struct sigaction leftover_before[ARRAY_SIZE(leftover_signals)];
static char leftover_path[PATH_MAX], leftover_journal[PATH_MAX + sizeof("-journal")];
static volatile sig_atomic_t leftover_is_there;

/* A signal handler must not use readdir(), which allocates memory. */
static void leftover_remove_files(int folder)
{
	static char entries[32768] __attribute__((aligned(8)));
	long size;

	while ((size = syscall(SYS_getdents64, folder, entries, sizeof(entries))) > 0)
		for (long at = 0; at < size; ) {
			const struct dirent64 *entry = (const void *)(entries + at);

			unlinkat(folder, entry->d_name, 0);
			at += entry->d_reclen;
		}
}

/* The action was reset when the signal came, so the second one ends the process. */
static void leftover_on_signal(int number)
{
	int folder;

	if (leftover_is_there) {
		folder = open(leftover_path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
		if (folder >= 0) {
			leftover_remove_files(folder);
			rmdir(leftover_path);
		} else {
			unlink(leftover_path);
			unlink(leftover_journal);
		}
	}
	raise(number);
}

void leftover_begin(const char *name)
{
	struct sigaction action = { .sa_handler = leftover_on_signal, .sa_flags = SA_RESETHAND };

	snprintf(leftover_path, sizeof(leftover_path), "%s", name);
	snprintf(leftover_journal, sizeof(leftover_journal), "%s-journal", name);
	leftover_is_there = true;
	for (size_t i = 0; i < ARRAY_SIZE(leftover_signals); i++)
		sigaddset(&action.sa_mask, leftover_signals[i]);
	for (size_t i = 0; i < ARRAY_SIZE(leftover_signals); i++) {
		sigaction(leftover_signals[i], NULL, &leftover_before[i]);
		if (leftover_before[i].sa_handler == SIG_DFL)
			sigaction(leftover_signals[i], &action, NULL);
	}
}

void leftover_end(void)
{
	leftover_is_there = false;
	for (size_t i = 0; i < ARRAY_SIZE(leftover_signals); i++)
		sigaction(leftover_signals[i], &leftover_before[i], NULL);
}

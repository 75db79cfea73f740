// SPDX-License-Identifier: GPL-2.0
#include "lib/new_folder.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

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

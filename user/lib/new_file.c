// SPDX-License-Identifier: GPL-2.0
#include "lib/new_file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

struct error *new_file_create(struct new_file *file, const char *path)
{
	*file = (struct new_file)NEW_FILE_INIT;
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

struct error *new_file_commit(struct new_file *file)
{
	if (!file->temporary)
		return NULL;
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

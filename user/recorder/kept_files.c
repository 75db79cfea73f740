// SPDX-License-Identifier: GPL-2.0
#include "recorder/kept_files.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "lib/array.h"
#include "lib/log.h"

static void kept_files_remove_oldest(struct kept_files *files, bool too_many)
{
	struct kept_file *oldest = &files->items[0];

	if (unlink(oldest->path) && errno != ENOENT)
		log_warning("Cannot remove %s: %s.", oldest->path, strerror(errno));
	else if (files->tells && too_many)
		log_notice("Removed %s, the oldest of more than %u files (--max-files).",
			   oldest->path, files->max_files);
	else if (files->tells)
		log_notice("Removed %s, the oldest of more than %.0f MB of files (--max-size).",
			   oldest->path, files->max_bytes / 1024.0 / 1024.0);
	files->bytes -= oldest->bytes;
	free(oldest->path);
	files->nr--;
	memmove(files->items, files->items + 1, files->nr * sizeof(*files->items));
}

struct error *kept_files_add(struct kept_files *files, const char *path, uint64_t bytes)
{
	struct kept_file file = { .path = strdup(path), .bytes = bytes };

	if (!file.path || !array_push(files, file)) {
		free(file.path);
		return &error_no_memory;
	}
	files->bytes += bytes;
	while (files->max_files && files->nr > files->max_files)
		kept_files_remove_oldest(files, true);
	while (files->max_bytes && files->bytes > files->max_bytes && files->nr > 1)
		kept_files_remove_oldest(files, false);
	return NULL;
}

void kept_files_deinit(struct kept_files *files)
{
	array_free_each(files, .path);
}

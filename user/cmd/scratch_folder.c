// SPDX-License-Identifier: GPL-2.0
#include "cmd/scratch_folder.h"

#include <dirent.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "lib/cleanup.h"

/* Whether the file is "pid", "N.data", or an incomplete recording under its temporary name. */
static bool is_ours(const char *name)
{
	size_t digits = strspn(name, "0123456789");

	return !strcmp(name, "pid") || (digits && !strncmp(name + digits, ".data", 5));
}

/* Remove a folder, unless it holds other files than ours. */
static void remove_folder(const char *path)
{
	_cleanup_closedir_ DIR *dir = opendir(path);
	struct dirent *entry;

	while (dir && (entry = readdir(dir)))
		if (is_ours(entry->d_name))
			unlinkat(dirfd(dir), entry->d_name, 0);
	rmdir(path);
}

struct error *scratch_folder_create(struct held_folder *ret, const char *prefix)
{
	const char *base = getenv("TMPDIR");
	struct error *err;

	base = base && *base ? base : "/tmp";
	held_folder_sweep(base, prefix, remove_folder);
	err = held_folder_create(ret, base, prefix);
	return err ? error_hint(err, "TMPDIR names another folder for recordings") : NULL;
}

void scratch_folder_destroy(struct held_folder *folder)
{
	if (folder->path)
		remove_folder(folder->path);
	held_folder_release(folder);
}

// SPDX-License-Identifier: GPL-2.0
#include "lib/array.h"
#include "symbol/dso.h"
#include "symbol/elf/elf_file.h"
#include "symbol/vdso.h"

/* The most tasks to remember: any number may map a binary, and the first ones live longest. */
#define TASKS_MAX	8

bool dso_add_task(struct dso *dso, const struct task_map *map)
{
	for (size_t i = 0; i < dso->tasks.nr; i++)
		if (dso->tasks.items[i].pid == map->pid)
			return true;
	return dso->tasks.nr == TASKS_MAX || array_push(&dso->tasks, *map);
}

bool dso_owns(const struct dso *dso, const struct elf_file *file, enum symbol_file kind)
{
	struct build_id id;

	if (dso->id.size)
		return elf_file_build_id(file, &id) && build_id_equal(&id, &dso->id);
	if (kind != SYMBOL_FILE_ITSELF)
		return !dso->replaced;
	return !dso->of_here || !dso->numbers.inode ||
	       file_match(file->fd, &dso->numbers) != FILE_OTHER;
}

/* Whether the file at @path is proved to be the binary: a task's number may have been reused. */
static bool is_live_file(const struct dso *dso, const char *path)
{
	_cleanup_(elf_file) struct elf_file file = { .fd = -1 };

	if (!elf_file_open(&file, path))
		return false;
	if (dso->id.size)
		return dso_owns(dso, &file, SYMBOL_FILE_ITSELF);
	return dso->numbers.inode && file_match(file.fd, &dso->numbers) == FILE_SAME;
}

bool dso_find_live(const struct dso *dso, struct strbuf *ret_path, int32_t *ret_pid)
{
	for (size_t i = 0; dso->of_here && i < dso->tasks.nr; i++) {
		*ret_pid = dso->tasks.items[i].pid;
		for (unsigned int nr = 0; nr < TASK_MAP_PATHS; nr++)
			if (task_map_path(&dso->tasks.items[i], dso->path, nr, ret_path) &&
			    is_live_file(dso, ret_path->data))
				return true;
	}
	return false;
}

bool dso_open_vdso(const struct dso *dso, struct elf_file *ret)
{
	size_t size = 0;
	void *image = vdso_find(&size);

	if (!dso->id.size || !image || !elf_file_open_memory(ret, image, size))
		return false;
	if (dso_owns(dso, ret, SYMBOL_FILE_ITSELF))
		return true;
	elf_file_close(ret);
	return false;
}

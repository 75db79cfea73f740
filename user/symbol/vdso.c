// SPDX-License-Identifier: GPL-2.0
#include "symbol/vdso.h"

#include <stdio.h>
#include <string.h>

#include "lib/cleanup.h"
#include "symbol/elf/elf_file.h"

void *vdso_find(size_t *size)
{
	_cleanup_fclose_ FILE *maps = fopen("/proc/self/maps", "re");
	_cleanup_free_ char *line = NULL;
	size_t alloc = 0;

	while (maps && getline(&line, &alloc, maps) > 0) {
		unsigned long start, end;

		if (!strstr(line, "[vdso]") || sscanf(line, "%lx-%lx", &start, &end) != 2)
			continue;
		*size = end - start;
		return (void *)start;
	}
	return NULL;
}

bool vdso_build_id(struct build_id *ret)
{
	_cleanup_(elf_file) struct elf_file file = { .fd = -1 };
	size_t size = 0;
	void *image = vdso_find(&size);

	return image && elf_file_open_memory(&file, image, size) && elf_file_build_id(&file, ret);
}

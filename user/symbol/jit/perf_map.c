// SPDX-License-Identifier: GPL-2.0
#include "symbol/jit/perf_map.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "lib/cleanup.h"
#include "lib/file.h"

static bool take_perf_map_line(char *text, struct symbol *ret)
{
	char *end, *size, *name;

	text[strcspn(text, "\n")] = '\0';
	*ret = (struct symbol){ .start = strtoull(text, &size, 16), .binding = SYMBOL_GLOBAL };
	if (size == text || *size != ' ')
		return false;
	ret->end = ret->start + strtoull(size + 1, &end, 16);
	if (end == size + 1 || *end != ' ')
		return false;
	name = end + 1;
	ret->name = name;
	return *name && ret->end >= ret->start;
}

/* Anybody may put a file into /tmp, so only files of certain owners are trusted. */
static struct error *open_map(const char *path, uid_t owner, FILE **ret)
{
	struct stat st;
	_cleanup_close_ int fd = file_open_regular(path, O_NOFOLLOW, &st);

	if (fd < 0)
		return error_errno(errno, "Cannot open %s", path);
	if (st.st_uid && st.st_uid != geteuid() && st.st_uid != owner)
		return error_new(EPERM, "%s belongs to another user", path);
	*ret = fdopen(fd, "r");
	if (!*ret)
		return &error_no_memory;
	take_fd(fd);
	return NULL;
}

struct error *perf_map_read(const char *path, uid_t owner, struct symbols *symbols)
{
	_cleanup_fclose_ FILE *file = NULL;
	_cleanup_free_ char *text = NULL;
	struct error *err = open_map(path, owner, &file);
	size_t alloc = 0;

	if (err)
		return err;
	while (!err && getline(&text, &alloc, file) > 0) {
		struct symbol symbol;

		if (!take_perf_map_line(text, &symbol))
			continue;
		symbol.name = symbols_copy(symbols, symbol.name, strlen(symbol.name));
		err = symbol.name ? symbols_add(symbols, &symbol) : &error_no_memory;
	}
	return err ? err : symbols_sort(symbols);
}

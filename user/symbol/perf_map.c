// SPDX-License-Identifier: GPL-2.0
#include "symbol/perf_map.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lib/cleanup.h"

static bool take_line(char *text, struct symbol *ret)
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

struct error *perf_map_read(const char *path, struct symbols *symbols)
{
	_cleanup_fclose_ FILE *file = fopen(path, "re");
	_cleanup_free_ char *text = NULL;
	struct error *err = NULL;
	size_t alloc = 0;

	if (!file)
		return error_errno(errno, "Cannot open %s", path);
	while (!err && getline(&text, &alloc, file) > 0) {
		struct symbol symbol;

		if (!take_line(text, &symbol))
			continue;
		symbol.name = symbols_copy(symbols, symbol.name, strlen(symbol.name));
		err = symbol.name ? symbols_add(symbols, &symbol) : &error_no_memory;
	}
	return err ? err : symbols_sort(symbols);
}

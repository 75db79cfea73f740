// SPDX-License-Identifier: GPL-2.0
#include "probe/kernel_symbols.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lib/cleanup.h"

#define KALLSYMS "/proc/kallsyms"

/* Split "ffffffff81000000 T _text [module]"; false: it is no function. */
static bool kernel_symbols_split(char *line, uint64_t *address, char **name, char **module)
{
	char *type;

	*address = strtoull(line, &type, 16);
	if (*type++ != ' ' || !*type || !strchr("tTwW", *type) || type[1] != ' ')
		return false;
	*name = type + 2;
	*module = NULL;
	line = *name + strcspn(*name, " \t\n");
	if (*line == '\t' || *line == ' ') {
		*module = line + 2;
		(*module)[strcspn(*module, "]\n")] = '\0';
	}
	*line = '\0';
	return **name;
}

struct error *kernel_symbols(const char *module, kernel_symbol_fn function, void *context)
{
	_cleanup_fclose_ FILE *file = fopen(KALLSYMS, "re");
	_cleanup_free_ char *line = NULL;
	char *name, *part;
	uint64_t address;
	size_t alloc = 0;

	if (!file)
		return error_errno(errno, "Cannot read " KALLSYMS);
	while (getline(&line, &alloc, file) > 0) {
		if (!kernel_symbols_split(line, &address, &name, &part) ||
		    (module ? !part || strcmp(part, module) : part != NULL))
			continue;
		if (!function(context, name, address))
			break;
	}
	return NULL;
}

char *kernel_symbols_module_of(const char *function)
{
	_cleanup_fclose_ FILE *file = fopen(KALLSYMS, "re");
	_cleanup_free_ char *line = NULL;
	char *name, *module;
	uint64_t address;
	size_t alloc = 0;

	while (file && getline(&line, &alloc, file) > 0)
		if (kernel_symbols_split(line, &address, &name, &module) && module &&
		    !strcmp(name, function))
			return strdup(module);
	return NULL;
}

static bool kernel_symbols_match_start(void *context, const char *name, uint64_t address)
{
	if (strcmp(name, "_text"))
		return true;
	*(uint64_t *)context = address;
	return false;
}

uint64_t kernel_symbols_start(void)
{
	static uint64_t start;
	static bool read;

	if (!read)
		error_free(kernel_symbols(NULL, kernel_symbols_match_start, &start));
	read = true;
	return start;
}

// SPDX-License-Identifier: GPL-2.0
#include "probe/kernel_symbols.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lib/cleanup.h"

#define KALLSYMS "/proc/kallsyms"

/* Split "ffffffff81000000 T _text [module]"; false: it is not a function. */
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

/* Call @function for each function until it returns false; those of the kernel have no @module. */
typedef bool (*any_symbol_fn)(void *context, const char *name, uint64_t address,
			      const char *module);

static struct error *kernel_symbols_of_all(any_symbol_fn function, void *context)
{
	_cleanup_fclose_ FILE *file = fopen(KALLSYMS, "re");
	_cleanup_free_ char *line = NULL;
	char *name, *module;
	uint64_t address;
	size_t alloc = 0;

	if (!file)
		return error_errno(errno, "Cannot read " KALLSYMS);
	while (getline(&line, &alloc, file) > 0)
		if (kernel_symbols_split(line, &address, &name, &module) &&
		    !function(context, name, address, module))
			break;
	return NULL;
}

struct symbols_of_module {
	const char *module;
	kernel_symbol_fn function;
	void *context;
};

static bool kernel_symbols_match_module(void *context, const char *name, uint64_t address,
					const char *module)
{
	const struct symbols_of_module *wanted = context;

	if (wanted->module ? !module || strcmp(module, wanted->module) : module != NULL)
		return true;
	return wanted->function(wanted->context, name, address);
}

struct error *kernel_symbols(const char *module, kernel_symbol_fn function, void *context)
{
	struct symbols_of_module wanted = { module, function, context };

	return kernel_symbols_of_all(kernel_symbols_match_module, &wanted);
}

struct module_search {
	const char *function;
	char *module;
};

static bool kernel_symbols_match_function(void *context, const char *name, uint64_t address,
					  const char *module)
{
	struct module_search *search = context;

	if (!module || strcmp(name, search->function))
		return true;
	search->module = strdup(module);
	return false;
}

char *kernel_symbols_module_of(const char *function)
{
	struct module_search search = { .function = function };

	error_free(kernel_symbols_of_all(kernel_symbols_match_function, &search));
	return search.module;
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

// SPDX-License-Identifier: GPL-2.0
#include <errno.h>
#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cmd/command.h"
#include "lib/build_id.h"
#include "lib/cleanup.h"
#include "lib/log.h"
#include "symbol/dso.h"
#include "symbol/kallsyms.h"
#include "symbol/module_paths.h"
#include "symbol/symbols.h"
#include "terminal/options.h"
#include "terminal/word_list.h"

struct kallsyms_command {
	const char *file;	/* --kallsyms; NULL: those of the running kernel */
	struct symbols symbols;
	struct module_paths paths;
	bool missing;		/* a symbol was not found */
};

/* The address of a module; 0: unknown, or not a module, such as "bpf". */
static uint64_t kallsyms_module_start(const char *module)
{
	_cleanup_fclose_ FILE *file = fopen("/proc/modules", "re");
	unsigned long long start;
	char name[128];

	while (file && fscanf(file, "%127s %*s %*s %*s %*s %llx%*[^\n]", name, &start) == 2)
		if (!strcmp(name, module))
			return start;
	return 0;
}

/* Where a symbol is: in memory, and in the file of its module. */
struct kallsyms_place {
	uint64_t start, end;
	uint64_t offset, offset_end;
};

/* Read the file of the module, which has the sizes of functions. */
static struct error *kallsyms_look_into(const char *path, const struct symbol *symbol,
					struct kallsyms_place *place)
{
	_cleanup_(strbuf) struct strbuf name = STRBUF_INIT;
	const struct symbol_options options = { .vmlinux = NULL };
	const struct symbol *found;
	struct dso *dso;
	struct error *err;

	strbuf_addf(&name, "[%s]", symbol->part);
	if (name.failed)
		return &error_no_memory;
	err = dso_create(DSO_MODULE, name.data, path, &dso);
	if (err)
		return err;
	build_id_of_module(symbol->part, &dso->id);
	err = dso_load(dso, &options);
	found = err ? NULL : dso_find(dso, place->offset + dso->map_offset);
	if (found && !strcmp(found->name, symbol->name)) {
		place->offset = found->start;
		place->offset_end = found->end;
		place->end = place->start + (found->end - found->start);
	}
	dso_destroy(dso);
	return err;
}

static struct error *kallsyms_print(const struct kallsyms_command *c, const char *name,
				    const struct symbol *symbol)
{
	struct kallsyms_place place = { symbol->start, symbol->end, symbol->start, symbol->end };
	_cleanup_free_ char *path = NULL;
	struct error *err = NULL;
	uint64_t base;

	if (symbol->part && !c->file) {
		path = module_paths_find(&c->paths, symbol->part);
		if (!path)
			return &error_no_memory;
		base = kallsyms_module_start(symbol->part);
		place.offset -= base;
		place.offset_end -= base;
	}
	if (path && *path == '/')
		err = kallsyms_look_into(path, symbol, &place);
	if (err)
		return err;
	if (!symbol->part)
		printf("%s: [kernel] [kernel.kallsyms]", name);
	else if (path)
		printf("%s: [%s] %s", name, symbol->part, path);
	else
		printf("%s: [%s] [%s]", name, symbol->part, symbol->part);
	printf(" %#" PRIx64 "-%#" PRIx64 " (%#" PRIx64 "-%#" PRIx64 ")\n", place.start, place.end,
	       place.offset, place.offset_end);
	return NULL;
}

static const char *kallsyms_path(const struct kallsyms_command *c)
{
	return c->file ? c->file : "/proc/kallsyms";
}

/* Symbols keep only the best of several names at an address: search for the function again. */
static struct error *kallsyms_try_alias(struct kallsyms_command *c, const char *name,
					bool *ret_found)
{
	_cleanup_(symbols) struct symbols again = { .nr = 0 };
	const struct symbol *symbol;
	uint64_t address = 0;
	struct error *err = kallsyms_read(kallsyms_path(c), &again, name, &address);

	if (err)
		return err;
	symbol = address ? symbols_find(&c->symbols, address) : NULL;
	*ret_found = symbol && symbol->start == address;
	return *ret_found ? kallsyms_print(c, name, symbol) : NULL;
}

static struct error *kallsyms_find(void *data, const char *name)
{
	struct kallsyms_command *c = data;
	struct error *err = NULL;
	bool found = false;

	for (size_t i = 0; i < c->symbols.nr && !err; i++)
		if (!strcmp(c->symbols.items[i].name, name)) {
			err = kallsyms_print(c, name, &c->symbols.items[i]);
			found = true;
		}
	if (!err && !found)
		err = kallsyms_try_alias(c, name, &found);
	if (!err && !found) {
		printf("%s: not found\n", name);
		c->missing = true;
	}
	return err;
}

static struct error *kallsyms_run(struct kallsyms_command *c, char **names)
{
	struct error *err = kallsyms_read(kallsyms_path(c), &c->symbols, NULL, NULL);

	if (err)
		return err;
	log_debug("%s has %zu symbols of code and data.", kallsyms_path(c), c->symbols.nr);
	module_paths_read(&c->paths);
	for (; *names && !err; names++)
		err = word_list_each(*names, ",", kallsyms_find, c);
	return err;
}

struct error *cmd_kallsyms(int argc, char **argv, int *ret_status)
{
	struct kallsyms_command c = { .file = NULL };
	const struct option_spec options[] = {
		OPT_STRING("kallsyms", &c.file),
		OPT_COUNT("verbose", &log_verbosity),
		{ 0 },
	};
	const struct command_usage usage = {
		.name = "kallsyms",
		.synopsis = "[OPTIONS] SYMBOL...",
		.options = options,
	};
	struct error *err;
	int index;

	err = command_parse(&usage, argc, argv, &index);
	if (err || index < 0)
		return err;
	if (index == argc)
		return error_hint(error_new(EINVAL, "kallsyms needs the name of a symbol"),
				  "As in 'ktrace kallsyms vfs_read'");
	err = kallsyms_run(&c, argv + index);
	*ret_status = c.missing ? EXIT_FAILURE : 0;
	module_paths_deinit(&c.paths);
	symbols_deinit(&c.symbols);
	return err;
}

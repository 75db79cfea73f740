// SPDX-License-Identifier: GPL-2.0
#include "symbol/kallsyms.h"

#include <ctype.h>
#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lib/cleanup.h"

struct line {
	uint64_t address;
	char type;
	char *name;
	char *module;	/* NULL: none */
};

/* Functions and data; not absolute ones, nor undefined. */
static bool is_wanted(const struct line *line)
{
	return strchr("TWDB", toupper((unsigned char)line->type)) && *line->name != '$';
}

/* Cut "ADDRESS TYPE NAME\t[MODULE]\n" apart in place; false: it is none. */
static bool take_line(char *text, struct line *ret)
{
	char *end, *bracket;

	*ret = (struct line){ .address = strtoull(text, &end, 16) };
	if (end == text || end[0] != ' ' || !end[1] || end[2] != ' ')
		return false;
	ret->type = end[1];
	ret->name = end + 3;
	end = ret->name + strcspn(ret->name, "\t \n");
	bracket = strchr(end, '[');
	*end = '\0';
	if (bracket) {
		bracket[1 + strcspn(bracket + 1, "]\n")] = '\0';
		ret->module = bracket + 1;
	}
	return true;
}

/* Modules come in rows of lines. */
static const char *module_copy(struct symbols *symbols, const char *module)
{
	const struct symbol *last = symbols->nr ? &symbols->items[symbols->nr - 1] : NULL;

	if (last && last->part && !strcmp(last->part, module))
		return last->part;
	return symbols_copy(symbols, module, strlen(module));
}

static struct error *add_line(struct symbols *symbols, const struct line *line)
{
	bool weak = toupper((unsigned char)line->type) == 'W';
	struct symbol symbol = {
		.start = line->address,
		.end = line->address,
		.name = symbols_copy(symbols, line->name, strlen(line->name)),
		.part = line->module ? module_copy(symbols, line->module) : NULL,
		.binding = weak ? SYMBOL_WEAK :
			   isupper((unsigned char)line->type) ? SYMBOL_GLOBAL : SYMBOL_LOCAL,
	};

	if (!symbol.name || (line->module && !symbol.part))
		return &error_no_memory;
	return symbols_add(symbols, &symbol);
}

struct error *kallsyms_read(const char *path, struct symbols *symbols, const char *landmark,
			    uint64_t *ret_landmark)
{
	_cleanup_fclose_ FILE *file = fopen(path, "re");
	_cleanup_free_ char *text = NULL;
	struct error *err = NULL;
	size_t alloc = 0;

	if (landmark)
		*ret_landmark = 0;
	if (!file)
		return error_errno(errno, "Cannot open %s", path);
	while (!err && getline(&text, &alloc, file) > 0) {
		struct line line;

		if (!take_line(text, &line))
			continue;
		if (landmark && !*ret_landmark && strchr("TWA", toupper((unsigned char)line.type)) &&
		    !strcmp(line.name, landmark))
			*ret_landmark = line.address;
		if (is_wanted(&line))
			err = add_line(symbols, &line);
	}
	if (!err)
		err = symbols_settle(symbols, true);
	if (err)
		return err;
	if (!symbols->nr || !symbols->items[symbols->nr - 1].start)
		return error_hint(error_new(EPERM, "%s shows no addresses", path),
				  "Run it as root, or as root: sysctl kernel.kptr_restrict=0");
	return NULL;
}

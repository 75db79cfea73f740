// SPDX-License-Identifier: GPL-2.0
#include <dwarf.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "lib/array.h"
#include "probe/btf_argument.h"
#include "probe/location.h"
#include "probe/show.h"
#include "probe/variable.h"
#include "symbol/elf/dies.h"

struct variable_lines {
	char **items;
	size_t nr, alloc;
	const struct show_variables_options *options;
	const struct probe_binary *binary;
	struct probe_place *place;
	uint64_t start;		/* of the function */
	bool external;
};

static struct error *variable_lines_add(void *context, Dwarf_Die *die, bool location)
{
	struct variable_lines *lines = context;
	_cleanup_(strbuf) struct strbuf line = STRBUF_INIT;
	bool ranges = lines->options->ranges;
	char *copy;

	if (!show_passes(lines->options->filter, dwarf_diename(die)))
		return NULL;
	if (!location && !ranges)
		return NULL;
	if (ranges)
		strbuf_addstr(&line, lines->external ? "[EXT]\t" : "[VAL]\t");
	probe_variable_add_type(die, &line);
	strbuf_addf(&line, "\t%s", dwarf_diename(die));
	if (ranges) {
		Dwarf_Addr end;
		size_t before;

		strbuf_addf(&line, "\t@<%s+", dwarf_diename(&lines->place->function));
		before = line.len;
		probe_variable_add_ranges(die, lines->start, &line);
		/* A variable with a fixed location can be read in the whole function. */
		if (line.len == before && !dwarf_highpc(&lines->place->function, &end))
			strbuf_addf(&line, "[0-%llu]", (unsigned long long)(end - lines->start));
		strbuf_addch(&line, '>');
	}
	copy = line.failed ? NULL : strdup(line.data);
	if (copy && array_push(lines, copy))
		return NULL;
	free(copy);
	return &error_no_memory;
}

static void variable_lines_add_externs(struct variable_lines *lines)
{
	struct operand operand;
	Dwarf_Die child;

	lines->external = true;
	if (dwarf_child(&lines->place->unit, &child))
		return;
	do {
		if (dwarf_tag(&child) != DW_TAG_variable || !dwarf_diename(&child) ||
		    probe_location_find(lines->binary, lines->place, &child, &operand))
			continue;
		error_free(variable_lines_add(lines, &child, true));
	} while (!dwarf_siblingof(&child, &child));
}

static void variable_lines_print(struct variable_lines *lines, struct strbuf *out)
{
	strbuf_addf(out, "\t@<%s+%llu>\n", dwarf_diename(&lines->place->function),
		    (unsigned long long)(lines->place->address - lines->start));
	array_sort(lines, array_compare_texts);
	for (size_t i = 0; i < lines->nr; i++)
		if (!i || strcmp(lines->items[i], lines->items[i - 1]))
			strbuf_addf(out, "\t\t%s\n", lines->items[i]);
	if (!lines->nr)
		strbuf_addstr(out, "\t\t(No matched variables)\n");
	array_free_each(lines);
}

static struct error *show_variables_by_btf(const struct probe_binary *binary,
					   const struct probe_definition *definition,
					   struct strbuf *out)
{
	size_t before;
	struct error *err;

	if (!definition->function || definition->offset || definition->has_line ||
	    definition->pattern || binary->kind == PROBE_PROGRAM)
		return probe_binary_no_debug(binary);
	strbuf_addf(out, "Available variables at %s\n\t@<%s+0>\n", definition->function,
		    definition->function);
	before = out->len;
	err = btf_argument_list(binary->module, definition->function, "\t\t", out);
	if (!err && out->len == before)
		strbuf_addstr(out, "\t\t(No matched variables)\n");
	return err;
}

struct error *show_variables(const struct probe_binary *binary,
			     const struct probe_definition *definition,
			     const struct show_variables_options *options, struct strbuf *out)
{
	_cleanup_(probe_places) struct probe_places places = { 0 };
	struct error *err;

	if (!binary->dwarf)
		return show_variables_by_btf(binary, definition, out);
	err = probe_places_find(binary, definition, &options->places, &places);
	if (err && err->code == ENOENT)
		err->code = EINVAL;
	if (err)
		return err;
	strbuf_addstr(out, "Available variables at ");
	probe_definition_add_place(definition, out);
	strbuf_addch(out, '\n');
	for (size_t i = 0; !err && i < places.nr; i++) {
		struct variable_lines lines = {
			.options = options, .binary = binary, .place = &places.items[i],
		};

		dies_entry(&places.items[i].function, &lines.start);
		err = probe_variables(binary, &places.items[i], variable_lines_add, &lines);
		if (!err && options->externs)
			variable_lines_add_externs(&lines);
		variable_lines_print(&lines, out);
	}
	return err ? err : out->failed ? &error_no_memory : NULL;
}

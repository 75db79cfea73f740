// SPDX-License-Identifier: GPL-2.0
#include "symbol/dwarf_lines.h"

#include <dwarf.h>
#include <elfutils/libdw.h>
#include <stdlib.h>
#include <string.h>

#include "lib/array.h"
#include "symbol/elf_file.h"

/* Code of one compilation unit. */
struct unit_range {
	uint64_t start, end;
	Dwarf_Off unit;
};

struct dwarf_lines {
	struct elf_file file;
	Dwarf *dwarf;
	struct {
		struct unit_range *items;	/* ascending */
		size_t nr, alloc;
	} ranges;
};

void dwarf_lines_destroy(struct dwarf_lines *lines)
{
	if (!lines)
		return;
	if (lines->dwarf)
		dwarf_end(lines->dwarf);
	elf_file_close(&lines->file);
	free(lines->ranges.items);
	free(lines);
}

static int compare_ranges(const void *a, const void *b)
{
	const struct unit_range *x = a, *y = b;

	return x->start < y->start ? -1 : x->start > y->start;
}

static bool add_unit(struct dwarf_lines *lines, Dwarf_Off offset)
{
	Dwarf_Addr base, start, end;
	ptrdiff_t at = 0;
	Dwarf_Die unit;

	if (!dwarf_offdie(lines->dwarf, offset, &unit))
		return true;
	while ((at = dwarf_ranges(&unit, at, &base, &start, &end)) > 0) {
		struct unit_range range = { start, end, offset };

		if (!array_push(&lines->ranges, range))
			return false;
	}
	return true;
}

/* Not from .debug_aranges: not all compilers write it. */
static bool add_units(struct dwarf_lines *lines)
{
	Dwarf_Off at = 0, next;
	size_t header;

	while (!dwarf_nextcu(lines->dwarf, at, &next, &header, NULL, NULL, NULL)) {
		if (!add_unit(lines, at + header))
			return false;
		at = next;
	}
	if (lines->ranges.nr)
		qsort(lines->ranges.items, lines->ranges.nr, sizeof(*lines->ranges.items),
		      compare_ranges);
	return true;
}

struct dwarf_lines *dwarf_lines_open(const char *path)
{
	struct dwarf_lines *lines = calloc(1, sizeof(*lines));

	if (!lines)
		return NULL;
	if (elf_file_open(&lines->file, path))
		lines->dwarf = dwarf_begin_elf(lines->file.elf, DWARF_C_READ, NULL);
	if (lines->dwarf && add_units(lines) && lines->ranges.nr)
		return lines;
	dwarf_lines_destroy(lines);
	return NULL;
}

static bool find_unit(struct dwarf_lines *lines, uint64_t address, Dwarf_Die *ret)
{
	const struct unit_range *ranges = lines->ranges.items;
	size_t low = 0, high = lines->ranges.nr;

	while (low < high) {
		size_t middle = (low + high) / 2;

		if (ranges[middle].start <= address)
			low = middle + 1;
		else
			high = middle;
	}
	return low && address < ranges[low - 1].end &&
	       dwarf_offdie(lines->dwarf, ranges[low - 1].unit, ret);
}

static void find_line(Dwarf_Die *unit, uint64_t address, struct source_place *ret)
{
	Dwarf_Line *line = dwarf_getsrc_die(unit, address);
	int number = 0;

	*ret = (struct source_place){ .file = NULL };
	if (!line)
		return;
	ret->file = dwarf_linesrc(line, NULL, NULL);
	if (!dwarf_lineno(line, &number))
		ret->line = number;
}

static const char *function_name(Dwarf_Die *die)
{
	static const unsigned int names[] = { DW_AT_linkage_name, DW_AT_MIPS_linkage_name,
					      DW_AT_name };

	for (size_t i = 0; i < ARRAY_SIZE(names); i++) {
		Dwarf_Attribute attribute;
		const char *name;

		if (!dwarf_attr_integrate(die, names[i], &attribute))
			continue;
		name = dwarf_formstring(&attribute);
		if (name)
			return name;
	}
	return NULL;
}

/* Where the inlined function @die was called. */
static void find_call(Dwarf_Die *unit, Dwarf_Die *die, struct source_place *ret)
{
	Dwarf_Word file = 0, line = 0;
	Dwarf_Attribute attribute;
	Dwarf_Files *files;
	size_t nr;

	*ret = (struct source_place){ .file = NULL };
	if (dwarf_attr(die, DW_AT_call_file, &attribute) &&
	    !dwarf_formudata(&attribute, &file) && !dwarf_getsrcfiles(unit, &files, &nr) &&
	    file < nr)
		ret->file = dwarf_filesrc(files, file, NULL, NULL);
	if (dwarf_attr(die, DW_AT_call_line, &attribute) && !dwarf_formudata(&attribute, &line))
		ret->line = line;
}

/* The entries around the innermost one at @address, as they lie in the file. */
static int find_scopes(struct dwarf_lines *lines, Dwarf_Die *unit, uint64_t address,
		       Dwarf_Die **ret)
{
	Dwarf_Die *scopes = NULL, innermost;
	int nr = dwarf_getscopes(unit, address, &scopes);
	bool found;

	/* The outer ones of these are where an inlined function was written. */
	found = nr > 0 && dwarf_offdie(lines->dwarf, dwarf_dieoffset(&scopes[0]), &innermost);
	free(scopes);
	*ret = NULL;
	return found ? dwarf_getscopes_die(&innermost, ret) : 0;
}

/* Assemblers make one function of all aliases of an address; the symbol knows better. */
static bool is_assembler(Dwarf_Die *unit)
{
	return dwarf_srclang(unit) == DW_LANG_Mips_Assembler;
}

size_t dwarf_lines_find(struct dwarf_lines *lines, uint64_t address, struct source_place *places,
			size_t max)
{
	Dwarf_Die unit, *scopes = NULL;
	size_t nr = 0;
	int nr_scopes;

	if (!max || !find_unit(lines, address, &unit))
		return 0;
	find_line(&unit, address, &places[0]);
	nr_scopes = is_assembler(&unit) ? 0 : find_scopes(lines, &unit, address, &scopes);
	for (int i = 0; i < nr_scopes && nr < max; i++) {
		int tag = dwarf_tag(&scopes[i]);

		if (tag != DW_TAG_inlined_subroutine && tag != DW_TAG_subprogram)
			continue;
		places[nr++].function = function_name(&scopes[i]);
		if (tag == DW_TAG_subprogram)
			break;
		if (nr < max)
			find_call(&unit, &scopes[i], &places[nr]);
	}
	free(scopes);
	if (!nr && places[0].file)
		nr = 1;
	return nr;
}

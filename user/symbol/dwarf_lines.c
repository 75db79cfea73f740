// SPDX-License-Identifier: GPL-2.0
#include "symbol/dwarf_lines.h"

#include <dwarf.h>
#include <elfutils/libdw.h>
#include <stdlib.h>
#include <string.h>

#include "lib/array.h"
#include "lib/cleanup.h"
#include "lib/log.h"
#include "symbol/elf_file.h"

/*
 * The largest table that is read: each of its bytes can make a row, which takes libdw about
 * 100 bytes.
 */
#define LINE_TABLE_MAX	(4 << 20)

/* Code of one compilation unit. */
struct unit_range {
	uint64_t start, end;
	Dwarf_Off unit;
};

struct dwarf_lines {
	struct elf_file file;
	Dwarf *dwarf;
	char *path;
	Dwarf_Off unit;		/* the unit whose lines were asked for last */
	bool unit_has_lines;	/* its lines can be read */
	bool told;		/* we have said that a table is skipped */
	const Elf_Data *info;	/* .debug_info; NULL: none of that name */
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
	free(lines->path);
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

/* Collect the units themselves and do not trust .debug_aranges: not all compilers write it. */
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
	lines->path = strdup(path);
	if (lines->path && elf_file_open(&lines->file, path))
		lines->dwarf = dwarf_begin_elf(lines->file.elf, DWARF_C_READ, NULL);
	if (lines->dwarf) {
		struct elf_section info = elf_file_section(&lines->file, ".debug_info");

		lines->info = elf_section_data(&info);
	}
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

/* The size of the line table that @unit names, each byte of which may make a row; 0: none. */
static uint64_t line_table_size(struct dwarf_lines *lines, Dwarf_Die *unit)
{
	struct elf_section section = elf_file_section(&lines->file, ".debug_line");
	Elf_Data *data = elf_section_data(&section);
	Dwarf_Attribute attribute;
	Dwarf_Word at;
	uint64_t size = 0;
	uint32_t first;

	if (!data || !dwarf_attr(unit, DW_AT_stmt_list, &attribute) ||
	    dwarf_formudata(&attribute, &at) || at > data->d_size ||
	    data->d_size - at < sizeof(first) + sizeof(size))
		return 0;
	memcpy(&first, (const char *)data->d_buf + at, sizeof(first));
	if (first != UINT32_MAX)
		return first;
	memcpy(&size, (const char *)data->d_buf + at + sizeof(first), sizeof(size));
	return size;
}

/*
 * Whether a string ends inside of .debug_info, if it stands there: libdw reads such a string
 * up to the next NUL, and that of a damaged file may lie beyond the section.
 */
static bool string_ends(const struct dwarf_lines *lines, Dwarf_Attribute *attribute)
{
	const char *text = (const char *)attribute->valp, *begin, *end;

	if (!lines->info || dwarf_whatform(attribute) != DW_FORM_string)
		return true;
	begin = lines->info->d_buf;
	end = begin + lines->info->d_size;
	return text < begin || text >= end || memchr(text, '\0', end - text);
}

/*
 * Whether the unit's folder ends inside .debug_info: libdw puts it before the names of files.
 */
static bool folder_ends(const struct dwarf_lines *lines, Dwarf_Die *unit)
{
	Dwarf_Attribute attribute;

	return !dwarf_attr(unit, DW_AT_comp_dir, &attribute) || string_ends(lines, &attribute);
}

/* Whether the lines of @unit can be read, in reasonable time and memory. */
static bool may_read_lines(struct dwarf_lines *lines, Dwarf_Die *unit)
{
	Dwarf_Off offset = dwarf_dieoffset(unit);
	bool is_large;

	if (lines->unit == offset)
		return lines->unit_has_lines;
	is_large = line_table_size(lines, unit) > LINE_TABLE_MAX;
	if (is_large && !lines->told)
		log_notice("A table of line numbers in %s is larger than %d MB and is not read.",
			   lines->path, LINE_TABLE_MAX >> 20);
	lines->told |= is_large;
	lines->unit = offset;
	lines->unit_has_lines = !is_large && folder_ends(lines, unit);
	return lines->unit_has_lines;
}

static void find_line(struct dwarf_lines *lines, Dwarf_Die *unit, uint64_t address,
		      struct source_place *ret)
{
	Dwarf_Line *line = may_read_lines(lines, unit) ? dwarf_getsrc_die(unit, address) : NULL;
	int number = 0;

	*ret = (struct source_place){ .file = NULL };
	if (!line)
		return;
	ret->file = dwarf_linesrc(line, NULL, NULL);
	if (!dwarf_lineno(line, &number))
		ret->line = number;
}

static const char *die_function_name(const struct dwarf_lines *lines, Dwarf_Die *die)
{
	static const unsigned int names[] = { DW_AT_linkage_name, DW_AT_MIPS_linkage_name,
					      DW_AT_name };

	for (size_t i = 0; i < ARRAY_SIZE(names); i++) {
		Dwarf_Attribute attribute;
		const char *name;

		if (!dwarf_attr_integrate(die, names[i], &attribute) ||
		    !string_ends(lines, &attribute))
			continue;
		name = dwarf_formstring(&attribute);
		if (name)
			return name;
	}
	return NULL;
}

/* Find where the inlined function @die was called. */
static void find_call(struct dwarf_lines *lines, Dwarf_Die *unit, Dwarf_Die *die,
		      struct source_place *ret)
{
	Dwarf_Word file = 0, line = 0;
	Dwarf_Attribute attribute;
	Dwarf_Files *files;
	size_t nr;

	*ret = (struct source_place){ .file = NULL };
	if (may_read_lines(lines, unit) && dwarf_attr(die, DW_AT_call_file, &attribute) &&
	    !dwarf_formudata(&attribute, &file) && !dwarf_getsrcfiles(unit, &files, &nr) &&
	    file < nr)
		ret->file = dwarf_filesrc(files, file, NULL, NULL);
	if (dwarf_attr(die, DW_AT_call_line, &attribute) && !dwarf_formudata(&attribute, &line))
		ret->line = line;
}

/* Nested entries, the outermost first. */
struct scopes {
	struct scope {
		Dwarf_Die die;
		bool inside;	/* it contains the address; else an entry below it may */
	} *items;
	size_t nr, alloc;
};

static void scopes_deinit(struct scopes *scopes)
{
	free(scopes->items);
}
DEFINE_CLEANUP(scopes, struct scopes, scopes_deinit)

static bool has_code(Dwarf_Die *die)
{
	return dwarf_hasattr(die, DW_AT_low_pc) || dwarf_hasattr(die, DW_AT_ranges);
}

/*
 * Find the entries around the innermost one at @address, as they are nested in the file.  The
 * file decides how deep they are nested, so nothing here may recurse.
 */
static bool find_scopes(Dwarf_Die *unit, uint64_t address, struct scopes *scopes)
{
	struct scope scope = { .inside = false };

	if (dwarf_child(unit, &scope.die))
		return false;
	for (;;) {
		bool open = !has_code(&scope.die) && dwarf_tag(&scope.die) == DW_TAG_namespace;
		Dwarf_Die next;

		scope.inside = has_code(&scope.die) && dwarf_haspc(&scope.die, address) > 0;
		if ((scope.inside || open) && !array_push(scopes, scope))
			return false;
		if ((scope.inside || open) && !dwarf_child(&scope.die, &next)) {
			scope.die = next;
			continue;
		}
		if (scope.inside)
			return true;
		if (open)
			scopes->nr--;
		/*
		 * Nothing was found there: go on with the next entry, or with the one after
		 * its parent.
		 */
		while (dwarf_siblingof(&scope.die, &next)) {
			if (!scopes->nr)
				return false;
			scope = scopes->items[scopes->nr - 1];
			if (scope.inside)
				return true;
			scopes->nr--;
		}
		scope.die = next;
	}
}

/* Assemblers make one function of all aliases of an address, so the symbol's name is better. */
static bool is_assembler(Dwarf_Die *unit)
{
	return dwarf_srclang(unit) == DW_LANG_Mips_Assembler;
}

size_t dwarf_lines_find(struct dwarf_lines *lines, uint64_t address, struct source_place *places,
			size_t max)
{
	_cleanup_(scopes) struct scopes scopes = { .items = NULL };
	Dwarf_Die unit;
	size_t nr = 0;

	if (!max || !find_unit(lines, address, &unit))
		return 0;
	find_line(lines, &unit, address, &places[0]);
	if (is_assembler(&unit) || !find_scopes(&unit, address, &scopes))
		scopes.nr = 0;
	for (size_t i = scopes.nr; i-- > 0 && nr < max; ) {
		Dwarf_Die *die = &scopes.items[i].die;
		int tag = dwarf_tag(die);

		if (tag != DW_TAG_inlined_subroutine && tag != DW_TAG_subprogram)
			continue;
		places[nr++].function = die_function_name(lines, die);
		if (tag == DW_TAG_subprogram)
			break;
		if (nr < max)
			find_call(lines, &unit, die, &places[nr]);
	}
	if (!nr && places[0].file)
		nr = 1;
	return nr;
}

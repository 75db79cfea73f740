// SPDX-License-Identifier: GPL-2.0
#include "symbol/elf/dwarf_lines.h"

#include <byteswap.h>
#include <stdlib.h>
#include <string.h>

#include "lib/array.h"
#include "lib/cleanup.h"
#include "lib/hash.h"
#include "lib/hash_table.h"
#include "lib/library.h"
#include "lib/log.h"
#include "symbol/elf/elf_expand.h"
#include "symbol/elf/elf_file.h"
#include "symbol/elf/inline_table.h"
#include "with/libdw.h"

/*
 * The largest table that is read: each of its bytes can add a row, which takes libdw about 100
 * bytes.
 */
#define LINE_TABLE_MAX	(4 << 20)

/* The most functions that are inlined into each other at one address. */
#define MAX_PLACES	256

/* A compilation unit. */
struct lines_unit {
	Dwarf_Off offset;
	Dwarf_Die die;
	struct inline_table *inlines;	/* NULL: not needed yet, or none */
	bool opened;			/* the members below, and die, are set */
	bool has_lines;			/* its lines can be read */
};

/* Code of one compilation unit. */
struct unit_range {
	uint64_t start, end;
	size_t unit;		/* position in units */
};

/* A resolved address, and the position of its results in `places`. */
struct found_address {
	uint64_t address;
	size_t first, nr;
};

struct dwarf_lines {
	struct elf_file file;
	Dwarf *dwarf;
	char *path;
	bool told;		/* the warning about a skipped table was printed */
	bool told_inlines;	/* the warning about missing inlined functions was printed */
	const Elf_Data *info;	/* .debug_info; NULL: none of that name */
	ARRAY_OF(struct lines_unit) units;
	ARRAY_OF(struct unit_range) ranges;	/* ascending */
	ARRAY_OF(struct found_address) found;
	struct hash_table found_table;		/* positions in found */
	ARRAY_OF(struct source_place) places;
};

void dwarf_lines_destroy(struct dwarf_lines *lines)
{
	if (!lines)
		return;
	if (lines->dwarf)
		dwarf_end(lines->dwarf);
	elf_file_close(&lines->file);
	for (size_t i = 0; i < lines->units.nr; i++)
		inline_table_destroy(lines->units.items[i].inlines);
	free(lines->units.items);
	free(lines->ranges.items);
	free(lines->found.items);
	hash_table_deinit(&lines->found_table);
	free(lines->places.items);
	free(lines->path);
	free(lines);
}

DEFINE_COMPARISON(compare_ranges, struct unit_range, array_order(x->start, y->start))

static bool add_unit(struct dwarf_lines *lines, Dwarf_Off offset)
{
	const struct lines_unit added = { .offset = offset };
	Dwarf_Addr base, start, end;
	ptrdiff_t at = 0;
	Dwarf_Die unit;

	if (!dwarf_offdie(lines->dwarf, offset, &unit))
		return true;
	if (!array_push(&lines->units, added))
		return false;
	while ((at = dwarf_ranges(&unit, at, &base, &start, &end)) > 0) {
		struct unit_range range = { start, end, lines->units.nr - 1 };

		if (!array_push(&lines->ranges, range))
			return false;
	}
	return true;
}

/* Collect the units themselves: not all compilers write a complete .debug_aranges. */
static bool add_units(struct dwarf_lines *lines)
{
	Dwarf_Off at = 0, next;
	size_t header;

	while (!dwarf_nextcu(lines->dwarf, at, &next, &header, NULL, NULL, NULL)) {
		if (!add_unit(lines, at + header))
			return false;
		at = next;
	}
	array_sort(&lines->ranges, compare_ranges);
	return true;
}

struct dwarf_lines *dwarf_lines_open(const char *path)
{
	struct dwarf_lines *lines = calloc(1, sizeof(*lines));

	if (!lines)
		return NULL;
	library_notice(LIBRARY_DW);
	lines->path = strdup(path);
	if (lines->path && elf_file_open(&lines->file, path) && elf_file_expand(&lines->file))
		lines->dwarf = dwarf_begin_elf(lines->file.elf, DWARF_C_READ, NULL);
	if (lines->dwarf) {
		struct elf_section info = elf_file_section(&lines->file, ".debug_info");

		lines->info = elf_section_data(&info);
	}
	if (lines->dwarf && !elf_debug_strings_end(lines->file.elf))
		log_notice("The debug information of %s is damaged and is not read.", path);
	else if (lines->dwarf && add_units(lines) && lines->ranges.nr)
		return lines;
	dwarf_lines_destroy(lines);
	return NULL;
}

static struct lines_unit *find_unit(struct dwarf_lines *lines, uint64_t address)
{
	const size_t nr = array_count_until(&lines->ranges, start, address);
	const struct unit_range *range = nr ? &lines->ranges.items[nr - 1] : NULL;

	return range && address < range->end ? &lines->units.items[range->unit] : NULL;
}

/* The size of the line table that @unit names; each byte may add a row; 0: none. */
static uint64_t line_table_size(struct dwarf_lines *lines, Dwarf_Die *unit)
{
	struct elf_section section = elf_file_section(&lines->file, ".debug_line");
	Elf_Data *data = elf_section_data(&section);
	Dwarf_Attribute attribute;
	Dwarf_Word at;
	uint64_t size = 0;
	uint32_t first;
	bool swapped;

	if (!data || !dwarf_attr(unit, DW_AT_stmt_list, &attribute) ||
	    dwarf_formudata(&attribute, &at) || at > data->d_size ||
	    data->d_size - at < sizeof(first) + sizeof(size))
		return 0;
	memcpy(&first, (const char *)data->d_buf + at, sizeof(first));
	swapped = lines->file.header.e_ident[EI_DATA] !=
		  (__BYTE_ORDER == __LITTLE_ENDIAN ? ELFDATA2LSB : ELFDATA2MSB);
	if (first != UINT32_MAX)
		return swapped ? bswap_32(first) : first;
	memcpy(&size, (const char *)data->d_buf + at + sizeof(first), sizeof(size));
	return swapped ? bswap_64(size) : size;
}

/*
 * Whether a string in .debug_info ends inside of it.  libdw reads such a string up to the next NUL,
 * which may be beyond the section of a damaged file.
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
 * Whether the string of the unit's folder ends inside .debug_info: libdw puts it before the names
 * of files.
 */
static bool folder_ends(const struct dwarf_lines *lines, Dwarf_Die *unit)
{
	Dwarf_Attribute attribute;

	return !dwarf_attr(unit, DW_AT_comp_dir, &attribute) || string_ends(lines, &attribute);
}

/* Whether the lines of @unit can be read, in reasonable time and memory. */
static bool may_read_lines(struct dwarf_lines *lines, Dwarf_Die *unit)
{
	bool is_large = line_table_size(lines, unit) > LINE_TABLE_MAX;

	if (is_large && !lines->told)
		log_notice("A table of line numbers in %s is larger than %d MB and is not read.",
			   lines->path, LINE_TABLE_MAX >> 20);
	lines->told |= is_large;
	return !is_large && folder_ends(lines, unit);
}

/* Assemblers create one function for all aliases of an address, so the symbol's name is better. */
static bool is_assembler(Dwarf_Die *unit)
{
	return dwarf_srclang(unit) == DW_LANG_Mips_Assembler;
}

/* Read the needed data of a unit once; false: it cannot be read. */
static bool open_unit(struct dwarf_lines *lines, struct lines_unit *unit)
{
	bool all = true;

	if (unit->opened)
		return true;
	if (!dwarf_offdie(lines->dwarf, unit->offset, &unit->die))
		return false;
	unit->opened = true;
	unit->has_lines = may_read_lines(lines, &unit->die);
	if (!is_assembler(&unit->die))
		unit->inlines = inline_table_create(&unit->die, &all);
	if (!all && !lines->told_inlines)
		log_notice("A part of %s describes so much code that some of its inlined functions "
			   "are left out.", lines->path);
	lines->told_inlines |= !all;
	return true;
}

/* open_unit() has checked that the folder's text ends. */
static const char *folder_of(struct lines_unit *unit, const char *file)
{
	Dwarf_Attribute attribute;

	if (!file || *file == '/' || !dwarf_attr(&unit->die, DW_AT_comp_dir, &attribute))
		return NULL;
	return dwarf_formstring(&attribute);
}

static void find_line(struct lines_unit *unit, uint64_t address, struct source_place *ret)
{
	Dwarf_Line *line = unit->has_lines ? dwarf_getsrc_die(&unit->die, address) : NULL;
	int number = 0;

	*ret = (struct source_place){ .file = NULL };
	if (!line)
		return;
	ret->file = dwarf_linesrc(line, NULL, NULL);
	ret->folder = folder_of(unit, ret->file);
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

/* Find the line where the inlined function @die was called. */
static void find_call(struct lines_unit *unit, Dwarf_Die *die, struct source_place *ret)
{
	Dwarf_Word file = 0, line = 0;
	Dwarf_Attribute attribute;
	Dwarf_Files *files;
	size_t nr;

	*ret = (struct source_place){ .file = NULL };
	if (unit->has_lines && dwarf_attr(die, DW_AT_call_file, &attribute) &&
	    !dwarf_formudata(&attribute, &file) && !dwarf_getsrcfiles(&unit->die, &files, &nr) &&
	    file < nr)
		ret->file = dwarf_filesrc(files, file, NULL, NULL);
	ret->folder = folder_of(unit, ret->file);
	if (dwarf_attr(die, DW_AT_call_line, &attribute) && !dwarf_formudata(&attribute, &line))
		ret->line = line;
}

/* Store the places of @address, the innermost function first; returns their number. */
static size_t resolve_address(struct dwarf_lines *lines, uint64_t address,
			      struct source_place places[MAX_PLACES])
{
	struct lines_unit *unit = find_unit(lines, address);
	uint32_t function = INLINE_NONE;
	size_t nr = 0;

	if (!unit || !open_unit(lines, unit))
		return 0;
	find_line(unit, address, &places[0]);
	if (unit->inlines)
		function = inline_table_find(unit->inlines, address);
	while (function != INLINE_NONE && nr < MAX_PLACES) {
		Dwarf_Die *die = inline_table_die(unit->inlines, function);

		places[nr++].function = die_function_name(lines, die);
		function = inline_table_caller(unit->inlines, function);
		if (function != INLINE_NONE && nr < MAX_PLACES)
			find_call(unit, die, &places[nr]);
	}
	if (!nr && places[0].file)
		nr = 1;
	return nr;
}

static const struct found_address *find_found_address(const struct dwarf_lines *lines,
						      uint64_t address)
{
	hash_table_each(&lines->found_table, hash_key_number(address), n) {
		const struct found_address *found = &lines->found.items[n];

		if (found->address == address)
			return found;
	}
	return NULL;
}

static bool store_found_address(struct dwarf_lines *lines, uint64_t address,
				const struct source_place *places, size_t nr)
{
	struct found_address added = { .address = address, .first = lines->places.nr, .nr = nr };

	for (size_t i = 0; i < nr; i++)
		if (!array_push(&lines->places, places[i]))
			return false;
	return array_push(&lines->found, added) &&
	       hash_table_add(&lines->found_table, hash_key_number(address), lines->found.nr - 1);
}

bool dwarf_lines_add(struct dwarf_lines *lines, uint64_t address,
		     const struct source_place *places, size_t nr)
{
	return find_found_address(lines, address) ||
	       store_found_address(lines, address, places, nr);
}

/* Resolve an address for the first time; NULL: out of memory. */
static const struct found_address *add_found_address(struct dwarf_lines *lines, uint64_t address)
{
	struct source_place places[MAX_PLACES];
	size_t nr = resolve_address(lines, address, places);

	return store_found_address(lines, address, places, nr) ?
	       &lines->found.items[lines->found.nr - 1] : NULL;
}

Dwarf *dwarf_lines_dwarf(const struct dwarf_lines *lines)
{
	return lines->dwarf;
}

bool dwarf_lines_unit(struct dwarf_lines *lines, uint64_t address, Dwarf_Die *ret)
{
	struct lines_unit *unit = find_unit(lines, address);
	uint8_t type;
	Dwarf_Die sub;

	if (!unit || !open_unit(lines, unit))
		return false;
	*ret = unit->die;
	/* If debug information is split, the functions and variables are in the other part. */
	if (!dwarf_cu_info(unit->die.cu, NULL, &type, NULL, &sub, NULL, NULL, NULL) &&
	    type == DW_UT_skeleton && dwarf_tag(&sub) == DW_TAG_compile_unit)
		*ret = sub;
	return true;
}

struct dwarf_lines *dwarf_lines_create(void)
{
	struct dwarf_lines *lines = calloc(1, sizeof(*lines));

	if (lines)
		lines->file.fd = -1;
	return lines;
}

size_t dwarf_lines_nr(const struct dwarf_lines *lines)
{
	return lines->found.nr;
}

size_t dwarf_lines_at(const struct dwarf_lines *lines, size_t position, uint64_t *ret_address,
		      const struct source_place **ret)
{
	const struct found_address *found = &lines->found.items[position];

	*ret_address = found->address;
	*ret = found->nr ? &lines->places.items[found->first] : NULL;
	return found->nr;
}

size_t dwarf_lines_find(struct dwarf_lines *lines, uint64_t address, struct source_place *places,
			size_t max)
{
	const struct found_address *found = find_found_address(lines, address);

	if (!found)
		found = add_found_address(lines, address);
	if (!found)
		return 0;
	if (max > found->nr)
		max = found->nr;
	if (max)
		memcpy(places, &lines->places.items[found->first], max * sizeof(*places));
	return max;
}

// SPDX-License-Identifier: GPL-2.0
#include "symbol/jit/jit_lines.h"

#include <byteswap.h>
#include <string.h>

#include "lib/array.h"
#include "lib/hash.h"
#include "lib/hash_table.h"
#include "lib/varint.h"
#include "with/libdw.h"

#define JIT_DWARF_VERSION	4

/* The number of the only abbreviation. */
#define JIT_UNIT		1

struct line_table {
	const struct jitdump_record *function;
	uint64_t address;		/* in the binary */
	uint8_t address_size;
	bool swapped;
	struct {
		const char **items;
		size_t nr, alloc;
	} files;
	struct hash_table names;	/* positions in files */
	struct strbuf program;
};

static void line_table_deinit(struct line_table *table)
{
	free(table->files.items);
	hash_table_deinit(&table->names);
	strbuf_deinit(&table->program);
}
DEFINE_CLEANUP(line_table, struct line_table, line_table_deinit)

static void put16(const struct line_table *table, uint16_t value, struct strbuf *out)
{
	value = table->swapped ? bswap_16(value) : value;
	strbuf_add(out, &value, sizeof(value));
}

static void put32(const struct line_table *table, uint32_t value, struct strbuf *out)
{
	value = table->swapped ? bswap_32(value) : value;
	strbuf_add(out, &value, sizeof(value));
}

static void put_address(const struct line_table *table, uint64_t value, struct strbuf *out)
{
	if (table->address_size == sizeof(uint32_t))
		return put32(table, value, out);
	value = table->swapped ? bswap_64(value) : value;
	strbuf_add(out, &value, sizeof(value));
}

/* A signed number in the form of varint_add(), whose last byte has the sign in its bit 6. */
static void put_signed(int64_t number, struct strbuf *out)
{
	for (; number < -0x40 || number >= 0x40; number >>= 7)
		strbuf_addch(out, number | 0x80);
	strbuf_addch(out, number & 0x7f);
}

static void put_dwarf_text(const char *text, struct strbuf *out)
{
	strbuf_add(out, text, strlen(text) + 1);
}

/* Returns the number of a file, from 1 on; 0: no memory. */
static size_t number_file(struct line_table *table, const char *name)
{
	uint64_t hash = hash_key_text(name);
	size_t at;

	for (bool more = hash_table_first(&table->names, hash, &at); more;
	     more = hash_table_next(&table->names, &at))
		if (!strcmp(table->files.items[hash_table_value(&table->names, at)], name))
			return hash_table_value(&table->names, at) + 1;
	if (!array_push(&table->files, name) ||
	    !hash_table_add(&table->names, hash, table->files.nr - 1))
		return 0;
	return table->files.nr;
}

static void put_extended(uint8_t operation, size_t size, struct strbuf *out)
{
	strbuf_addch(out, 0);
	varint_add(out, 1 + size);
	strbuf_addch(out, operation);
}

static void advance_pc(struct line_table *table, uint64_t distance)
{
	strbuf_addch(&table->program, DW_LNS_advance_pc);
	varint_add(&table->program, distance);
}

/* Lines outside of the function, and those that go back, have no place in a table. */
static bool put_line_row(struct line_table *table, const struct jitdump_line *line,
			 uint64_t *offset, size_t *file, uint32_t *number)
{
	uint64_t at = line->address - table->function->address;
	size_t in = number_file(table, line->file);

	if (at >= table->function->size || at < *offset)
		return in;
	if (in != *file) {
		strbuf_addch(&table->program, DW_LNS_set_file);
		varint_add(&table->program, in);
	}
	strbuf_addch(&table->program, DW_LNS_advance_line);
	put_signed((int64_t)line->line - *number, &table->program);
	advance_pc(table, at - *offset);
	strbuf_addch(&table->program, DW_LNS_copy);
	*offset = at;
	*file = in;
	*number = line->line;
	return in;
}

static bool put_program(struct line_table *table)
{
	const struct jitdump_lines *lines = table->function->lines;
	struct strbuf *program = &table->program;
	uint64_t offset = 0;
	uint32_t number = 1;
	size_t file = 1;

	put_extended(DW_LNE_set_address, table->address_size, program);
	put_address(table, table->address, program);
	for (size_t i = 0; i < lines->nr; i++)
		if (!put_line_row(table, &lines->items[i], &offset, &file, &number))
			return false;
	advance_pc(table, table->function->size - offset);
	put_extended(DW_LNE_end_sequence, 0, program);
	return !program->failed;
}

static void put_line_header(struct line_table *table, struct strbuf *out)
{
	/* How many operands the standard operations have, from the first one on. */
	static const uint8_t operands[] = { 0, 1, 1, 1, 1, 0, 0, 0, 1 };
	/* The least length of an instruction, operations in one, is_stmt, line_base, line_range. */
	static const uint8_t parameters[] = { 1, 1, 1, 0, 1 };

	strbuf_add(out, parameters, sizeof(parameters));
	strbuf_addch(out, sizeof(operands) + 1);
	strbuf_add(out, operands, sizeof(operands));
	strbuf_addch(out, 0);		/* no folders */
	for (size_t i = 0; i < table->files.nr; i++) {
		put_dwarf_text(table->files.items[i], out);
		strbuf_add(out, "\0\0", 3);	/* folder, time, size */
	}
	strbuf_addch(out, 0);
}

static struct error *put_line_section(struct line_table *table, struct strbuf *out)
{
	_cleanup_(strbuf) struct strbuf header = STRBUF_INIT;

	put_line_header(table, &header);
	if (header.failed)
		return &error_no_memory;
	put32(table, sizeof(uint16_t) + sizeof(uint32_t) + header.len + table->program.len, out);
	put16(table, JIT_DWARF_VERSION, out);
	put32(table, header.len, out);
	strbuf_add(out, header.data, header.len);
	strbuf_add(out, table->program.data, table->program.len);
	return out->failed ? &error_no_memory : NULL;
}

static void put_abbrev_section(struct strbuf *out)
{
	static const uint8_t unit[] = {
		JIT_UNIT, DW_TAG_compile_unit, DW_CHILDREN_no,
		DW_AT_name, DW_FORM_string,
		DW_AT_low_pc, DW_FORM_addr,
		DW_AT_high_pc, DW_FORM_data4,
		DW_AT_stmt_list, DW_FORM_sec_offset,
		0, 0,
		0,
	};

	strbuf_add(out, unit, sizeof(unit));
}

static void put_info_section(const struct line_table *table, struct strbuf *out)
{
	const char *name = table->files.items[0];

	put32(table, sizeof(uint16_t) + sizeof(uint32_t) + 2 + strlen(name) + 1 +
	      table->address_size + 2 * sizeof(uint32_t), out);
	put16(table, JIT_DWARF_VERSION, out);
	put32(table, 0, out);		/* of the abbreviations */
	strbuf_addch(out, table->address_size);
	strbuf_addch(out, JIT_UNIT);
	put_dwarf_text(name, out);
	put_address(table, table->address, out);
	put32(table, table->function->size, out);
	put32(table, 0, out);		/* of the lines */
}

struct error *jit_lines_make(const struct jitdump *dump, const struct jitdump_record *function,
			     uint64_t address, uint8_t address_size, struct jit_lines *ret)
{
	_cleanup_(line_table) struct line_table table = {
		.function = function, .address = address, .address_size = address_size,
		.swapped = dump->swapped,
	};
	struct error *err;

	if (!put_program(&table))
		return &error_no_memory;
	err = put_line_section(&table, &ret->line);
	if (err)
		return err;
	put_abbrev_section(&ret->abbrev);
	put_info_section(&table, &ret->info);
	return ret->abbrev.failed || ret->info.failed ? &error_no_memory : NULL;
}

void jit_lines_deinit(struct jit_lines *lines)
{
	strbuf_deinit(&lines->abbrev);
	strbuf_deinit(&lines->info);
	strbuf_deinit(&lines->line);
}

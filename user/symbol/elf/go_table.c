// SPDX-License-Identifier: GPL-2.0
#include "symbol/elf/go_table.h"

#include <string.h>

#include "lib/array.h"

#define MAGIC_1_18	0xfffffff0u
#define MAGIC_1_20	0xfffffff1u

/*
 * struct pcHeader of Go's runtime, up to the last used word; its words have the size of a pointer.
 */
enum {
	WORD_FUNCTIONS,		/* number of functions */
	WORD_FILES,
	WORD_TEXT,		/* the base address of functions */
	WORD_NAMES,		/* offset of the names */
	WORD_UNITS,
	WORD_FILE_NAMES,
	WORD_PC_TABLE,
	WORD_TABLE,		/* offset of the table of functions */
	WORD_NR,
};

#define WORDS_AT	8

/* An entry of the table; the end of the last function follows the last entry. */
struct go_function {
	uint32_t entry;		/* its offset in the text */
	uint32_t at;		/* its struct _func: an offset in the table */
};

/* struct _func: the entry again, then the offset of the name. */
struct go_details {
	uint32_t entry, name;
};

struct go_table {
	const struct elf_file *file;
	uint64_t address;
	const char *data;
	size_t size;
	uint64_t words[WORD_NR];
};

static bool is_go_header(const void *data, size_t size)
{
	const uint8_t *head = data;
	uint32_t magic;

	if (size < WORDS_AT)
		return false;
	memcpy(&magic, head, sizeof(magic));
	return (magic == MAGIC_1_18 || magic == MAGIC_1_20) && !head[4] && !head[5] &&
	       (head[7] == 4 || head[7] == 8);
}

/* Find the table.  Other linkers than Go's put it among other data.  False: there is none. */
static bool find_go_table(const struct elf_file *file, struct go_table *ret)
{
	static const char *const names[] = { ".gopclntab", ".data.rel.ro.gopclntab",
					     ".data.rel.ro" };

	*ret = (struct go_table){ .file = file };
	if (!is_go_program(file))
		return false;
	for (size_t i = 0; i < ARRAY_SIZE(names); i++) {
		struct elf_section section = elf_file_section(file, names[i]);
		Elf_Data *data = elf_section_data(&section);

		for (size_t at = 0; data && at < data->d_size; at += WORDS_AT) {
			ret->address = section.header.sh_addr + at;
			ret->data = (const char *)data->d_buf + at;
			ret->size = data->d_size - at;
			if (is_go_header(ret->data, ret->size))
				return true;
			if (i + 1 < ARRAY_SIZE(names))
				break;
		}
	}
	return false;
}

bool go_table_exists(const struct elf_file *file)
{
	struct go_table table;

	return find_go_table(file, &table);
}

bool is_go_program(const struct elf_file *file)
{
	return elf_file_section(file, ".note.go.buildid").scn ||
	       elf_file_section(file, ".gopclntab").scn ||
	       elf_file_section(file, ".data.rel.ro.gopclntab").scn;
}

static bool go_bytes(const struct go_table *table, uint64_t at, void *ret, size_t size)
{
	if (at > table->size || size > table->size - at)
		return false;
	memcpy(ret, table->data + at, size);
	return true;
}

static bool read_go_words(struct go_table *table)
{
	size_t size = table->data[7];

	for (size_t i = 0; i < WORD_NR; i++)
		if (!go_bytes(table, WORDS_AT + i * size, &table->words[i], size))
			return false;
	return true;
}

/* The value at @address when the program starts; in the file it is 0. */
static uint64_t relocated_word(const struct elf_file *file, uint64_t address)
{
	struct elf_section section = elf_file_section(file, ".rela.dyn");
	Elf_Data *data = elf_section_data(&section);
	GElf_Rela rela;

	for (int i = 0; data && gelf_getrela(data, i, &rela); i++)
		if (rela.r_offset == address)
			return rela.r_addend;
	return 0;
}

static bool go_function_at(const struct go_table *table, uint64_t i, struct go_function *ret)
{
	return go_bytes(table, table->words[WORD_TABLE] + i * sizeof(*ret), ret, sizeof(*ret));
}

/* Whether the program's entry is a function of the table, if their base is @text. */
static bool begins_in_go(const struct go_table *table, uint64_t text)
{
	struct go_function function;

	for (uint64_t i = 0; i < table->words[WORD_FUNCTIONS]; i++) {
		if (!go_function_at(table, i, &function))
			return false;
		if (text + function.entry == table->file->header.e_entry)
			return true;
	}
	return false;
}

/* The base address of functions, which Go 1.26 and later do not store.  0: not known. */
static uint64_t go_text(const struct go_table *table)
{
	struct elf_section text = elf_file_section(table->file, ".text");
	uint64_t start = table->words[WORD_TEXT];

	if (!start)
		start = relocated_word(table->file, table->address + WORDS_AT +
				       WORD_TEXT * table->data[7]);
	if (!start && text.scn && begins_in_go(table, text.header.sh_addr))
		start = text.header.sh_addr;
	return start;
}

static struct error *add_go_function(const struct go_table *table, uint64_t i, uint64_t text,
				     struct symbols *symbols)
{
	struct symbol symbol = { .binding = SYMBOL_GLOBAL };
	struct go_function function, next;
	struct go_details details;
	GElf_Phdr segment;
	const char *name;
	uint64_t at;
	size_t len;

	if (!go_function_at(table, i, &function) || !go_function_at(table, i + 1, &next) ||
	    !go_bytes(table, table->words[WORD_TABLE] + function.at, &details, sizeof(details)))
		return NULL;
	at = table->words[WORD_NAMES] + details.name;
	if (at >= table->size || next.entry <= function.entry ||
	    !elf_file_segment(table->file, text + function.entry, &segment))
		return NULL;
	len = strnlen(table->data + at, table->size - at);
	name = len ? symbols_copy(symbols, table->data + at, len) : NULL;
	symbol.start = text + function.entry - segment.p_vaddr + segment.p_offset;
	symbol.end = symbol.start + next.entry - function.entry;
	symbol.name = name;
	return !len ? NULL : name ? symbols_add(symbols, &symbol) : &error_no_memory;
}

struct error *go_table_add(const struct elf_file *file, struct symbols *symbols)
{
	struct error *err = NULL;
	struct go_table table;
	uint64_t text;

	if (!find_go_table(file, &table) || !read_go_words(&table))
		return NULL;
	text = go_text(&table);
	/* A damaged table may claim more functions than it has room for. */
	if (!text || table.words[WORD_FUNCTIONS] > table.size / sizeof(struct go_function) ||
	    table.words[WORD_TABLE] > table.size || table.words[WORD_NAMES] > table.size)
		return NULL;
	for (uint64_t i = 0; i < table.words[WORD_FUNCTIONS] && !err; i++)
		err = add_go_function(&table, i, text, symbols);
	return err ? err : symbols_settle(symbols, false);
}

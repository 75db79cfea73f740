// SPDX-License-Identifier: GPL-2.0
#include "symbol/jit/jit_image.h"

#include <byteswap.h>
#include <errno.h>
#include <gelf.h>
#include <string.h>

#include "lib/array.h"
#include "lib/hash.h"
#include "lib/hash_table.h"
#include "lib/strbuf.h"
#include "lib/varint.h"
#include "with/libdw.h"

/* The contents of the sections .debug_abbrev, .debug_info and .debug_line. */
struct jit_lines {
	struct strbuf abbrev, info, line;
};

#define JIT_DWARF_VERSION	4

/* The number of the only abbreviation. */
#define JIT_UNIT		1

struct line_table {
	const struct jitdump_record *function;
	uint64_t address;		/* in the binary */
	uint8_t address_size;
	bool swapped;
	ARRAY_OF(const char *) files;
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

	hash_table_each(&table->names, hash, n)
		if (!strcmp(table->files.items[n], name))
			return n + 1;
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

/* Lines outside of the function, and lines at lower addresses, cannot be in a table. */
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
	/* The numbers of operands of the standard operations, from the first one on. */
	static const uint8_t operands[] = { 0, 1, 1, 1, 1, 0, 0, 0, 1 };
	/*
	 * The minimum length of an instruction, operations in one, is_stmt, line_base, line_range.
	 */
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

/*
 * Build the sections for a function that has lines, and whose code is at @address in its binary.
 * @address_size is 4 or 8 bytes.
 */
static struct error *jit_lines_make(const struct jitdump *dump,
				    const struct jitdump_record *function, uint64_t address,
				    uint8_t address_size, struct jit_lines *ret)
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

static void jit_lines_deinit(struct jit_lines *lines)
{
	strbuf_deinit(&lines->abbrev);
	strbuf_deinit(&lines->info);
	strbuf_deinit(&lines->line);
}

static const char section_names[] =
	"\0.text\0.note.gnu.build-id\0.symtab\0.strtab\0.shstrtab\0"
	".debug_abbrev\0.debug_info\0.debug_line\0.eh_frame\0.eh_frame_hdr";

enum {
	SECTION_TEXT	= 1,
	SECTION_STRTAB	= 4,	/* this and the next one are further behind if there are tables */
	SECTION_NAMES	= 5,
};

/* A section; its data is borrowed. */
struct image_section {
	const char *name;
	uint32_t type;		/* SHT_* */
	uint64_t flags;		/* SHF_* */
	uint64_t address;	/* 0: it is not in memory */
	size_t align, entry_size;
	uint32_t link;		/* SECTION_* */
	Elf_Type data_type;
	const void *data;
	size_t size;
};

/* The note that holds the build id. */
struct image_note {
	uint32_t name_size, id_size, type;
	char name[4];
	uint8_t id[BUILD_ID_BYTES];
};

struct jit_image {
	Elf *elf;
	int class;
	const struct jitdump *dump;
	const struct jitdump_record *function;
	size_t nr_tables;	/* sections for unwinding, which come behind the code */
	struct image_note note;
	struct strbuf symbols, names;
	struct jit_lines lines;
};

static void jit_image_deinit(struct jit_image *image)
{
	elf_end(image->elf);
	strbuf_deinit(&image->symbols);
	strbuf_deinit(&image->names);
	jit_lines_deinit(&image->lines);
}
DEFINE_CLEANUP(jit_image, struct jit_image, jit_image_deinit)

static struct error *elf_failed(void)
{
	return error_new(EIO, "libelf cannot create the file: %s", elf_errmsg(-1));
}

static int class_of(uint16_t machine)
{
	switch (machine) {
	case EM_386:
	case EM_ARM:
	case EM_MIPS:
	case EM_PPC:
		return ELFCLASS32;
	default:
		return ELFCLASS64;
	}
}

/* Functions with the same name, code, lines and tables have the same id, in every run. */
static void make_build_id(const struct jitdump_record *function, struct build_id *ret)
{
	const struct jitdump_lines *lines = function->lines;

	ret->size = BUILD_ID_BYTES;
	for (size_t at = 0; at < BUILD_ID_BYTES; at += sizeof(uint32_t)) {
		uint64_t hash = hash_bytes(HASH_INIT, &at, sizeof(at));

		hash = hash_bytes(hash, function->name, strlen(function->name) + 1);
		hash = hash_bytes(hash, function->code, function->size);
		for (size_t i = 0; lines && i < lines->nr; i++) {
			uint64_t place[] = { lines->items[i].address - function->address,
					     lines->items[i].line };

			hash = hash_bytes(hash, place, sizeof(place));
			hash = hash_bytes(hash, lines->items[i].file,
					  strlen(lines->items[i].file) + 1);
		}
		if (function->tables)
			hash = hash_bytes(hash, function->tables,
					  function->frame_size + function->hdr_size);
		hash ^= hash >> 32;
		memcpy(ret->bytes + at, &hash, sizeof(uint32_t));
	}
}

static uint32_t number_of(const struct jit_image *image, uint32_t value)
{
	return image->dump->swapped ? bswap_32(value) : value;
}

static void make_note(struct jit_image *image, const struct build_id *id)
{
	image->note = (struct image_note){
		.name_size = number_of(image, sizeof(image->note.name)),
		.id_size = number_of(image, id->size),
		.type = number_of(image, NT_GNU_BUILD_ID),
		.name = ELF_NOTE_GNU,
	};
	memcpy(image->note.id, id->bytes, id->size);
}

/* The symbols are in this machine's byte order until libelf writes them. */
static void make_symbols(struct jit_image *image)
{
	const struct jitdump_record *function = image->function;
	uint8_t info = ELF64_ST_INFO(STB_GLOBAL, STT_FUNC);
	Elf64_Sym symbols[2] = { [1] = {
		.st_name = 1, .st_info = info, .st_shndx = SECTION_TEXT,
		.st_value = JIT_IMAGE_TEXT, .st_size = function->size,
	} };
	Elf32_Sym small[2] = { [1] = {
		.st_name = 1, .st_info = info, .st_shndx = SECTION_TEXT,
		.st_value = JIT_IMAGE_TEXT, .st_size = function->size,
	} };

	strbuf_addch(&image->names, '\0');
	strbuf_add(&image->names, function->name, strlen(function->name) + 1);
	if (image->class == ELFCLASS64)
		strbuf_add(&image->symbols, symbols, sizeof(symbols));
	else
		strbuf_add(&image->symbols, small, sizeof(small));
}

static bool image_begin(struct jit_image *image)
{
	GElf_Ehdr header;

	if (!gelf_newehdr(image->elf, image->class) || !gelf_newphdr(image->elf, 1) ||
	    !gelf_getehdr(image->elf, &header))
		return false;
	header.e_ident[EI_DATA] = (__BYTE_ORDER == __LITTLE_ENDIAN) != image->dump->swapped ?
				  ELFDATA2LSB : ELFDATA2MSB;
	header.e_type = ET_DYN;
	header.e_machine = image->dump->machine;
	header.e_version = EV_CURRENT;
	header.e_shstrndx = SECTION_NAMES + image->nr_tables;
	return gelf_update_ehdr(image->elf, &header);
}

/* The position of the name among all names, which are separated by their NULs. */
static size_t find_section_name(const char *name)
{
	const char *at = section_names + 1;

	while (strcmp(at, name))
		at += strlen(at) + 1;
	return at - section_names;
}

static bool image_add(struct jit_image *image, const struct image_section *section)
{
	Elf_Scn *scn = elf_newscn(image->elf);
	Elf_Data *data = scn ? elf_newdata(scn) : NULL;
	GElf_Shdr header;

	if (!data || !gelf_getshdr(scn, &header))
		return false;
	data->d_buf = (void *)section->data;
	data->d_size = section->size;
	data->d_type = section->data_type;
	data->d_align = section->align;
	data->d_version = EV_CURRENT;
	header.sh_name = find_section_name(section->name);
	header.sh_type = section->type;
	header.sh_flags = section->flags;
	header.sh_link = section->link ? section->link + image->nr_tables : 0;
	header.sh_entsize = section->entry_size;
	header.sh_info = section->type == SHT_SYMTAB;	/* the first symbol that is not local */
	header.sh_addr = section->address;
	return gelf_update_shdr(scn, &header);
}

static bool image_add_lines(struct jit_image *image)
{
	const struct strbuf *contents[] = {
		&image->lines.abbrev, &image->lines.info, &image->lines.line,
	};
	static const char *const names[] = { ".debug_abbrev", ".debug_info", ".debug_line" };
	bool added = true;

	for (size_t i = 0; i < ARRAY_SIZE(names) && added; i++)
		added = image_add(image, &(struct image_section){
			.name = names[i], .type = SHT_PROGBITS, .align = 1,
			.data = contents[i]->data, .size = contents[i]->len,
		});
	return added;
}

/* The compiler has computed the tables for this address behind the code. */
static bool image_add_tables(struct jit_image *image)
{
	const struct jitdump_record *function = image->function;
	uint64_t address = (JIT_IMAGE_TEXT + function->size + 7) & ~7ULL;
	const struct image_section frame = {
		.name = ".eh_frame", .type = SHT_PROGBITS, .flags = SHF_ALLOC,
		.address = address, .align = 8,
		.data = function->tables, .size = function->frame_size,
	};
	const struct image_section hdr = {
		.name = ".eh_frame_hdr", .type = SHT_PROGBITS, .flags = SHF_ALLOC,
		.address = address + function->frame_size, .align = 4,
		.data = function->tables + function->frame_size, .size = function->hdr_size,
	};

	return image_add(image, &frame) && (!hdr.size || image_add(image, &hdr));
}

static bool image_add_all(struct jit_image *image)
{
	bool wide = image->class == ELFCLASS64;
	const struct image_section sections[] = {
		{ .name = ".text", .type = SHT_PROGBITS, .flags = SHF_ALLOC | SHF_EXECINSTR,
		  .address = JIT_IMAGE_TEXT, .align = JIT_IMAGE_TEXT, .data = image->function->code,
		  .size = image->function->size },
		{ .name = ".note.gnu.build-id", .type = SHT_NOTE, .align = 4,
		  .data = &image->note, .size = sizeof(image->note) },
		{ .name = ".symtab", .type = SHT_SYMTAB, .align = 8, .link = SECTION_STRTAB,
		  .entry_size = wide ? sizeof(Elf64_Sym) : sizeof(Elf32_Sym),
		  .data_type = ELF_T_SYM, .data = image->symbols.data,
		  .size = image->symbols.len },
		{ .name = ".strtab", .type = SHT_STRTAB, .align = 1, .data = image->names.data,
		  .size = image->names.len },
		{ .name = ".shstrtab", .type = SHT_STRTAB, .align = 1, .data = section_names,
		  .size = sizeof(section_names) },
	};
	bool added = true;

	for (size_t i = 0; i < ARRAY_SIZE(sections) && added; i++) {
		added = image_add(image, &sections[i]);
		/* In the file, too, they must be at this distance from the code. */
		if (added && !i && image->nr_tables)
			added = image_add_tables(image);
	}
	return added && (!image->function->lines || image_add_lines(image));
}

static bool image_add_segment(struct jit_image *image)
{
	GElf_Phdr segment = {
		.p_type = PT_LOAD, .p_flags = PF_R | PF_X, .p_align = JIT_IMAGE_TEXT,
		.p_offset = JIT_IMAGE_TEXT, .p_vaddr = JIT_IMAGE_TEXT, .p_paddr = JIT_IMAGE_TEXT,
		.p_filesz = image->function->size, .p_memsz = image->function->size,
	};

	return gelf_update_phdr(image->elf, 0, &segment);
}

static struct error *image_prepare(struct jit_image *image, const struct build_id *id)
{
	if (image->function->tables)
		image->nr_tables = image->function->hdr_size ? 2 : 1;
	make_note(image, id);
	make_symbols(image);
	if (image->symbols.failed || image->names.failed)
		return &error_no_memory;
	if (!image->function->lines)
		return NULL;
	return jit_lines_make(image->dump, image->function, JIT_IMAGE_TEXT,
			      image->class == ELFCLASS64 ? 8 : 4, &image->lines);
}

struct error *jit_image_write(int fd, const struct jitdump *dump,
			      const struct jitdump_record *function, struct build_id *ret)
{
	_cleanup_(jit_image) struct jit_image image = {
		.class = class_of(dump->machine), .dump = dump, .function = function,
	};
	struct error *err;

	make_build_id(function, ret);
	err = image_prepare(&image, ret);
	if (err)
		return err;
	elf_version(EV_CURRENT);
	image.elf = elf_begin(fd, ELF_C_WRITE, NULL);
	if (!image.elf || !image_begin(&image) || !image_add_all(&image) ||
	    !image_add_segment(&image) || elf_update(image.elf, ELF_C_WRITE) < 0)
		return elf_failed();
	return NULL;
}

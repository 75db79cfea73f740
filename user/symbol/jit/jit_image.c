// SPDX-License-Identifier: GPL-2.0
#include "symbol/jit/jit_image.h"

#include <byteswap.h>
#include <errno.h>
#include <gelf.h>
#include <string.h>

#include "lib/array.h"
#include "lib/hash.h"
#include "symbol/jit/jit_lines.h"

static const char section_names[] =
	"\0.text\0.note.gnu.build-id\0.symtab\0.strtab\0.shstrtab\0"
	".debug_abbrev\0.debug_info\0.debug_line\0.eh_frame\0.eh_frame_hdr";

enum {
	SECTION_TEXT	= 1,
	SECTION_STRTAB	= 4,	/* and the next one are further behind if there are tables */
	SECTION_NAMES	= 5,
};

/* The content of one section; a copy of its data is not made. */
struct image_section {
	const char *name;
	uint32_t type;		/* SHT_* */
	uint64_t flags;		/* SHF_* */
	uint64_t address;	/* 0: it is in no memory */
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
	return error_new(EIO, "libelf cannot make the file: %s", elf_errmsg(-1));
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

/* The symbols are in the form of this machine until libelf writes them. */
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

/* The position of the name among all names, which are told apart by their NULs. */
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

/* The compiler has made the tables for this place behind the code. */
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
		/* In the file, too, they lie where they count on. */
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

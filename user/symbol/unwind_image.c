// SPDX-License-Identifier: GPL-2.0
#include "symbol/unwind_image.h"

#include <stdlib.h>
#include <string.h>

#include "lib/array.h"
#include "lib/bytes.h"

/* The start of .eh_frame_hdr in the form that all linkers write. */
#define HDR_VERSION	1
#define HDR_COUNT	0x03	/* DW_EH_PE_udata4 */
#define HDR_TABLE	0x3b	/* DW_EH_PE_datarel | DW_EH_PE_sdata4 */
#define HDR_BYTES	12

/* An entry of its table, relative to .eh_frame_hdr. */
struct hdr_entry {
	int32_t start, fde;
};

struct unwind_tables {
	struct elf_section frame, hdr;
	const char *frame_bytes, *hdr_bytes;
	size_t frame_size, hdr_size;
	uint64_t nr;			/* entries; 0: the table has another form */
	char *kept;			/* .eh_frame with zeros for unneeded entries; owned */
	unsigned char *wanted;		/* for each entry; owned */
};

static void unwind_tables_deinit(struct unwind_tables *tables)
{
	free(tables->kept);
	free(tables->wanted);
}
DEFINE_CLEANUP(unwind_tables, struct unwind_tables, unwind_tables_deinit)

static bool find_tables(const struct elf_file *file, struct unwind_tables *ret)
{
	Elf_Data *frame, *hdr;
	uint32_t nr;

	ret->frame = elf_file_section(file, ".eh_frame");
	ret->hdr = elf_file_section(file, ".eh_frame_hdr");
	frame = elf_section_data(&ret->frame);
	hdr = elf_section_data(&ret->hdr);
	if (!frame)
		return false;
	ret->frame_bytes = frame->d_buf;
	ret->frame_size = frame->d_size;
	if (!hdr)
		return true;
	ret->hdr_bytes = hdr->d_buf;
	ret->hdr_size = hdr->d_size;
	if (ret->hdr_size < HDR_BYTES || ret->hdr_bytes[0] != HDR_VERSION ||
	    ret->hdr_bytes[2] != HDR_COUNT || ret->hdr_bytes[3] != HDR_TABLE)
		return true;
	memcpy(&nr, ret->hdr_bytes + HDR_BYTES - sizeof(nr), sizeof(nr));
	if (nr <= (ret->hdr_size - HDR_BYTES) / sizeof(struct hdr_entry))
		ret->nr = nr;
	return true;
}

static struct hdr_entry entry_at(const struct unwind_tables *tables, uint64_t i)
{
	struct hdr_entry entry;

	memcpy(&entry, tables->hdr_bytes + HDR_BYTES + i * sizeof(entry), sizeof(entry));
	return entry;
}

/* Keep the entry of .eh_frame at @at; false: its form is unknown. */
static bool keep_entry(struct unwind_tables *tables, uint64_t at, uint32_t *ret_back)
{
	uint32_t length;

	if (at > tables->frame_size || tables->frame_size - at < 2 * sizeof(length))
		return false;
	memcpy(&length, tables->frame_bytes + at, sizeof(length));
	if (length < sizeof(length) || length > tables->frame_size - at - sizeof(length))
		return false;
	memcpy(tables->kept + at, tables->frame_bytes + at, sizeof(length) + length);
	memcpy(ret_back, tables->frame_bytes + at + sizeof(length), sizeof(*ret_back));
	return true;
}

/* Keep the entry for @address; false: the tables cannot be reduced. */
static bool keep_address(struct unwind_tables *tables, uint64_t address)
{
	size_t nr = array_count_while(tables->nr, i, tables->hdr.header.sh_addr +
				      entry_at(tables, i).start <= address);
	uint32_t back;
	uint64_t at;

	if (!nr || tables->wanted[nr - 1])
		return true;
	tables->wanted[nr - 1] = 1;
	at = tables->hdr.header.sh_addr + entry_at(tables, nr - 1).fde -
	     tables->frame.header.sh_addr;
	if (!keep_entry(tables, at, &back))
		return false;
	/* The distance back to the CIE, which several entries share. */
	at += sizeof(back);
	return back <= at && keep_entry(tables, at - back, &back);
}

/* The virtual address of the byte at @offset. */
static uint64_t virtual_address(const struct elf_file *file, uint64_t offset)
{
	size_t nr = 0;

	elf_getphdrnum(file->elf, &nr);
	for (size_t i = 0; i < nr; i++) {
		GElf_Phdr s;

		if (gelf_getphdr(file->elf, i, &s) && s.p_type == PT_LOAD &&
		    offset >= s.p_offset && offset - s.p_offset < s.p_filesz)
			return s.p_vaddr + (offset - s.p_offset);
	}
	return offset;
}

/* Choose the entries to keep; if that fails, keep all. */
static void choose_entries(const struct elf_file *file, const uint64_t *offsets, size_t nr,
			   struct unwind_tables *tables)
{
	bool all = !tables->nr;

	tables->kept = calloc(1, tables->frame_size + 1);
	tables->wanted = calloc(1, tables->nr + 1);
	for (size_t i = 0; i < nr && !all && tables->kept && tables->wanted; i++)
		all = !keep_address(tables, virtual_address(file, offsets[i]));
	if (!all)
		return;
	tables->nr = 0;
	if (tables->kept)
		memcpy(tables->kept, tables->frame_bytes, tables->frame_size);
}

/* Append .eh_frame_hdr with the entries that are kept. */
static void add_hdr(const struct unwind_tables *tables, struct strbuf *ret)
{
	size_t at = ret->len;
	uint32_t kept = 0;

	if (!tables->nr) {
		strbuf_add(ret, tables->hdr_bytes, tables->hdr_size);
		return;
	}
	strbuf_add(ret, tables->hdr_bytes, HDR_BYTES);
	for (uint64_t i = 0; i < tables->nr; i++) {
		struct hdr_entry entry = entry_at(tables, i);

		if (!tables->wanted[i])
			continue;
		strbuf_add(ret, &entry, sizeof(entry));
		kept++;
	}
	if (!ret->failed)
		memcpy(ret->data + at + HDR_BYTES - sizeof(kept), &kept, sizeof(kept));
}

static const char section_names[] = "\0.eh_frame_hdr\0.eh_frame\0.shstrtab";

enum {
	SECTION_HDR	= 1,
	SECTION_FRAME	= 2,
	SECTION_NAMES	= 3,
	SECTION_NR	= 4,
};

static void add_segment(const GElf_Phdr *segment, bool is_64, struct strbuf *ret)
{
	const Elf32_Phdr small = {
		.p_type = segment->p_type, .p_offset = segment->p_offset,
		.p_vaddr = segment->p_vaddr, .p_paddr = segment->p_paddr,
		.p_filesz = segment->p_filesz, .p_memsz = segment->p_memsz,
		.p_flags = segment->p_flags, .p_align = segment->p_align,
	};

	if (is_64)
		strbuf_add(ret, segment, sizeof(*segment));
	else
		strbuf_add(ret, &small, sizeof(small));
}

static void add_section(const GElf_Shdr *section, bool is_64, struct strbuf *ret)
{
	const Elf32_Shdr small = {
		.sh_name = section->sh_name, .sh_type = section->sh_type,
		.sh_flags = section->sh_flags, .sh_addr = section->sh_addr,
		.sh_offset = section->sh_offset, .sh_size = section->sh_size,
		.sh_link = section->sh_link, .sh_info = section->sh_info,
		.sh_addralign = section->sh_addralign, .sh_entsize = section->sh_entsize,
	};

	if (is_64)
		strbuf_add(ret, section, sizeof(*section));
	else
		strbuf_add(ret, &small, sizeof(small));
}

/* @nr segments follow the header, and the sections follow them. */
static void add_header(const struct elf_file *file, size_t nr, bool is_64, struct strbuf *ret)
{
	Elf64_Ehdr header = {
		.e_type = file->header.e_type, .e_machine = file->header.e_machine,
		.e_version = EV_CURRENT, .e_flags = file->header.e_flags,
		.e_phoff = sizeof(header), .e_ehsize = sizeof(header),
		.e_phentsize = sizeof(Elf64_Phdr), .e_phnum = nr,
		.e_shoff = sizeof(header) + nr * sizeof(Elf64_Phdr),
		.e_shentsize = sizeof(Elf64_Shdr), .e_shnum = SECTION_NR,
		.e_shstrndx = SECTION_NAMES,
	};
	Elf32_Ehdr small = {
		.e_type = header.e_type, .e_machine = header.e_machine,
		.e_version = EV_CURRENT, .e_flags = header.e_flags,
		.e_phoff = sizeof(small), .e_ehsize = sizeof(small),
		.e_phentsize = sizeof(Elf32_Phdr), .e_phnum = nr,
		.e_shoff = sizeof(small) + nr * sizeof(Elf32_Phdr),
		.e_shentsize = sizeof(Elf32_Shdr), .e_shnum = SECTION_NR,
		.e_shstrndx = SECTION_NAMES,
	};

	memcpy(header.e_ident, file->header.e_ident, EI_NIDENT);
	memcpy(small.e_ident, file->header.e_ident, EI_NIDENT);
	if (is_64)
		strbuf_add(ret, &header, sizeof(header));
	else
		strbuf_add(ret, &small, sizeof(small));
}

static void add_loaded_segments(const struct elf_file *file, bool is_64, struct strbuf *ret)
{
	_cleanup_(strbuf) struct strbuf segments = STRBUF_INIT;
	size_t nr = 0, loaded = 0;

	elf_getphdrnum(file->elf, &nr);
	for (size_t i = 0; i < nr && loaded < UINT16_MAX - 1; i++) {
		GElf_Phdr segment;

		if (!gelf_getphdr(file->elf, i, &segment) || segment.p_type != PT_LOAD)
			continue;
		add_segment(&segment, is_64, &segments);
		loaded++;
	}
	add_header(file, loaded, is_64, ret);
	strbuf_add(ret, segments.data, segments.len);
	ret->failed |= segments.failed;
}

void unwind_image_make(const struct elf_file *file, const uint64_t *offsets, size_t nr,
		       struct strbuf *ret)
{
	_cleanup_(unwind_tables) struct unwind_tables tables = { .nr = 0 };
	_cleanup_(strbuf) struct strbuf contents = STRBUF_INIT;
	const bool is_64 = file->header.e_ident[EI_CLASS] == ELFCLASS64;
	unsigned char data = __BYTE_ORDER == __LITTLE_ENDIAN ? ELFDATA2LSB : ELFDATA2MSB;
	GElf_Shdr sections[SECTION_NR] = { { 0 } };
	uint64_t at;

	if (file->header.e_ident[EI_DATA] != data)
		return;
	if (find_tables(file, &tables))
		choose_entries(file, offsets, nr, &tables);
	if (tables.frame_bytes && (!tables.kept || !tables.wanted))
		return;
	add_loaded_segments(file, is_64, ret);
	at = ret->len + SECTION_NR * (is_64 ? sizeof(Elf64_Shdr) : sizeof(Elf32_Shdr));
	if (tables.hdr_bytes) {
		sections[SECTION_HDR] = tables.hdr.header;
		sections[SECTION_HDR].sh_name = 1;
		sections[SECTION_HDR].sh_offset = at;
		add_hdr(&tables, &contents);
		bytes_add_zeros(&contents, -contents.len & 7);
		sections[SECTION_HDR].sh_size = contents.len;
	}
	if (tables.frame_bytes) {
		sections[SECTION_FRAME] = tables.frame.header;
		sections[SECTION_FRAME].sh_name = sizeof("\0.eh_frame_hdr") - 1 + 1;
		sections[SECTION_FRAME].sh_offset = at + contents.len;
		sections[SECTION_FRAME].sh_size = tables.frame_size;
		strbuf_add(&contents, tables.kept, tables.frame_size);
	}
	sections[SECTION_NAMES] = (GElf_Shdr){
		.sh_type = SHT_STRTAB, .sh_offset = at + contents.len,
		.sh_size = sizeof(section_names),
		.sh_name = sizeof(section_names) - sizeof(".shstrtab"),
	};
	strbuf_add(&contents, section_names, sizeof(section_names));
	for (size_t i = 0; i < SECTION_NR; i++)
		add_section(&sections[i], is_64, ret);
	strbuf_add(ret, contents.data, contents.len);
	ret->failed |= contents.failed;
}

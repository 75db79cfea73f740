// SPDX-License-Identifier: GPL-2.0
#include "symbol/elf/elf_plt.h"

#include <stdlib.h>
#include <string.h>

#include "lib/array.h"
#include "lib/strbuf.h"
#include "symbol/demangle.h"

/* A word that holds the address of the function @name when the program runs. */
struct plt_slot {
	uint64_t address;
	const char *name;	/* NULL: unreadable; memory of the file, or of the symbols */
};

struct plt_slots {
	struct plt_slot *items;
	size_t nr, alloc;
};

struct plt {
	const struct elf_file *file;
	struct symbols *symbols;
	struct elf_section dynsym;
	Elf_Data *syms;
	uint64_t got;			/* the base of offsets in i386's stubs */
	struct plt_slots jumps;		/* in the order of .rela.plt */
	struct plt_slots by_address;	/* of all relocations, sorted */
};

/*
 * The name of an indirect function, whose resolver at @address chooses its code when the program
 * starts: the function and its resolver have one address.  "": it is not known.
 */
static const char *indirect_name(const struct plt *plt, uint64_t address)
{
	const struct symbol *symbol;
	GElf_Phdr segment;

	if (!elf_file_segment(plt->file, address, &segment))
		return "";
	address -= segment.p_vaddr - segment.p_offset;
	symbol = symbols_first(plt->symbols, address);
	return symbol && symbol->start == address ? symbol->name : "";
}

static bool is_indirect(const struct plt *plt, uint64_t info)
{
	switch (plt->file->header.e_machine) {
	case EM_X86_64:
		return GELF_R_TYPE(info) == R_X86_64_IRELATIVE;
	case EM_AARCH64:
		return GELF_R_TYPE(info) == R_AARCH64_IRELATIVE;
	}
	return false;
}

/* Read a table of relocations; its name is @rela, or else @rel. */
static struct error *read_slots(const struct plt *plt, const char *rela, const char *rel,
				struct plt_slots *ret)
{
	struct elf_section table = elf_file_section(plt->file, rela);
	bool has_addend = table.scn;
	Elf_Data *data;
	size_t nr;

	if (!has_addend)
		table = elf_file_section(plt->file, rel);
	data = elf_section_data(&table);
	if (!data || table.header.sh_link != plt->dynsym.index || !table.header.sh_entsize)
		return NULL;
	nr = data->d_size / table.header.sh_entsize;
	for (size_t i = 0; i < nr; i++) {
		struct plt_slot slot = { 0 };
		uint64_t info = 0;
		GElf_Rela a;
		GElf_Rel r;
		GElf_Sym sym;

		if (has_addend && gelf_getrela(data, i, &a)) {
			slot.address = a.r_offset;
			info = a.r_info;
		} else if (!has_addend && gelf_getrel(data, i, &r)) {
			slot.address = r.r_offset;
			info = r.r_info;
		}
		if (has_addend && is_indirect(plt, info))
			slot.name = indirect_name(plt, a.r_addend);
		else if (slot.address && gelf_getsym(plt->syms, GELF_R_SYM(info), &sym))
			slot.name = elf_strptr(plt->file->elf, plt->dynsym.header.sh_link,
					       sym.st_name);
		if (!array_push(ret, slot))
			return &error_no_memory;
	}
	return NULL;
}

DEFINE_COMPARISON(compare_slots, struct plt_slot, array_order(x->address, y->address))

static const char *slot_target(const struct plt_slots *slots, uint64_t address)
{
	size_t i = array_count_until(slots, address, address);

	return i && slots->items[i - 1].address == address ? slots->items[i - 1].name : NULL;
}

/*
 * The function that a stub of x86 jumps to: the stub contains one "jmp *SLOT", at any offset.
 * NULL: no slot of it is relocated.
 */
static const char *x86_target(const struct plt *plt, const uint8_t *code, size_t size,
			      uint64_t address)
{
	bool wide = plt->file->header.e_machine == EM_X86_64;
	const char *name = NULL;

	for (size_t i = 0; i + 6 <= size && !name; i++) {
		int32_t word;

		if (code[i] != 0xff)
			continue;
		memcpy(&word, code + i + 2, sizeof(word));
		if (code[i + 1] == 0x25)
			name = slot_target(&plt->by_address,
					 wide ? address + i + 6 + word : (uint32_t)word);
		else if (code[i + 1] == 0xa3 && !wide)
			name = slot_target(&plt->by_address, (uint32_t)(plt->got + word));
	}
	return name;
}

static struct error *add_stub(const struct plt *plt, const char *name, uint64_t start,
			      uint64_t size)
{
	_cleanup_(strbuf) struct strbuf text = STRBUF_INIT;
	_cleanup_free_ char *readable = demangle(name);
	struct symbol symbol = { .start = start, .end = start + size, .binding = SYMBOL_GLOBAL };

	strbuf_addf(&text, "%s@plt", readable ? readable : name);
	if (text.failed)
		return &error_no_memory;
	symbol.name = symbols_copy(plt->symbols, text.data, text.len);
	return symbol.name ? symbols_add(plt->symbols, &symbol) : &error_no_memory;
}

/*
 * Name the stubs of x86 in a section.  If .plt.sec has the targets of calls, the stubs of .plt only
 * jump to the resolver.  They are in the order of the relocations.
 */
static struct error *add_x86_stubs(const struct plt *plt, const char *section_name)
{
	struct elf_section section = elf_file_section(plt->file, section_name);
	bool by_order = !strcmp(section_name, ".plt");
	const GElf_Shdr *header = &section.header;
	Elf_Data *data = elf_section_data(&section);
	struct error *err = NULL;
	uint64_t size = 16;

	if (!data)
		return NULL;
	if (header->sh_entsize == 8 || (header->sh_entsize != 16 && header->sh_addralign == 8))
		size = 8;
	for (size_t at = 0, i = 0; at + size <= data->d_size && !err; at += size, i++) {
		const char *name = x86_target(plt, (uint8_t *)data->d_buf + at, size,
					      header->sh_addr + at);

		if (!name && by_order && i && i <= plt->jumps.nr)
			name = plt->jumps.items[i - 1].name;
		if (name)
			err = add_stub(plt, name, header->sh_offset + at, size);
	}
	return err;
}

/* Name the stubs of another machine: they are in .plt in the order of the relocations. */
static struct error *add_stubs(const struct plt *plt)
{
	struct elf_section section = elf_file_section(plt->file, ".plt");
	uint64_t head = section.header.sh_entsize, size = head, address;
	struct error *err = NULL;

	if (plt->file->header.e_machine == EM_AARCH64) {
		head = 32;
		size = 16;
	} else if (plt->file->header.e_machine == EM_ARM) {
		head = 20;
		size = 12;
	}
	if (!section.scn)
		return NULL;
	address = section.header.sh_offset + head;
	for (size_t i = 0; i < plt->jumps.nr && !err; i++, address += size)
		if (plt->jumps.items[i].name)
			err = add_stub(plt, plt->jumps.items[i].name, address, size);
	return err;
}

static struct error *add_all_x86_stubs(struct plt *plt)
{
	static const char *const sections[] = { ".plt", ".plt.sec", ".plt.got" };
	struct elf_section got = elf_file_section(plt->file, ".got.plt");
	struct error *err;

	if (!got.scn)
		got = elf_file_section(plt->file, ".got");
	if (got.scn)
		plt->got = got.header.sh_addr;
	err = read_slots(plt, ".rela.plt", ".rel.plt", &plt->by_address);
	if (!err)
		err = read_slots(plt, ".rela.dyn", ".rel.dyn", &plt->by_address);
	if (!err && plt->by_address.nr)
		array_sort(&plt->by_address, compare_slots);
	for (size_t i = 0; i < ARRAY_SIZE(sections) && !err; i++)
		err = add_x86_stubs(plt, sections[i]);
	return err;
}

static void plt_deinit(struct plt *plt)
{
	free(plt->jumps.items);
	free(plt->by_address.items);
}
DEFINE_CLEANUP(plt, struct plt, plt_deinit)

struct error *elf_plt_add(const struct elf_file *file, struct symbols *symbols)
{
	_cleanup_(plt) struct plt plt = { .file = file, .symbols = symbols };
	GElf_Half machine = file->header.e_machine;
	struct error *err;

	plt.dynsym = elf_file_section(file, ".dynsym");
	plt.syms = elf_section_data(&plt.dynsym);
	if (!plt.syms || plt.dynsym.header.sh_type != SHT_DYNSYM)
		return NULL;
	err = read_slots(&plt, ".rela.plt", ".rel.plt", &plt.jumps);
	if (!err && (machine == EM_X86_64 || machine == EM_386))
		err = add_all_x86_stubs(&plt);
	else if (!err)
		err = add_stubs(&plt);
	return err ? err : symbols_sort(symbols);
}

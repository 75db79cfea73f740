// SPDX-License-Identifier: GPL-2.0
#include "symbol/elf/elf_symbols.h"

#include <stdlib.h>
#include <string.h>


static struct elf_section table_of(const struct elf_file *file, const char *name, uint32_t type)
{
	struct elf_section table = elf_file_section(file, name);

	if (table.scn && (table.header.sh_type != type || !table.header.sh_entsize))
		table.scn = NULL;
	return table;
}

bool elf_has_symtab(const struct elf_file *file)
{
	return table_of(file, ".symtab", SHT_SYMTAB).scn;
}

bool elf_has_dynsym(const struct elf_file *file)
{
	return table_of(file, ".dynsym", SHT_DYNSYM).scn;
}

/* Copy the strings that a table links to, and append a NUL. */
static struct error *copy_strings(const struct elf_file *file, const struct elf_section *table,
				  struct symbols *symbols, const char **ret, size_t *ret_size)
{
	struct elf_section strings = { .scn = elf_getscn(file->elf, table->header.sh_link) };
	Elf_Data *data;
	char *copy;

	*ret_size = 0;
	if (!strings.scn || !gelf_getshdr(strings.scn, &strings.header))
		return NULL;
	data = elf_section_data(&strings);
	if (!data)
		return NULL;
	copy = malloc(data->d_size + 1);
	if (copy) {
		memcpy(copy, data->d_buf, data->d_size);
		copy[data->d_size] = '\0';
	}
	*ret = copy;
	*ret_size = data->d_size;
	return symbols_keep(symbols, copy);
}

/* A symbol table that is being read. */
struct reading {
	const struct elf_file *file, *runtime;
	enum elf_addresses addresses;
	/* The section of the last symbol, which is remembered because most symbols are in .text. */
	size_t index;
	GElf_Shdr section;
	const char *name;	/* name of the section; NULL: its symbols are not used */
};

static bool is_function_or_object(const GElf_Sym *sym)
{
	unsigned int type = GELF_ST_TYPE(sym->st_info);

	return (type == STT_FUNC || type == STT_GNU_IFUNC || type == STT_OBJECT) && sym->st_name &&
	       sym->st_shndx != SHN_UNDEF;
}

static bool is_label(const GElf_Sym *sym)
{
	unsigned int visibility = GELF_ST_VISIBILITY(sym->st_other);

	return GELF_ST_TYPE(sym->st_info) == STT_NOTYPE && sym->st_name &&
	       sym->st_shndx != SHN_UNDEF && sym->st_shndx != SHN_ABS &&
	       visibility != STV_HIDDEN && visibility != STV_INTERNAL;
}

/*
 * Whether this is one of ARM's symbols $a, $d, $t and $x, which mark the kind of the following
 * bytes.
 */
static bool is_mapping(const struct reading *r, const char *name)
{
	return (r->file->header.e_machine == EM_ARM || r->file->header.e_machine == EM_AARCH64) &&
	       name[0] == '$' && name[1] && strchr("adtx", name[1]) &&
	       (!name[2] || name[2] == '.');
}

/* Look up the section of a symbol; false: its symbols are not used. */
static bool enter_section(struct reading *r, size_t index)
{
	const struct elf_file *file = r->file;
	Elf_Scn *scn;

	if (index == r->index)
		return r->name;
	r->index = index;
	r->name = NULL;
	scn = elf_getscn(file->elf, index);
	if (!scn || !gelf_getshdr(scn, &r->section) || !(r->section.sh_flags & SHF_ALLOC))
		return false;
	if (r->section.sh_type == SHT_NOBITS) {
		file = r->runtime;
		scn = elf_getscn(file->elf, index);
		if (!scn || !gelf_getshdr(scn, &r->section))
			return false;
	}
	r->name = elf_file_section_name(file, &r->section);
	return true;
}

/* Convert a symbol's address to the one for look-ups; false: the symbol is not used. */
static bool translate(const struct reading *r, uint64_t *address)
{
	GElf_Phdr segment;

	switch (r->addresses) {
	case ELF_VIRTUAL:
		return true;
	case ELF_SECTION_OFFSETS:
		*address -= r->section.sh_addr - r->section.sh_offset;
		return !strcmp(r->name, ".text");
	case ELF_FILE_OFFSETS:
		break;
	}
	if (elf_file_segment(r->runtime, *address, &segment))
		*address -= segment.p_vaddr - segment.p_offset;
	else
		*address -= r->section.sh_addr - r->section.sh_offset;
	return true;
}

static struct error *add_elf_symbol(struct reading *r, const GElf_Sym *sym, const char *name,
				    struct symbols *symbols)
{
	struct symbol symbol = {
		.name = name,
		.binding = GELF_ST_BIND(sym->st_info),
		.mangled = r->addresses == ELF_FILE_OFFSETS,
	};
	uint64_t address = sym->st_value;
	bool label = is_label(sym);

	if ((!label && !is_function_or_object(sym)) || is_mapping(r, name) ||
	    sym->st_shndx == SHN_ABS || !enter_section(r, sym->st_shndx))
		return NULL;
	if (label && !strstr(r->name, "text") && !strstr(r->name, "data"))
		return NULL;
	if (r->file->header.e_machine == EM_ARM && GELF_ST_TYPE(sym->st_info) == STT_FUNC)
		address &= ~1ULL;
	if (!translate(r, &address))
		return NULL;
	symbol.start = address;
	symbol.end = address + sym->st_size;
	symbol.is_data = GELF_ST_TYPE(sym->st_info) == STT_OBJECT;
	if (r->addresses == ELF_VIRTUAL && strcmp(r->name, ".text")) {
		symbol.part = symbols_copy(symbols, r->name, strlen(r->name));
		if (!symbol.part)
			return &error_no_memory;
	}
	return symbols_add(symbols, &symbol);
}

static struct error *add_table(struct reading *r, const struct elf_section *table,
			       struct symbols *symbols)
{
	Elf_Data *data = elf_section_data(table);
	const char *names = NULL;
	struct error *err;
	size_t size, nr;

	if (!data)
		return NULL;
	err = copy_strings(r->file, table, symbols, &names, &size);
	nr = data->d_size / table->header.sh_entsize;
	for (size_t i = 0; i < nr && !err; i++) {
		GElf_Sym sym;

		if (gelf_getsym(data, i, &sym) && sym.st_name < size)
			err = add_elf_symbol(r, &sym, names + sym.st_name, symbols);
	}
	return err ? err : symbols_settle(symbols, false);
}

/* No symbol extends beyond its section. */
static struct error *add_bounds(struct reading *r, struct symbols *symbols)
{
	Elf_Scn *scn = NULL;
	struct error *err = NULL;

	while (!err && (scn = elf_nextscn(r->runtime->elf, scn))) {
		uint64_t last;

		if (!gelf_getshdr(scn, &r->section) || !(r->section.sh_flags & SHF_ALLOC) ||
		    (r->section.sh_flags & SHF_TLS) || !r->section.sh_size)
			continue;
		last = r->section.sh_addr + r->section.sh_size - 1;
		if (translate(r, &last))
			err = symbols_bound(symbols, last + 1);
	}
	return err;
}

struct error *elf_symbols_add(const struct elf_file *file, const struct elf_file *runtime,
			      enum elf_addresses addresses, struct symbols *symbols)
{
	struct reading r = { .file = file, .runtime = runtime, .addresses = addresses };
	struct elf_section symtab = table_of(file, ".symtab", SHT_SYMTAB);
	struct elf_section dynsym = table_of(file, ".dynsym", SHT_DYNSYM);
	struct error *err = addresses == ELF_FILE_OFFSETS ? add_bounds(&r, symbols) : NULL;

	if (!err)
		err = add_table(&r, &symtab, symbols);
	return err ? err : add_table(&r, &dynsym, symbols);
}

uint64_t elf_symbol_value(const struct elf_file *file, const char *name)
{
	struct elf_section table = table_of(file, ".symtab", SHT_SYMTAB);
	Elf_Data *data = elf_section_data(&table);
	GElf_Sym sym;

	for (size_t i = 0; data && gelf_getsym(data, i, &sym); i++) {
		const char *found = elf_strptr(file->elf, table.header.sh_link, sym.st_name);

		if (found && !strcmp(found, name))
			return sym.st_value;
	}
	return 0;
}

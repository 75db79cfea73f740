/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The symbols of ELF files, with addresses as offsets in the file: what perf
 * makes of .symtab, .dynsym and the PLT.
 */
#ifndef KTRACE_SYMBOL_ELF_SYMBOLS_H
#define KTRACE_SYMBOL_ELF_SYMBOLS_H

#include "symbol/elf_file.h"
#include "symbol/symbols.h"

/* How addresses of symbols become what is looked up. */
enum elf_addresses {
	ELF_FILE_OFFSETS,	/* by the segments: user space */
	ELF_SECTION_OFFSETS,	/* by the sections, of .text alone: modules */
	ELF_VIRTUAL,		/* as they are, the section's name as `part`: vmlinux */
};

/* Does it have a .symtab, or a .dynsym? */
bool elf_has_symtab(const struct elf_file *file);
bool elf_has_dynsym(const struct elf_file *file);

/*
 * Add the symbols of @file and settle.  @runtime is the file that ran, whose
 * sections have contents where those of debug files are empty; it may be
 * @file.
 */
struct error *elf_symbols_add(const struct elf_file *file, const struct elf_file *runtime,
			      enum elf_addresses addresses, struct symbols *symbols);

/* The value of the symbol @name of .symtab; 0: it has none of that name. */
uint64_t elf_symbol_value(const struct elf_file *file, const char *name);

/* Add "NAME@plt" for the entries of the PLT. */
struct error *elf_plt_add(const struct elf_file *runtime, struct symbols *symbols);

#endif

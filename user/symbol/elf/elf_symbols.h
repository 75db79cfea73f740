/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Reads the symbols of ELF files.  As in perf, they come from .symtab, .dynsym and the PLT, with
 * addresses as offsets in the file.
 */
#ifndef KTRACE_SYMBOL_ELF_ELF_SYMBOLS_H
#define KTRACE_SYMBOL_ELF_ELF_SYMBOLS_H

#include "symbol/elf/elf_file.h"
#include "symbol/symbols.h"

/* The conversion of a symbol's address to the one for look-ups. */
enum elf_addresses {
	ELF_FILE_OFFSETS,	/* by the segments: user space */
	ELF_SECTION_OFFSETS,	/* by the sections, only .text: modules */
	ELF_VIRTUAL,		/* unchanged, with the section's name as `part`: vmlinux */
};

/* Whether the file has a .symtab, or a .dynsym. */
bool elf_has_symtab(const struct elf_file *file);
bool elf_has_dynsym(const struct elf_file *file);

/*
 * Add the symbols of @file and settle them.  @runtime is the file that ran: its sections have
 * contents where those of a debug file are empty.  Both may be the same file.
 */
struct error *elf_symbols_add(const struct elf_file *file, const struct elf_file *runtime,
			      enum elf_addresses addresses, struct symbols *symbols);

/* The value of the symbol @name in .symtab; 0: there is none of that name. */
uint64_t elf_symbol_value(const struct elf_file *file, const char *name);

#endif

/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The table of functions that each Go program has for its own stack traces, in the section
 * .gopclntab.  Stripped programs have it, too.
 */
#ifndef KTRACE_SYMBOL_ELF_GO_TABLE_H
#define KTRACE_SYMBOL_ELF_GO_TABLE_H

#include "symbol/elf/elf_file.h"
#include "symbol/symbols.h"

/* Whether Go's linker made the file. */
bool is_go_program(const struct elf_file *file);

bool go_table_exists(const struct elf_file *file);

/*
 * Add its functions, with addresses as offsets in the file, and settle them.  A table of Go before
 * 1.18, or a damaged one, adds no functions.
 */
struct error *go_table_add(const struct elf_file *file, struct symbols *symbols);

#endif

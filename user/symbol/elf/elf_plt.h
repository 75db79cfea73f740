/* SPDX-License-Identifier: GPL-2.0 */
/* Names the stubs through which a binary calls functions of libraries. */
#ifndef KTRACE_SYMBOL_ELF_ELF_PLT_H
#define KTRACE_SYMBOL_ELF_ELF_PLT_H

#include "symbol/elf/elf_file.h"
#include "symbol/symbols.h"

/*
 * Add a symbol "NAME@plt" for each stub of the PLT, which may be in several sections: .plt,
 * .plt.sec and .plt.got.  Its address is an offset in the file.
 */
struct error *elf_plt_add(const struct elf_file *runtime, struct symbols *symbols);

#endif

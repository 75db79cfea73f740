/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The trampolines through which CPython calls its interpreter, one for each function of a program
 * (python3 -X perf, since 3.12).  They are in anonymous memory, and a perf map names them
 * "py::FUNCTION:FILE".  They have no unwind tables, though the interpreter is usually built without
 * frame pointers.  This file has the tables.
 */
#ifndef KTRACE_SYMBOL_JIT_PYTHON_TRAMPOLINE_H
#define KTRACE_SYMBOL_JIT_PYTHON_TRAMPOLINE_H

#include <stdbool.h>

#include "symbol/elf/elf_file.h"
#include "symbol/symbols.h"

/* Each page of trampolines is a binary of its own; its code is at this virtual address, bytes. */
#define PYTHON_TRAMPOLINE_PAGE	4096

/* Whether a symbol of a perf map is a trampoline.  @symbol may be NULL. */
bool python_trampoline_is(const struct symbol *symbol);

/* Open a binary for x86-64 with the unwind tables of a page; false: libelf failed. */
bool python_trampoline_open(struct elf_file *ret);

#endif

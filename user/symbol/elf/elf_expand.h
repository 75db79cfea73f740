/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Expands debug sections that zstd has compressed.  libdw cannot read files with such sections
 * unless it is version 0.189 or later of elfutils, built with libzstd.
 */
#ifndef KTRACE_SYMBOL_ELF_ELF_EXPAND_H
#define KTRACE_SYMBOL_ELF_ELF_EXPAND_H

#include "symbol/elf/elf_file.h"

/*
 * Create a copy in memory of the ELF file @fd, in which no section is compressed by zstd.  Returns
 * its descriptor, which the caller closes.  -1: there is no such section, or it cannot be expanded,
 * so read @fd itself.
 */
int elf_expand(int fd);

/* Replace an open file by such a copy, if libdw needs one; false: @file is closed. */
bool elf_file_expand(struct elf_file *file);

#endif

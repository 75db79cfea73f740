/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Debug sections that zstd has compressed, for libdw, which reads no file that has one unless it
 * is of elfutils 0.189 or later, built with libzstd.
 */
#ifndef KTRACE_SYMBOL_ELF_ELF_EXPAND_H
#define KTRACE_SYMBOL_ELF_ELF_EXPAND_H

#include "symbol/elf/elf_file.h"

/*
 * Make a copy in memory of the ELF file @fd, in which no section is compressed by zstd.  Returns
 * its descriptor, which the caller closes; -1: there is no such section, or it cannot be expanded,
 * so @fd itself is to be read.
 */
int elf_expand(int fd);

/* Let an open file be the copy that libdw reads, if it needs one; false: @file is closed. */
bool elf_file_expand(struct elf_file *file);

#endif

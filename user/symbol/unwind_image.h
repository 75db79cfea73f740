/* SPDX-License-Identifier: GPL-2.0 */
/*
 * A small ELF file with only the data that unwinding needs at some addresses of another file: its
 * segments, and the entries of .eh_frame for these addresses.
 */
#ifndef KTRACE_SYMBOL_UNWIND_IMAGE_H
#define KTRACE_SYMBOL_UNWIND_IMAGE_H

#include <stddef.h>
#include <stdint.h>

#include "lib/strbuf.h"
#include "symbol/elf/elf_file.h"

/*
 * Append it to @ret, which must be empty.  @offsets are offsets in @file, as in dso_find().
 * Nothing is appended for files of the other byte order.
 */
void unwind_image_make(const struct elf_file *file, const uint64_t *offsets, size_t nr,
		       struct strbuf *ret);

#endif

/* SPDX-License-Identifier: GPL-2.0 */
/*
 * One function of a jitdump as an ELF file: its code, its symbol, a build id that is made of both,
 * its source lines, and the tables for unwinding it.
 */
#ifndef KTRACE_SYMBOL_JIT_JIT_IMAGE_H
#define KTRACE_SYMBOL_JIT_JIT_IMAGE_H

#include "lib/build_id.h"
#include "symbol/jit/jitdump.h"

/* Where the code is, in the file and in the addresses of its symbol, bytes. */
#define JIT_IMAGE_TEXT	128

/* Write the file of a function that @dump gave, and that was no move, to @fd. */
struct error *jit_image_write(int fd, const struct jitdump *dump,
			      const struct jitdump_record *function, struct build_id *ret);

#endif

/* SPDX-License-Identifier: GPL-2.0 */
/*
 * One function of a jitdump as an ELF file: its code, its symbol, its source lines, the tables for
 * unwinding it, and a build id that is derived from all of these.
 */
#ifndef KTRACE_SYMBOL_JIT_JIT_IMAGE_H
#define KTRACE_SYMBOL_JIT_JIT_IMAGE_H

#include "lib/build_id.h"
#include "symbol/jit/jitdump.h"

/* The offset of the code, in the file and in the addresses of its symbol, bytes. */
#define JIT_IMAGE_TEXT	128

/* Write the file of a function, a record of @dump that is no move, to @fd. */
struct error *jit_image_write(int fd, const struct jitdump *dump,
			      const struct jitdump_record *function, struct build_id *ret);

#endif

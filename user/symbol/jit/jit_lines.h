/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The source lines of one function of a jitdump as DWARF, version 4.
 */
#ifndef KTRACE_SYMBOL_JIT_JIT_LINES_H
#define KTRACE_SYMBOL_JIT_JIT_LINES_H

#include "lib/strbuf.h"
#include "symbol/jit/jitdump.h"

/* The contents of the sections that have these names behind ".debug_". */
struct jit_lines {
	struct strbuf abbrev, info, line;
};

/*
 * Make the sections for a function that has lines, and whose code is at @address in its binary.
 * @address_size is 4 or 8 bytes.
 */
struct error *jit_lines_make(const struct jitdump *dump, const struct jitdump_record *function,
			     uint64_t address, uint8_t address_size, struct jit_lines *ret);

void jit_lines_deinit(struct jit_lines *lines);
DEFINE_CLEANUP(jit_lines, struct jit_lines, jit_lines_deinit)

#endif

/* SPDX-License-Identifier: GPL-2.0 */
/* Disassembles code with LLVM or objdump, whichever is available. */
#ifndef KTRACE_SYMBOL_DISASSEMBLER_H
#define KTRACE_SYMBOL_DISASSEMBLER_H

#include "symbol/code.h"
#include "symbol/code/disassembly.h"

struct disassembly_options {
	const char *objdump;	/* --objdump: use this program; NULL: LLVM, else objdump */
	const char *style;	/* -M, "intel"; NULL: objdump's default */
};

/*
 * Disassemble the code.  Bytes that are no instruction become "(bad)".  ENOENT: there is no
 * disassembler for this machine here; the error names the missing package.
 */
struct error *disassemble(const struct code *code, const struct disassembly_options *options,
			  struct disassembly *ret);

/* The backends of disassemble().  This one is in the plugin "llvm". */
struct error *llvm_disassemble(const struct code *code,
			       const struct disassembly_options *options,
			       struct disassembly *ret);
struct error *objdump_disassemble(const struct code *code,
				  const struct disassembly_options *options,
				  struct disassembly *ret);

#endif

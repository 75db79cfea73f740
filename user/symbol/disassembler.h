/* SPDX-License-Identifier: GPL-2.0 */
/* Takes code apart, by LLVM or objdump, whichever can. */
#ifndef KTRACE_SYMBOL_DISASSEMBLER_H
#define KTRACE_SYMBOL_DISASSEMBLER_H

#include "symbol/code.h"
#include "symbol/code/disassembly.h"

struct disassembly_options {
	const char *objdump;	/* --objdump: take this program; NULL: LLVM, else objdump */
	const char *style;	/* -M, "intel"; NULL: as objdump does */
};

/*
 * Take the code apart.  Bytes that are no instruction become "(bad)".  ENOENT: there is no
 * disassembler for this machine here; the error says what to install.
 */
struct error *disassemble(const struct code *code, const struct disassembly_options *options,
			  struct disassembly *ret);

/* What disassemble() uses.  This one is in the plugin "llvm". */
struct error *llvm_disassemble(const struct code *code,
			       const struct disassembly_options *options,
			       struct disassembly *ret);
struct error *objdump_disassemble(const struct code *code,
				  const struct disassembly_options *options,
				  struct disassembly *ret);

#endif

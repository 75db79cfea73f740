/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The instructions of a function, from LLVM's disassembler or from objdump.
 */
#ifndef KTRACE_SYMBOL_DISASSEMBLY_H
#define KTRACE_SYMBOL_DISASSEMBLY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "lib/cleanup.h"
#include "lib/error.h"
#include "symbol/code.h"

struct instruction {
	uint64_t address;
	uint32_t size;
	bool branches;		/* a jump or call to `target` */
	bool refers;		/* `target` is the address of data that it uses */
	uint64_t target;
	char *text;		/* "mov    0x8(%rdi),%rcx"; owned */
};

struct disassembly {
	struct instruction *items;	/* ascending, without gaps */
	size_t nr, alloc;
	const char *by;			/* "LLVM" or "objdump" */
};

void disassembly_deinit(struct disassembly *disassembly);
DEFINE_CLEANUP(disassembly, struct disassembly, disassembly_deinit)

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

/* The position of the instruction that contains @address; SIZE_MAX: none does. */
size_t disassembly_find(const struct disassembly *disassembly, uint64_t address);

/* Append an instruction, for the functions below; @text is copied.  false: out of memory. */
bool disassembly_add(struct disassembly *disassembly, uint64_t address, size_t size,
		     const char *text);

/* What disassemble() uses.  This one is in the plugin "llvm". */
struct error *llvm_disassemble(const struct code *code,
			       const struct disassembly_options *options,
			       struct disassembly *ret);
struct error *objdump_disassemble(const struct code *code,
				  const struct disassembly_options *options,
				  struct disassembly *ret);

#endif

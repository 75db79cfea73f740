/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The instructions of a function.
 */
#ifndef KTRACE_SYMBOL_CODE_DISASSEMBLY_H
#define KTRACE_SYMBOL_CODE_DISASSEMBLY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "lib/cleanup.h"
#include "lib/error.h"

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

/* The position of the instruction that contains @address; SIZE_MAX: there is none. */
size_t disassembly_find(const struct disassembly *disassembly, uint64_t address);

/* Append an instruction, for disassembler.h; @text is copied.  Returns false if memory is out. */
bool disassembly_add(struct disassembly *disassembly, uint64_t address, size_t size,
		     const char *text);

#endif

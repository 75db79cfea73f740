/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Finds the object that an instruction accesses: its type and the offset in it.  They follow from
 * variables that hold its address, or from earlier instructions that put the address into a
 * register.
 */
#ifndef KTRACE_SYMBOL_CODE_DATA_ACCESS_H
#define KTRACE_SYMBOL_CODE_DATA_ACCESS_H

#include "lib/cleanup.h"
#include "symbol/code/disassembly.h"
#include "symbol/code/variables.h"

/* The result of the search, or the reason for its failure. */
enum data_access {
	DATA_ACCESS_KNOWN,
	DATA_ACCESS_STACK,		/* a register is saved or restored: there is no type */
	DATA_ACCESS_CANARY,		/* the canary of the function's stack: no type either */
	DATA_ACCESS_NO_SYMBOL,		/* the sample is in no known function */
	DATA_ACCESS_NO_INSTRUCTION,	/* the code is not here, or cannot be disassembled */
	DATA_ACCESS_NO_OPERAND,		/* the instruction has no operand in memory */
	DATA_ACCESS_NO_DEBUG,		/* the binary has no debug information */
	DATA_ACCESS_NO_UNIT,		/* the function has no debug information */
	DATA_ACCESS_NO_VARIABLE,	/* no variable has this address */
	DATA_ACCESS_NO_TYPE,		/* the size or the members of the type are unknown */
	DATA_ACCESS_BAD_OFFSET,		/* the offset is outside of the type */
	DATA_ACCESS_NR,
};

/* Whether the access is known, with or without a type. */
static inline bool data_access_is_good(enum data_access access)
{
	return access <= DATA_ACCESS_CANARY;
}

/* The instructions of one function, prepared for the search. */
struct data_accesses;

/*
 * Without debug information @variables is NULL.  It and @disassembly, for the ELF machine @machine,
 * must live as long as the result.  NULL: out of memory.
 */
struct data_accesses *data_accesses_create(uint16_t machine, bool relocatable,
					   const struct disassembly *disassembly,
					   struct variables *variables);
void data_accesses_destroy(struct data_accesses *accesses);
DEFINE_CLEANUP_PTR(data_accesses, struct data_accesses, data_accesses_destroy)

/* Find the object that the instruction at @position accesses; *ret is set if it is known. */
enum data_access data_accesses_find(struct data_accesses *accesses, size_t position,
				    struct object_place *ret);

#endif

/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Which object an instruction accesses: its type and the place in it, by the variables that hold
 * its address, or by the instructions before it that put the address into a register.
 */
#ifndef KTRACE_SYMBOL_CODE_DATA_ACCESS_H
#define KTRACE_SYMBOL_CODE_DATA_ACCESS_H

#include "lib/cleanup.h"
#include "symbol/code/disassembly.h"
#include "symbol/code/variables.h"

/* What is known of an access, and why nothing is. */
enum data_access {
	DATA_ACCESS_KNOWN,
	DATA_ACCESS_STACK,		/* a register is saved or restored: there is no type */
	DATA_ACCESS_CANARY,		/* the number that guards a function's stack: nor here */
	DATA_ACCESS_NO_SYMBOL,		/* the sample is in no function */
	DATA_ACCESS_NO_INSTRUCTION,	/* the code is not here, or nothing takes it apart */
	DATA_ACCESS_NO_OPERAND,		/* the instruction touches no memory by an operand */
	DATA_ACCESS_NO_DEBUG,		/* there is no debug information of the binary */
	DATA_ACCESS_NO_UNIT,		/* nor of this function */
	DATA_ACCESS_NO_VARIABLE,	/* no variable tells what the address is */
	DATA_ACCESS_NO_TYPE,		/* the size or the members of the type are not known */
	DATA_ACCESS_BAD_OFFSET,		/* the place is not inside of the type */
	DATA_ACCESS_NR,
};

/* Whether the access is known, with or without a type. */
static inline bool data_access_is_good(enum data_access access)
{
	return access <= DATA_ACCESS_CANARY;
}

/* One function's instructions, as they are needed for this. */
struct data_accesses;

/*
 * @variables may be NULL: there is no debug information.  It and @disassembly, of the ELF
 * machine @machine, must live as long.  NULL: out of memory.
 */
struct data_accesses *data_accesses_create(uint16_t machine, bool relocatable,
					   const struct disassembly *disassembly,
					   struct variables *variables);
void data_accesses_destroy(struct data_accesses *accesses);
DEFINE_CLEANUP_PTR(data_accesses, struct data_accesses, data_accesses_destroy)

/* What the instruction at @position accesses; *ret is set if it is known. */
enum data_access data_accesses_find(struct data_accesses *accesses, size_t position,
				    struct object_place *ret);

#endif

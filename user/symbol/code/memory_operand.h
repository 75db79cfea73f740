/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What one instruction does with memory and with the registers that hold addresses, read from
 * the text of a disassembler: AT&T's for x86-64, or arm64's.
 */
#ifndef KTRACE_SYMBOL_CODE_MEMORY_OPERAND_H
#define KTRACE_SYMBOL_CODE_MEMORY_OPERAND_H

#include <stdbool.h>
#include <stdint.h>

#include "symbol/code/disassembly.h"

/* Registers have the numbers of DWARF, of the machine in question. */
#define OPERAND_NONE	(-1)

/* displacement(base,index,scale), as AT&T writes it. */
struct memory_operand {
	int base;		/* OPERAND_NONE: displacement is the address */
	int index;		/* OPERAND_NONE: there is none */
	unsigned int scale;	/* what the index counts, in bytes; 0: there is none */
	int64_t displacement;
	char segment;		/* 'f', 'g': relative to what %fs or %gs has; 0: to nothing */
};

/* What an instruction does to the registers that it writes. */
enum operand_effect {
	OPERAND_UNKNOWN,	/* it is not known which ones it writes */
	OPERAND_WRITES,		/* it writes those in `written`, nobody knows what */
	OPERAND_CALLS,		/* a function is called, which may write those not saved */
	OPERAND_MOVES,		/* written[0] = source */
	OPERAND_LOADS,		/* written[0] = what is in memory */
	OPERAND_ADDRESSES,	/* written[0] = the address that `memory` stands for */
	OPERAND_THREAD,		/* written[0] = the thread pointer */
};

#define OPERAND_WRITTEN	3

struct operands {
	bool accesses;		/* `memory` is read or written */
	bool stack;		/* it pushes, pops, calls or returns */
	struct memory_operand memory;
	enum operand_effect effect;
	int written[OPERAND_WRITTEN];	/* the rest are OPERAND_NONE */
	int source;
	bool ends;		/* nothing goes on behind it, as behind a jump */
	bool wanders;		/* it jumps to where a register says */
};

/* Read an instruction of the ELF machine @machine; false: its instructions are not known. */
bool operands_read(uint16_t machine, const struct instruction *instruction, struct operands *ret);

/* Whether functions of the machine leave @reg as it was for those that call them. */
bool operands_is_saved(uint16_t machine, int reg);

#endif

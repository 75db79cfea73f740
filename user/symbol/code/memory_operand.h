/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The effect of one instruction on memory and on the registers that hold addresses.  It is parsed
 * from the text of a disassembler: AT&T's for x86-64, or arm64's.
 */
#ifndef KTRACE_SYMBOL_CODE_MEMORY_OPERAND_H
#define KTRACE_SYMBOL_CODE_MEMORY_OPERAND_H

#include <stdbool.h>
#include <stdint.h>

#include "symbol/code/disassembly.h"

/* Registers have the DWARF numbers of the machine. */
#define OPERAND_NONE	(-1)

/* displacement(base,index,scale) in AT&T's notation. */
struct memory_operand {
	int base;		/* OPERAND_NONE: displacement is the address */
	int index;		/* OPERAND_NONE: there is none */
	unsigned int scale;	/* bytes per index; 0: there is no index */
	int64_t displacement;
	char segment;		/* 'f', 'g': relative to the base of %fs or %gs; 0: absolute */
};

/* The effect of an instruction on registers. */
enum operand_effect {
	OPERAND_UNKNOWN,	/* the written registers are not known */
	OPERAND_WRITES,		/* it writes unknown values to the registers in `written` */
	OPERAND_CALLS,		/* it calls a function, which may write unsaved registers */
	OPERAND_MOVES,		/* written[0] = source */
	OPERAND_LOADS,		/* written[0] = the value of `memory` */
	OPERAND_ADDRESSES,	/* written[0] = the address of `memory` */
	OPERAND_THREAD,		/* written[0] = the thread pointer */
};

#define OPERAND_WRITTEN	3

struct operands {
	bool accesses;		/* `memory` is read or written */
	bool stack;		/* it pushes, pops, calls or returns */
	struct memory_operand memory;
	enum operand_effect effect;
	int written[OPERAND_WRITTEN];	/* unused elements are OPERAND_NONE */
	int source;
	bool ends;		/* the next instruction is not executed after it, as after a jump */
	bool wanders;		/* it jumps to the address in a register */
};

/* Parse an instruction of the ELF machine @machine; false: the machine is not supported. */
bool operands_read(uint16_t machine, const struct instruction *instruction, struct operands *ret);

/* Whether functions of the machine preserve @reg for their callers. */
bool operands_is_saved(uint16_t machine, int reg);

#endif

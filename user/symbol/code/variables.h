/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The variables of a program by where they are: in a register, on the stack or at an address, at
 * one instruction.  Addresses are the virtual ones of the file.
 */
#ifndef KTRACE_SYMBOL_CODE_VARIABLES_H
#define KTRACE_SYMBOL_CODE_VARIABLES_H

#include <stdbool.h>
#include <stdint.h>

#include "lib/cleanup.h"
#include "symbol/elf/dwarf_lines.h"
#include "with/libdw.h"

/* A place in an object: so many bytes from the start of an object of this type. */
struct object_place {
	Dwarf_Die type;		/* typedefs and qualifiers included */
	int64_t offset;
};

struct variables;

/* @lines must live as long.  NULL: out of memory. */
struct variables *variables_create(struct dwarf_lines *lines);
void variables_destroy(struct variables *variables);

/* Whether the debug information describes the code at @pc. */
bool variables_know(struct variables *variables, uint64_t pc);

/*
 * Find what @displacement(@reg) is at @pc, if a variable tells: one that is a pointer and in
 * the register, or one that lies in memory there, as on the stack.
 */
bool variables_find_pointed(struct variables *variables, uint64_t pc, int reg,
			    int64_t displacement, struct object_place *ret);

/* Find the variable that lies at @address, as the instruction at @pc sees it. */
bool variables_find_static(struct variables *variables, uint64_t pc, uint64_t address,
			   struct object_place *ret);

/*
 * Find the variable of each thread that lies @displacement behind what the thread pointer has,
 * as the instruction at @pc sees it.  Only those that the linker has given their places are
 * known: those of the executable itself, on x86-64.
 */
bool variables_find_thread(struct variables *variables, uint64_t pc, int64_t displacement,
			   struct object_place *ret);

#endif

/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Finds the variables of a program by their location at one instruction: in a register, on the
 * stack or at an address.  Addresses are the virtual ones of the file.
 */
#ifndef KTRACE_SYMBOL_CODE_VARIABLES_H
#define KTRACE_SYMBOL_CODE_VARIABLES_H

#include <stdbool.h>
#include <stdint.h>

#include "lib/cleanup.h"
#include "symbol/elf/dwarf_lines.h"
#include "with/libdw.h"

/* A location in an object: its type, and an offset in bytes from its start. */
struct object_place {
	Dwarf_Die type;		/* typedefs and qualifiers included */
	int64_t offset;
};

struct variables;

/* @lines must live as long as the result.  NULL: out of memory. */
struct variables *variables_create(struct dwarf_lines *lines);
void variables_destroy(struct variables *variables);

/* Whether the debug information describes the code at @pc. */
bool variables_know(struct variables *variables, uint64_t pc);

/*
 * Find the object at @displacement(@reg) at @pc.  It is known if a pointer variable is in the
 * register, or if a variable is stored there in memory, as on the stack.
 */
bool variables_find_pointed(struct variables *variables, uint64_t pc, int reg,
			    int64_t displacement, struct object_place *ret);

/* Find the variable at @address, as the instruction at @pc sees it. */
bool variables_find_static(struct variables *variables, uint64_t pc, uint64_t address,
			   struct object_place *ret);

/*
 * Find the thread-local variable @displacement bytes behind the thread pointer, as the instruction
 * at
 * @pc sees it.  Only variables whose offsets the linker has set are known: those of the executable
 * itself, on x86-64.
 */
bool variables_find_thread(struct variables *variables, uint64_t pc, int64_t displacement,
			   struct object_place *ret);

#endif

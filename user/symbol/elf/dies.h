/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Walks through debug information: units, functions, inlined functions, lines.
 */
#ifndef KTRACE_SYMBOL_ELF_DIES_H
#define KTRACE_SYMBOL_ELF_DIES_H

#include <stdbool.h>
#include <stdint.h>

#include "with/libdw.h"

/* Deeper nesting is ignored: only damaged files have it. */
#define DIES_MAX_DEPTH 256

/* Call @function for each unit until it returns false. */
typedef bool (*die_fn)(void *context, Dwarf_Die *die);
void dies_units(Dwarf *dwarf, die_fn function, void *context);

/* Call @function for each function of a unit until it returns false.  Declarations are skipped. */
void dies_functions(Dwarf_Die *unit, die_fn function, void *context);

/*
 * Call @function for every DIE below @die, each before its children, until it returns DIES_STOP.
 * DIES_SKIP skips the children of the current DIE.
 */
enum dies_step { DIES_GO_ON, DIES_SKIP, DIES_STOP };
typedef enum dies_step (*dies_walk_fn)(void *context, Dwarf_Die *die);
enum dies_step dies_walk(Dwarf_Die *die, dies_walk_fn function, void *context);

/* Find the function with code at @address; false: there is none. */
bool dies_function_at(Dwarf_Die *unit, uint64_t address, Dwarf_Die *ret);

/* The first address of a function or an inlined one; false: it has no code. */
bool dies_entry(Dwarf_Die *die, uint64_t *ret);

/* Follow DW_AT_abstract_origin; false: there is none. */
bool dies_origin(Dwarf_Die *die, Dwarf_Die *ret);

/* The type of a variable, a member or a pointer; false: it has none. */
bool dies_declared_type(Dwarf_Die *die, Dwarf_Die *ret);

/* The offset of a member, 0 if it has no location; false: only running code computes it. */
bool dies_member_offset(Dwarf_Die *member, uint64_t *ret);

/* Whether @die is an instance of the function @origin: inlined, or with code of its own. */
bool dies_is_instance(Dwarf_Die *die, Dwarf_Die *origin);

/* The value of a numeric attribute; false: it is missing. */
bool dies_number(Dwarf_Die *die, unsigned int attribute, uint64_t *ret);

/*
 * Whether @path ends in @tail, as users name source files.  "foo.c" is an end of "a/foo.c", but not
 * of "a/xfoo.c".
 */
bool dies_is_file(const char *path, const char *tail);

/*
 * The folder in which a unit was compiled, which is the base of its relative paths; NULL: not
 * known.
 */
const char *dies_folder(Dwarf_Die *unit);

/* The file in which a function or variable is declared; NULL: not known. */
const char *dies_file(Dwarf_Die *die);

/*
 * The file and line where a function begins, or where an inlined one is called.  NULL: not known,
 * or
 * @die is no function.
 */
const char *dies_start(Dwarf_Die *unit, Dwarf_Die *die, int *ret_line);

/* Follow typedefs and qualifiers of the type of @die; false: it has none, which is void. */
bool dies_type(Dwarf_Die *die, Dwarf_Die *ret);

/* Whether the name or the linkage name of a function matches a name or glob. */
bool dies_is_named(Dwarf_Die *die, const char *name);

#endif

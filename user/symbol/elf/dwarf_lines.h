/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Source lines and inlined functions, from the DWARF of one file.  Addresses are the file's
 * virtual ones.
 */
#ifndef KTRACE_SYMBOL_ELF_DWARF_LINES_H
#define KTRACE_SYMBOL_ELF_DWARF_LINES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "with/libdw.h"

struct dwarf_lines;

/* Open the DWARF of @path; NULL: it has none, or memory is out. */
struct dwarf_lines *dwarf_lines_open(const char *path);

/* @lines may be NULL. */
void dwarf_lines_destroy(struct dwarf_lines *lines);

/* The DWARF itself; NULL: the lines were not read from a file. */
Dwarf *dwarf_lines_dwarf(const struct dwarf_lines *lines);

/* Find the compilation unit with code at @address; false: there is none. */
bool dwarf_lines_unit(struct dwarf_lines *lines, uint64_t address, Dwarf_Die *ret);

/*
 * A function that contains an address, and the place in it; strings live as long as the lines.
 */
struct source_place {
	const char *function;	/* mangled; NULL: unknown */
	const char *file;	/* NULL: unknown */
	const char *folder;	/* to which @file is relative; NULL: not, or unknown */
	unsigned int line;	/* 0: unknown */
};

/*
 * Find where @address is: first the function whose code it is, then those into which that one
 * was inlined, each with the line of the call.  Returns their number, at most @max; 0: nothing
 * is known of the address.  Each compilation unit is walked over once, when the first of its
 * addresses is asked for, and each address is resolved once.
 */
size_t dwarf_lines_find(struct dwarf_lines *lines, uint64_t address, struct source_place *places,
			size_t max);

/* What was resolved so far: the number of addresses, and the places of one of them. */
size_t dwarf_lines_nr(const struct dwarf_lines *lines);
size_t dwarf_lines_at(const struct dwarf_lines *lines, size_t position, uint64_t *ret_address,
		      const struct source_place **ret);

/*
 * Make lines that know only what is added; of an address that is added twice, the first counts.
 * Strings are borrowed.  NULL, false: no memory.
 */
struct dwarf_lines *dwarf_lines_create(void);
bool dwarf_lines_add(struct dwarf_lines *lines, uint64_t address,
		     const struct source_place *places, size_t nr);

#endif

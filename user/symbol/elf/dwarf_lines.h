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
 * A function that contains an address, and the source line there; strings live as long as the
 * lines.
 */
struct source_place {
	const char *function;	/* mangled; NULL: unknown */
	const char *file;	/* NULL: unknown */
	const char *folder;	/* base of @file; NULL: it is absolute, or unknown */
	unsigned int line;	/* 0: unknown */
};

/*
 * Find the source of @address: first the function with this code, then each function into which the
 * one before was inlined, with the line of the call.  Returns their number, at most @max; 0: the
 * address is unknown.  Each compilation unit is walked once, at its first look-up.  Each address is
 * resolved once.
 */
size_t dwarf_lines_find(struct dwarf_lines *lines, uint64_t address, struct source_place *places,
			size_t max);

/* The results so far: the number of resolved addresses, and the places of one of them. */
size_t dwarf_lines_nr(const struct dwarf_lines *lines);
size_t dwarf_lines_at(const struct dwarf_lines *lines, size_t position, uint64_t *ret_address,
		      const struct source_place **ret);

/*
 * Create lines that contain only the added addresses.  If an address is added twice, the first one
 * counts.  Strings are borrowed.  NULL, false: no memory.
 */
struct dwarf_lines *dwarf_lines_create(void);
bool dwarf_lines_add(struct dwarf_lines *lines, uint64_t address,
		     const struct source_place *places, size_t nr);

#endif

/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Source lines, and functions that were inlined, by the DWARF of one file.
 * Addresses are the file's virtual ones.
 */
#ifndef KTRACE_SYMBOL_DWARF_LINES_H
#define KTRACE_SYMBOL_DWARF_LINES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct dwarf_lines;

/* NULL: @path has no DWARF, or memory is out. */
struct dwarf_lines *dwarf_lines_open(const char *path);

/* @lines may be NULL. */
void dwarf_lines_destroy(struct dwarf_lines *lines);

/* A function that an address is in, and the place in it; strings live as long as the lines. */
struct source_place {
	const char *function;	/* mangled; NULL: unknown */
	const char *file;	/* NULL: unknown */
	unsigned int line;	/* 0: unknown */
};

/*
 * Where @address is: the function whose code it is first, then those it was
 * inlined into, each with the line of the call.  How many, at most @max; 0:
 * nothing is known of the address.
 */
size_t dwarf_lines_find(struct dwarf_lines *lines, uint64_t address, struct source_place *places,
			size_t max);

#endif

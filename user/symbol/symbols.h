/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The symbols of one file, by address.  Which symbol ends where, which of
 * several at one address counts, and which of overlapping ones is found, is
 * perf's choice.
 *
 *	symbols_add() ...; symbols_settle(); symbols_add() ...; symbols_settle();
 *	symbols_find() ...
 */
#ifndef KTRACE_SYMBOL_SYMBOLS_H
#define KTRACE_SYMBOL_SYMBOLS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "lib/error.h"

/* As in ELF (STB_*). */
enum symbol_binding {
	SYMBOL_LOCAL	= 0,
	SYMBOL_GLOBAL	= 1,
	SYMBOL_WEAK	= 2,
};

struct symbol {
	uint64_t start, end;	/* end belongs to the next one */
	const char *name;
	const char *part;	/* kallsyms: its module; vmlinux: its section; NULL: none */
	uint32_t order;		/* among those with the same start: as they were added */
	uint8_t binding;
	bool mangled;		/* of @name: it may be a C++ or Rust one, not looked at yet */
	bool inlined;		/* made up for a function that was inlined at an address */
};

struct symbols {
	struct symbol *items;	/* ascending by start once settled */
	size_t nr, alloc;
	uint64_t *reaches;	/* the highest end up to each item */
	struct {
		char **items;
		size_t nr, alloc;
	} texts;		/* what names lie in */
	char *page;		/* the text that names are copied to */
	size_t page_left;
};

void symbols_deinit(struct symbols *symbols);

/* @name stays the caller's, and must live as long: symbols_keep() or symbols_copy(). */
struct error *symbols_add(struct symbols *symbols, const struct symbol *symbol);

/* Let @symbols own the malloc()ed @text, also on failure. */
struct error *symbols_keep(struct symbols *symbols, char *text);

/* A copy that lives as long as @symbols; NULL: out of memory. */
const char *symbols_copy(struct symbols *symbols, const char *text, size_t len);

/*
 * Sort, give those without a size one, and drop duplicates.  @kernel: the
 * symbols of kallsyms, where one ends between the kernel and a module.
 */
struct error *symbols_settle(struct symbols *symbols, bool kernel);

/*
 * As symbols_settle(), but every symbol stays: only the order is made, for
 * what was added to settled ones.
 */
struct error *symbols_sort(struct symbols *symbols);

/* The symbol that covers @address, demangled; NULL: none. */
const struct symbol *symbols_find(struct symbols *symbols, uint64_t address);

/* The first one at or behind @address, not demangled; NULL: none. */
const struct symbol *symbols_first(const struct symbols *symbols, uint64_t address);

#endif

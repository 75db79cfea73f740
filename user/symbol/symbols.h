/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The symbols of one file, by address.  These follow perf: the end of each symbol, the choice among
 * several at one address, and the choice among overlapping symbols.
 *
 *	symbols_add() ...; symbols_settle(); symbols_add() ...; symbols_settle();
 *	symbols_find() ...
 */
#ifndef KTRACE_SYMBOL_SYMBOLS_H
#define KTRACE_SYMBOL_SYMBOLS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "lib/array.h"
#include "lib/cleanup.h"
#include "lib/error.h"

/* As in ELF (STB_*). */
enum symbol_binding {
	SYMBOL_LOCAL	= 0,
	SYMBOL_GLOBAL	= 1,
	SYMBOL_WEAK	= 2,
};

struct symbol {
	uint64_t start, end;	/* end is exclusive */
	const char *name;
	const char *linkage;	/* the name in the file, if @name is derived from it; or NULL */
	const char *part;	/* kallsyms: its module; vmlinux: its section; NULL: none */
	uint32_t order;		/* rank of its addition among those with the same start */
	uint8_t binding;
	bool mangled;		/* @name may be mangled; it was not demangled yet */
	bool is_data;		/* it is a variable */
	bool inlined;		/* it is a function that was inlined at an address */
	bool asked;		/* symbols_find() has returned it */
};

/*
 * Whether two symbols of one binary are the same function.  Functions that were inlined at several
 * addresses of one function are compared by name.
 */
static inline bool symbol_is_same(const struct symbol *a, const struct symbol *b)
{
	if (a->inlined || b->inlined)
		return a->start <= b->end && b->start <= a->end && !strcmp(a->name, b->name);
	return a->start == b->start && a->end == b->end;
}

struct symbols {
	struct symbol *items;	/* ascending by start once settled */
	size_t nr, alloc;
	uint64_t *reaches;	/* for each item, the highest end up to it */
	ARRAY_OF(uint64_t) bounds;	/* see symbols_bound() */
	ARRAY_OF(char *) texts;	/* the memory of the names */
	char *page;		/* the buffer for copies of names */
	size_t page_left;
};

void symbols_deinit(struct symbols *symbols);
DEFINE_CLEANUP(symbols, struct symbols, symbols_deinit)

/*
 * Add a symbol.  Its name is borrowed and must live as long as @symbols: see symbols_keep()
 * and symbols_copy().
 */
struct error *symbols_add(struct symbols *symbols, const struct symbol *symbol);

/* Symbols without a size that begin before @end do not extend beyond @end. */
struct error *symbols_bound(struct symbols *symbols, uint64_t end);

/* Pass the ownership of @text, which was allocated with malloc(), also on failure. */
struct error *symbols_keep(struct symbols *symbols, char *text);

/* Copy @text; the copy lives as long as @symbols.  NULL: out of memory. */
const char *symbols_copy(struct symbols *symbols, const char *text, size_t len);

/*
 * Sort the symbols, give a size to symbols without one, and drop duplicates.  On failure, there
 * are none.  @kernel: the symbols are those of kallsyms, where a module's symbol follows the
 * kernel's last one.
 */
struct error *symbols_settle(struct symbols *symbols, bool kernel);

/*
 * As symbols_settle(), but only sort and drop nothing; for symbols that were added to settled ones.
 */
struct error *symbols_sort(struct symbols *symbols);

/* Find the symbol that covers @address, demangled; NULL: none. */
const struct symbol *symbols_find(struct symbols *symbols, uint64_t address);

/* Find the first symbol at or behind @address, not demangled; NULL: none. */
const struct symbol *symbols_first(const struct symbols *symbols, uint64_t address);

#endif

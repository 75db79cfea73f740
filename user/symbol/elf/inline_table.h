/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Maps the code of a compilation unit to functions, including inlined ones: intervals of addresses,
 * collected in one walk over the unit.
 */
#ifndef KTRACE_SYMBOL_ELF_INLINE_TABLE_H
#define KTRACE_SYMBOL_ELF_INLINE_TABLE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "lib/cleanup.h"
#include "with/libdw.h"

struct inline_table;

/* No function. */
#define INLINE_NONE	UINT32_MAX

/*
 * Walk over @unit.  Its DWARF must live as long as the table.  *ret_all is false if ranges were
 * left out because there are too many.  NULL: out of memory.
 */
struct inline_table *inline_table_create(Dwarf_Die *unit, bool *ret_all);
void inline_table_destroy(struct inline_table *table);
DEFINE_CLEANUP_PTR(inline_table, struct inline_table, inline_table_destroy)

/* Find the innermost function with code at @address; INLINE_NONE: there is none. */
uint32_t inline_table_find(const struct inline_table *table, uint64_t address);

/* The entry of a function: DW_TAG_subprogram, or DW_TAG_inlined_subroutine. */
Dwarf_Die *inline_table_die(struct inline_table *table, uint32_t function);

/* The function into which this one was inlined; INLINE_NONE: none. */
uint32_t inline_table_caller(const struct inline_table *table, uint32_t function);

#endif

/* SPDX-License-Identifier: GPL-2.0 */
#ifndef KTRACE_SYMBOL_DWARF_LINES_H
#define KTRACE_SYMBOL_DWARF_LINES_H

struct dwarf_lines;

/* @lines may be NULL. */
void dwarf_lines_destroy(struct dwarf_lines *lines);

#endif

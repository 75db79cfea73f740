/* SPDX-License-Identifier: GPL-2.0 */
/* The size of the terminal of standard output. */
#ifndef KTRACE_TERMINAL_TERMINAL_H
#define KTRACE_TERMINAL_TERMINAL_H

#include <stddef.h>

#include "lib/strbuf.h"

/* Tables are at least this wide, even if the terminal is narrower. */
#define TERMINAL_COLUMNS_MIN	80

/*
 * The number of columns of a line, from COLUMNS or the terminal, and at least TERMINAL_COLUMNS_MIN.
 * It is 0 if standard output is not a terminal, so that nothing is cut.
 */
unsigned int terminal_columns(void);

/* The width of @text in columns: colour sequences count 0, each character counts 1. */
size_t terminal_width(const char *text);

/* The same of its first @len bytes. */
size_t terminal_width_of(const char *text, size_t len);

/*
 * Append @text.  If it is wider than @columns, append its beginning and its end with ".." between
 * them.  Returns whether it was cut.
 */
bool terminal_add_cut(struct strbuf *out, const char *text, size_t columns);

/* Append the characters of @text that fit completely into its first @bytes bytes. */
void terminal_add_beginning(struct strbuf *out, const char *text, size_t bytes);

/*
 * Append @text, whose first word is printed in column @column.  Lines are broken between words at
 * @columns; further lines begin in column @indent.  @columns 0: no breaks.
 */
void terminal_add_wrapped(struct strbuf *out, const char *text, size_t column, size_t indent,
			  size_t columns);

#endif

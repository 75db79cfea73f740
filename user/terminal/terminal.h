/* SPDX-License-Identifier: GPL-2.0 */
/*
 * How much room the terminal has that shows standard output.
 */
#ifndef KTRACE_TERMINAL_TERMINAL_H
#define KTRACE_TERMINAL_TERMINAL_H

#include <stddef.h>

#include "lib/strbuf.h"

/* Tables need so many columns, also if the terminal has fewer. */
#define TERMINAL_COLUMNS_MIN	80

/*
 * How many columns a line may have, from COLUMNS or the terminal, and at least
 * TERMINAL_COLUMNS_MIN; 0 if standard output is no terminal, so that nothing must be cut.
 */
unsigned int terminal_columns(void);

/* The number of columns that @text takes: marks of colours take none, each character one. */
size_t terminal_width(const char *text);

/* The same of its first @len bytes. */
size_t terminal_width_of(const char *text, size_t len);

/*
 * Append @text, or its beginning and its end with ".." between them if it takes more than
 * @columns.  Returns whether it was cut.
 */
bool terminal_add_cut(struct strbuf *out, const char *text, size_t columns);

/* Append the characters of @text that fit completely into its first @bytes bytes. */
void terminal_add_beginning(struct strbuf *out, const char *text, size_t bytes);

/*
 * Append @text, whose first word is to stand in column @column, and break lines between words
 * so that they take at most @columns; further lines begin in column @indent.  0: break nothing.
 */
void terminal_add_wrapped(struct strbuf *out, const char *text, size_t column, size_t indent,
			  size_t columns);

#endif

/* SPDX-License-Identifier: GPL-2.0 */
/*
 * How much room the terminal has that shows standard output.
 */
#ifndef KTRACE_LIB_TERMINAL_H
#define KTRACE_LIB_TERMINAL_H

#include <stddef.h>

#include "lib/strbuf.h"

/* Tables need so many columns, also if the terminal has fewer. */
#define TERMINAL_COLUMNS_MIN	80

/*
 * How many columns a line may have, from COLUMNS or the terminal, and at least
 * TERMINAL_COLUMNS_MIN; 0 if standard output is no terminal, so that nothing must be cut.
 */
unsigned int terminal_columns(void);

/* The number of columns that @text takes, if each of its characters takes one. */
size_t terminal_width(const char *text);

/*
 * Append @text, or its beginning and its end with ".." between them if it takes more than
 * @columns.  Returns whether it was cut.
 */
bool terminal_add_cut(struct strbuf *out, const char *text, size_t columns);

#endif

/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Text in the cells of a terminal.  A wide character needs two of them, a combining one none.
 * Names may contain control characters, which cells_add_name() escapes.
 */
#ifndef KTRACE_BROWSER_CELLS_H
#define KTRACE_BROWSER_CELLS_H

#include <stdbool.h>
#include <stddef.h>

#include "lib/strbuf.h"

/* Initialize the C library's widths of characters; call it before all others. */
void cells_begin(void);

size_t cells_width(const char *text);

/*
 * Append a name, escaped, in at most @cells cells: ".." replaces the middle of a longer one.  A
 * shorter one is padded with blanks if @pad.
 */
void cells_add_name(struct strbuf *out, const char *name, size_t cells, bool pad);

/*
 * Append the part of @text in @cells cells from cell @from on, and blanks behind it.  Half of a
 * wide character becomes a blank.
 */
void cells_add_window(struct strbuf *out, const char *text, size_t from, size_t cells);

#endif

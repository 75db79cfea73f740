/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Text in the cells of a terminal.  A wide character takes two of them, a combining one none.
 * Names are chosen by others, so cells_add_name() makes control characters harmless.
 */
#ifndef KTRACE_BROWSER_CELLS_H
#define KTRACE_BROWSER_CELLS_H

#include <stdbool.h>
#include <stddef.h>

#include "lib/strbuf.h"

/* Have the C library know the widths of all characters; call it before the others. */
void cells_begin(void);

size_t cells_width(const char *text);

/*
 * Append a name, escaped, as at most @cells cells: the middle of a longer one is replaced by
 * "..".  A shorter one is followed by blanks if @pad.
 */
void cells_add_name(struct strbuf *out, const char *name, size_t cells, bool pad);

/*
 * Append what is seen of @text in @cells cells from cell @from on, and blanks behind it.  Half
 * of a wide character is seen as a blank.
 */
void cells_add_window(struct strbuf *out, const char *text, size_t from, size_t cells);

#endif

/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Others choose the names of tasks, files, events and hosts.  Printed names must neither control
 * the terminal nor look like lines that ktrace itself prints.
 *
 *	to a terminal	escape_terminal(): all control characters except line ends and
 *			tabs become "\x1b", "\r" ...
 *	headers		escape_controls(): the same, wherever the headers are printed to
 *	elsewhere	escape_line_ends(): names keep their bytes, as perf prints
 *			them, but line ends in them become "\n"
 *
 * Valid UTF-8 is kept, except for its control characters; invalid bytes are replaced.
 */
#ifndef KTRACE_LIB_ESCAPE_H
#define KTRACE_LIB_ESCAPE_H

#include "lib/strbuf.h"

void escape_line_ends_found(struct strbuf *sb, size_t from);

/* Escape the line ends in @sb from the offset @from on. */
static inline void escape_line_ends(struct strbuf *sb, size_t from)
{
	if (sb->len > from && memchr(sb->data + from, '\n', sb->len - from))
		escape_line_ends_found(sb, from);
}

void escape_controls(struct strbuf *sb, size_t from);

/*
 * Append @len bytes of @text, escaped for a terminal; line ends and tabs stay.  Returns the
 * number of bytes that were consumed; the remaining ones begin an incomplete character.
 */
size_t escape_terminal(struct strbuf *sb, const char *text, size_t len);

/*
 * From now on everything printed to stdout is escaped and coloured if stdout is a terminal,
 * also when it is shown by a pager, or if color_mode is COLOR_ALWAYS.  Call it again when
 * color_mode has changed.
 */
void escape_stdout(void);

#endif

/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Text that others chose (names of tasks, files, events, hosts) must neither command
 * a terminal nor look like lines of ours.
 *
 *	to a terminal	escape_terminal(): of all that is printed there, control
 *			characters but line ends and tabs become "\x1b", "\r" ...
 *	headers		escape_controls(): the same, wherever they go
 *	elsewhere	escape_line_ends(): names keep their bytes, as perf prints
 *			them, but line ends in them become "\n"
 *
 * UTF-8 stays as it is; bytes that are none, and its control characters, do not.
 */
#ifndef KTRACE_LIB_ESCAPE_H
#define KTRACE_LIB_ESCAPE_H

#include "lib/strbuf.h"

void escape_line_ends_found(struct strbuf *sb, size_t from);

/* Of what @sb holds from @from on. */
static inline void escape_line_ends(struct strbuf *sb, size_t from)
{
	if (sb->len > from && memchr(sb->data + from, '\n', sb->len - from))
		escape_line_ends_found(sb, from);
}

void escape_controls(struct strbuf *sb, size_t from);

/*
 * Append @text, @len bytes, as a terminal may have it: line ends and tabs stay.
 * How many bytes were taken; the others are the beginning of a character.
 */
size_t escape_terminal(struct strbuf *sb, const char *text, size_t len);

/* From now on what is printed to stdout is escaped, if it is a terminal; also in a pager. */
void escape_stdout(void);

#endif

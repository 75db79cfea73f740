/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Values in comma-separated tables (RFC 4180), or in tables with another separator.
 */
#ifndef KTRACE_LIB_CSV_H
#define KTRACE_LIB_CSV_H

#include <stdbool.h>
#include <string.h>

#include "lib/utf8.h"

/*
 * Append a text, which is no number, as a value; @separator divides values.  Each byte that is not
 * UTF-8 becomes U+FFFD.  A spreadsheet reads a value that begins with one of = + - @ as a formula,
 * and anybody who runs a program chooses its name.  Such values get a leading ', which marks them
 * as text.
 */
static inline void csv_add_separated(struct strbuf *out, const char *text, size_t len,
				     char separator)
{
	bool quoted = false;

	for (size_t i = 0; i < len; i++)
		quoted |= text[i] == separator || text[i] == '"' || text[i] == '\n' || text[i] == '\r';
	if (quoted)
		strbuf_addch(out, '"');
	if (len && memchr("=+-@", *text, 4))
		strbuf_addch(out, '\'');
	while (len) {
		const char *quote = memchr(text, '"', len);
		size_t part = quote ? (size_t)(quote - text) + 1 : len;

		utf8_add(out, text, part);
		if (quote)
			strbuf_addch(out, '"');
		text += part;
		len -= part;
	}
	if (quoted)
		strbuf_addch(out, '"');
}

/* As csv_add_separated(), with a comma as separator. */
static inline void csv_add_text(struct strbuf *out, const char *text, size_t len)
{
	csv_add_separated(out, text, len, ',');
}

#endif

// SPDX-License-Identifier: GPL-2.0
#include "browser/cells.h"

#include <langinfo.h>
#include <locale.h>
#include <string.h>
#include <wchar.h>

#include "lib/escape.h"

void cells_begin(void)
{
	setlocale(LC_CTYPE, "");
	/* Names are UTF-8, whichever encoding the environment selects. */
	if (strcmp(nl_langinfo(CODESET), "UTF-8"))
		setlocale(LC_CTYPE, "C.UTF-8");
}

/* Read the character at @text: its bytes (at least 1) and its cells. */
static size_t cells_read(const char *text, size_t *ret_cells)
{
	mbstate_t state = { 0 };
	wchar_t c;
	size_t bytes = mbrtowc(&c, text, strlen(text), &state);
	int width;

	*ret_cells = 1;
	if (bytes == 0 || bytes == (size_t)-1 || bytes == (size_t)-2)
		return 1;
	width = wcwidth(c);
	if (width >= 0)
		*ret_cells = width;
	return bytes;
}

size_t cells_width(const char *text)
{
	size_t width = 0, cells;

	while (*text) {
		text += cells_read(text, &cells);
		width += cells;
	}
	return width;
}

/* The number of bytes of the longest beginning of @text that fits into @max cells. */
static size_t cells_beginning(const char *text, size_t max)
{
	size_t bytes = 0, used = 0, cells;

	while (text[bytes]) {
		size_t next = bytes + cells_read(text + bytes, &cells);

		if (used + cells > max)
			break;
		used += cells;
		bytes = next;
	}
	return bytes;
}

/* The bytes before the longest end of @text, which has @width cells, of at most @max cells. */
static size_t cells_before_end(const char *text, size_t width, size_t max)
{
	size_t bytes = 0, cells;

	while (text[bytes] && width > max) {
		bytes += cells_read(text + bytes, &cells);
		width -= cells;
	}
	return bytes;
}

void cells_add_name(struct strbuf *out, const char *name, size_t cells, bool pad)
{
	_cleanup_(strbuf) struct strbuf text = STRBUF_INIT;
	size_t width, from = out->len;

	strbuf_addstr(&text, name);
	escape_controls(&text, 0);
	width = cells_width(strbuf_str(&text));
	if (width <= cells) {
		strbuf_addstr(out, strbuf_str(&text));
	} else {
		size_t begin = cells > 2 ? (cells - 1) / 2 : 0;
		size_t end = cells > 2 ? cells - 2 - begin : 0;

		strbuf_add(out, strbuf_str(&text), cells_beginning(strbuf_str(&text), begin));
		strbuf_add(out, "..", cells < 2 ? cells : 2);
		strbuf_addstr(out, strbuf_str(&text) +
			      cells_before_end(strbuf_str(&text), width, end));
	}
	out->failed |= text.failed;
	if (out->failed || !pad)
		return;
	width = cells_width(strbuf_str(out) + from);
	if (width < cells)
		strbuf_add_spaces(out, cells - width);
}

void cells_add_window(struct strbuf *out, const char *text, size_t from, size_t cells)
{
	size_t at = 0, seen = 0;

	while (*text && seen < cells) {
		size_t width, bytes = cells_read(text, &width);

		if (at >= from && seen + width <= cells) {
			strbuf_add(out, text, bytes);
			seen += width;
		} else if (at + width > from) {
			/* It is seen in part. */
			strbuf_addch(out, ' ');
			seen++;
		}
		at += width;
		text += bytes;
	}
	strbuf_add_spaces(out, cells - seen);
}

// SPDX-License-Identifier: GPL-2.0
#include "terminal/terminal.h"

#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "lib/color.h"
#include "terminal/pager.h"

/* Nobody has a wider terminal, and the buffers of tables need not hold more. */
#define COLUMNS_MAX	4096

/* The pager sets COLUMNS where the terminal cannot be asked any more. */
static unsigned int columns_of_terminal(void)
{
	const char *text = getenv("COLUMNS");
	long columns = text ? strtol(text, NULL, 10) : 0;
	struct winsize size;

	if (columns > 0)
		return columns < COLUMNS_MAX ? columns : COLUMNS_MAX;
	return ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) ? 0 : size.ws_col;
}

static bool begins_character(char c)
{
	return (c & 0xc0) != 0x80;
}

size_t terminal_width_of(const char *text, size_t len)
{
	const char *sequence, *end = text + len;
	size_t width = 0;

	while (text < end) {
		int mark = *text != COLOR_MARK ? -1 : color_mark_read(text, end - text, &sequence);

		if (mark <= 0)
			width += begins_character(*text);
		text += mark > 0 ? mark : 1;
	}
	return width;
}

size_t terminal_width(const char *text)
{
	return terminal_width_of(text, strlen(text));
}

/* Find where character number @nr of @text begins. */
static const char *find_character(const char *text, size_t nr)
{
	for (; *text; text++)
		if (begins_character(*text) && !nr--)
			break;
	return text;
}

bool terminal_add_cut(struct strbuf *out, const char *text, size_t columns)
{
	size_t width = terminal_width(text), begin, end;

	if (width <= columns) {
		strbuf_addstr(out, text);
		return false;
	}
	begin = columns > 2 ? (columns - 1) / 2 : 0;
	end = columns > 2 ? columns - 2 - begin : 0;
	strbuf_add(out, text, find_character(text, begin) - text);
	strbuf_addstr(out, "..");
	strbuf_addstr(out, find_character(text, width - end));
	return true;
}

void terminal_add_beginning(struct strbuf *out, const char *text, size_t bytes)
{
	size_t len = strnlen(text, bytes);

	while (len && text[len] && !begins_character(text[len]))
		len--;
	strbuf_add(out, text, len);
}

void terminal_add_wrapped(struct strbuf *out, const char *text, size_t column, size_t indent,
			  size_t columns)
{
	if (!columns) {
		strbuf_addstr(out, text);
		return;
	}
	for (const char *sep = ""; *text; sep = " ") {
		size_t len = strcspn(text, " "), from = out->len, width;

		strbuf_add(out, text, len);
		width = out->failed ? 0 : terminal_width(strbuf_str(out) + from);
		out->len = from;
		if (*sep && column + 1 + width > columns) {
			strbuf_addf(out, "\n%*s", (int)indent, "");
			column = indent;
			sep = "";
		}
		strbuf_addf(out, "%s%.*s", sep, (int)len, text);
		column += strlen(sep) + width;
		text += len + strspn(text + len, " ");
	}
}

unsigned int terminal_columns(void)
{
	unsigned int columns;

	if (!pager_is_terminal())
		return 0;
	columns = columns_of_terminal();
	return columns > TERMINAL_COLUMNS_MIN ? columns : TERMINAL_COLUMNS_MIN;
}

// SPDX-License-Identifier: GPL-2.0
#include "lib/terminal.h"

#include <stdlib.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "lib/pager.h"

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

size_t terminal_width(const char *text)
{
	size_t width = 0;

	for (; *text; text++)
		width += begins_character(*text);
	return width;
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

unsigned int terminal_columns(void)
{
	unsigned int columns;

	if (!pager_is_terminal())
		return 0;
	columns = columns_of_terminal();
	return columns > TERMINAL_COLUMNS_MIN ? columns : TERMINAL_COLUMNS_MIN;
}

// SPDX-License-Identifier: GPL-2.0
/*
 * Draws browsers by ncursesw, in a plugin, because few commands draw.
 */
#include "browser/screen.h"

#include <curses.h>
#include <errno.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <term.h>
#include <unistd.h>

#include "lib/array.h"

/* How long to wait for the rest of a key's sequence, in ms; a lone Esc takes as long. */
#define ESCAPE_MS	25

/* Numbers of colour pairs. */
enum { PAIR_HOT = 1, PAIR_WARM, PAIR_TITLE };

static struct {
	FILE *in, *out;
	SCREEN *screen;
	char leave[256];
	bool colors;
} curses;

static const struct {
	int curses, key;
} curses_keys[] = {
	{ KEY_UP, BROWSER_UP }, { KEY_DOWN, BROWSER_DOWN },
	{ KEY_LEFT, BROWSER_LEFT }, { KEY_RIGHT, BROWSER_RIGHT },
	{ KEY_PPAGE, BROWSER_PAGE_UP }, { KEY_NPAGE, BROWSER_PAGE_DOWN },
	{ KEY_HOME, BROWSER_HOME }, { KEY_END, BROWSER_END },
	{ KEY_BTAB, BROWSER_BACK_TAB }, { KEY_BACKSPACE, BROWSER_BACKSPACE },
	{ KEY_DC, BROWSER_BACKSPACE }, { KEY_ENTER, BROWSER_ENTER }, { KEY_F(1), BROWSER_F1 },
	{ KEY_RESIZE, BROWSER_RESIZED },
};

static void curses_add_capability(const char *name)
{
	const char *text = tigetstr((char *)name);
	size_t len = strlen(curses.leave);

	if (text && text != (const char *)-1)
		snprintf(curses.leave + len, sizeof(curses.leave) - len, "%s", text);
}

static void curses_close_files(void)
{
	if (curses.in)
		fclose(curses.in);
	if (curses.out)
		fclose(curses.out);
	curses.in = curses.out = NULL;
}

static void curses_begin_colors(void)
{
	const char *forbidden = getenv("NO_COLOR");

	curses.colors = has_colors() && color_mode != COLOR_NEVER && !(forbidden && *forbidden);
	if (!curses.colors)
		return;
	start_color();
	use_default_colors();
	init_pair(PAIR_HOT, COLOR_RED, -1);
	init_pair(PAIR_WARM, COLOR_GREEN, -1);
	init_pair(PAIR_TITLE, COLOR_CYAN, -1);
}

static struct error *curses_open(const char **ret_leave)
{
	const char *term = getenv("TERM");

	/* Output to stdout is escaped, which a picture must not be. */
	curses.in = fdopen(dup(STDIN_FILENO), "r");
	curses.out = fdopen(dup(STDOUT_FILENO), "w");
	/* With these, ncurses would not ask the terminal for its size, which may change. */
	unsetenv("LINES");
	unsetenv("COLUMNS");
	if (curses.in && curses.out)
		curses.screen = newterm(NULL, curses.out, curses.in);
	if (!curses.screen) {
		curses_close_files();
		return error_hint(error_new(ENOTSUP, "The terminal '%s' is unknown",
					    term ? term : ""),
				  "TERM names it; the package ncurses-term has more terminals");
	}
	set_term(curses.screen);
	cbreak();
	noecho();
	nonl();
	nodelay(stdscr, TRUE);
	keypad(stdscr, TRUE);
	set_escdelay(ESCAPE_MS);
	curs_set(0);
	curses_begin_colors();
	*curses.leave = '\0';
	curses_add_capability("sgr0");
	curses_add_capability("rmkx");
	curses_add_capability("cnorm");
	curses_add_capability("rmcup");
	*ret_leave = curses.leave;
	return NULL;
}

static void curses_close(void)
{
	endwin();
	delscreen(curses.screen);
	curses.screen = NULL;
	curses_close_files();
}

static void curses_size(size_t *ret_lines, size_t *ret_cells)
{
	int height = getmaxy(stdscr), width = getmaxx(stdscr);

	*ret_lines = height > 0 ? height : 1;
	*ret_cells = width > 0 ? width : 1;
}

/* Whether the terminal is gone: then there are no keys, although reading is always possible. */
static bool curses_is_gone(void)
{
	struct pollfd fd = { .fd = STDIN_FILENO, .events = POLLIN };
	wint_t c;

	if (poll(&fd, 1, 0) <= 0)
		return false;
	if (fd.revents & (POLLHUP | POLLERR | POLLNVAL))
		return true;
	if (get_wch(&c) == ERR)
		return poll(&fd, 1, 0) > 0 && !isatty(STDIN_FILENO);
	unget_wch(c);
	return false;
}

static int curses_key(void)
{
	wint_t c;
	int kind = get_wch(&c);

	if (kind == ERR)
		return curses_is_gone() ? BROWSER_CLOSED : BROWSER_NO_KEY;
	if (kind != KEY_CODE_YES)
		return c ? (int)c : BROWSER_RESIZED;
	/* The terminal has moved its contents. */
	if (c == KEY_RESIZE)
		clearok(curscr, TRUE);
	for (size_t i = 0; i < ARRAY_SIZE(curses_keys); i++)
		if ((int)c == curses_keys[i].curses)
			return curses_keys[i].key;
	/* A key that has no meaning here is as good as none, but more may follow it. */
	return BROWSER_RESIZED;
}

static attr_t curses_attribute(enum browser_line_kind kind)
{
	switch (kind) {
	case LINE_TITLE:
		return A_BOLD | (curses.colors ? COLOR_PAIR(PAIR_TITLE) : 0);
	case LINE_HEAD:
		return A_UNDERLINE;
	case LINE_SELECTED:
		return A_REVERSE;
	case LINE_STATUS:
		return A_BOLD;
	case LINE_PLAIN:
		break;
	}
	return A_NORMAL;
}

static void curses_draw_line(int y, const struct browser_line *line)
{
	const char *text = strbuf_str(&line->text);
	const struct row_part *part = &line->part;
	attr_t attribute = curses_attribute(line->kind);
	int pair = part->role == COLOR_HOT ? PAIR_HOT : part->role == COLOR_WARM ? PAIR_WARM : 0;
	attr_t role = pair ? COLOR_PAIR(pair) : part->role == COLOR_FAINT ? A_DIM : 0;

	attrset(attribute);
	move(y, 0);
	if (!role || !curses.colors) {
		addnstr(text, line->text.len);
	} else {
		addnstr(text, part->from);
		attron(role);
		addnstr(text + part->from, part->len);
		attrset(attribute);
		addnstr(text + part->from + part->len, line->text.len - part->from - part->len);
	}
	attrset(A_NORMAL);
	clrtoeol();
}

static void curses_draw(const struct browser_picture *picture)
{
	erase();
	for (size_t i = 0; i < picture->nr; i++)
		curses_draw_line(i, &picture->items[i]);
	if (picture->cursor_column != SIZE_MAX && picture->nr) {
		curs_set(1);
		move(picture->nr - 1, picture->cursor_column);
	} else {
		curs_set(0);
	}
	refresh();
}

const struct screen_ops browser_ncurses = {
	.open = curses_open, .close = curses_close, .size = curses_size, .key = curses_key,
	.draw = curses_draw,
};

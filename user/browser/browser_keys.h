/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Shared code of the parts of a browser. browser.c has its state, browser_moves.c the keys of all
 * lists, browser_listing.c the keys of listings, browser_events.c those of the list of events and
 * browser_keys.c those of rows. browser_menu.c has the menu, the prompts and the pages, and
 * browser_paint.c the picture.
 */
#ifndef KTRACE_BROWSER_BROWSER_KEYS_H
#define KTRACE_BROWSER_BROWSER_KEYS_H

#include "browser/browser.h"

/* Number of cells by which the arrow keys scroll sideways. */
#define SIDE_STEP	8

/* A key's action on a list; help and menu are built from these, too. */
struct browser_action {
	int keys[4];		/* ended by 0 */
	const char *names;	/* the keys as the help writes them; NULL: as the action before */
	const char *help;	/* NULL: the help of the action before */
	const char *menu;	/* as an item of the menu; NULL: none */
	struct error *(*run)(struct browser *browser);
};

/* The row under the cursor; NULL: there are no rows. */
const struct browser_row *browser_current(const struct browser *browser);

/* The current list: its number of lines, and the user's position in it. */
size_t browser_lines(const struct browser *browser);
struct browser_place *browser_place(struct browser *browser);

/* Keep cursor and top within the list and the screen. */
void browser_clamp(struct browser *browser);
/* Scroll so that the cursor is in the middle of the screen. */
void browser_centre(struct browser *browser);

/* Build the rows again; @changed as in rows_build(). */
struct error *browser_rebuild(struct browser *browser, bool changed);

struct error *browser_apply_filter(struct browser *browser);
struct error *browser_toggle_zoom(struct browser *browser, enum browser_zoom zoom);
struct error *browser_zoom_out(struct browser *browser);

void browser_clear_menu(struct browser *browser);
struct error *browser_open_menu(struct browser *browser);
/* Open a menu of the samples that the entry keeps. */
struct error *browser_open_samples(struct browser *browser);
/* Open a menu of @names, one a line; @choose is called with the chosen one. */
struct error *browser_open_names(struct browser *browser, const struct strbuf *names,
				 struct error *(*choose)(struct browser *browser,
							 const char *name));
/* Show the data about the binary of the entry, and its symbols. */
struct error *browser_show_map(struct browser *browser);
struct error *browser_open_prompt(struct browser *browser, enum browser_prompt prompt,
				  const char *answer);
/* Show the text in b->page, which can be scrolled. */
struct error *browser_open_page(struct browser *browser, const char *title);

struct error *browser_take_menu_key(struct browser *browser, int key);
struct error *browser_take_prompt_key(struct browser *browser, int key);
struct error *browser_take_page_key(struct browser *browser, int key);

/* The keys that are the same in all lists, for the beginning and the end of a table. */
#define BROWSER_MOVES \
	{ { BROWSER_UP }, "Up, Down", "move by a line", NULL, browser_up }, \
	{ { BROWSER_DOWN }, NULL, NULL, NULL, browser_down }, \
	{ { BROWSER_PAGE_UP }, "PgUp, PgDn, Space", "move by a page", NULL, browser_page_up }, \
	{ { BROWSER_PAGE_DOWN, ' ' }, NULL, NULL, NULL, browser_page_down }, \
	{ { BROWSER_HOME }, "Home, End", "move to the first or last line", NULL, browser_first }, \
	{ { BROWSER_END }, NULL, NULL, NULL, browser_last }, \
	{ { ']' }, "], [", "scroll sideways", NULL, browser_scroll_right }, \
	{ { '[' }, NULL, NULL, NULL, browser_scroll_left }
#define BROWSER_LAST_KEYS \
	{ { BROWSER_CTRL_C }, "Ctrl-C", "quit", NULL, browser_quit }, \
	{ .run = NULL }

struct error *browser_up(struct browser *browser);
struct error *browser_down(struct browser *browser);
struct error *browser_page_up(struct browser *browser);
struct error *browser_page_down(struct browser *browser);
struct error *browser_first(struct browser *browser);
struct error *browser_last(struct browser *browser);
struct error *browser_scroll_right(struct browser *browser);
struct error *browser_scroll_left(struct browser *browser);
struct error *browser_show_help(struct browser *browser);
struct error *browser_quit(struct browser *browser);

/*
 * Write @text into the file @name.  If that exists, write it into the first of @name.1, @name.2 ...
 * that does not; with @numbered, @name.0 is the first.
 */
struct error *browser_write_text(struct browser *browser, const char *name, bool numbered,
				 const struct strbuf *text);

/* The keys of a listing, and of the list of events. */
extern const struct browser_action browser_listing_actions[];
extern const struct browser_action browser_event_actions[];

/* Go to the next line with the searched text, from the cursor on. */
struct error *browser_search(struct browser *browser, bool backwards);

/* The question of a prompt. */
const char *browser_question(enum browser_prompt prompt);

#endif

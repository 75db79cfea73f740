/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What the parts of a browser share: browser.c has its state, browser_keys.c the keys,
 * browser_menu.c the menu, the prompts and the pages, and browser_paint.c the picture.
 */
#ifndef KTRACE_BROWSER_BROWSER_KEYS_H
#define KTRACE_BROWSER_BROWSER_KEYS_H

#include "browser/browser.h"

/* How many cells the arrow keys scroll sideways. */
#define SIDE_STEP	8

/* What a key does to the rows; help and menu are made of these, too. */
struct browser_action {
	int keys[4];		/* ended by 0 */
	const char *names;	/* the keys as the help writes them; NULL: as the action before */
	const char *help;	/* NULL: the one before tells it */
	const char *menu;	/* as an item of the menu; NULL: none */
	struct error *(*run)(struct browser *browser);
};

/* The row under the cursor; NULL: there are no rows. */
const struct browser_row *browser_current(const struct browser *browser);

/* Keep cursor and top within the rows and the screen. */
void browser_clamp(struct browser *browser);

/* Build the rows again; @changed as in rows_build(). */
struct error *browser_rebuild(struct browser *browser, bool changed);

struct error *browser_apply_filter(struct browser *browser);
struct error *browser_toggle_zoom(struct browser *browser, enum browser_zoom zoom);
struct error *browser_zoom_out(struct browser *browser);

void browser_clear_menu(struct browser *browser);
struct error *browser_open_menu(struct browser *browser);
/* Have the user choose one of the samples that the entry keeps. */
struct error *browser_open_samples(struct browser *browser);
struct error *browser_open_prompt(struct browser *browser, enum browser_prompt prompt,
				  const char *answer);
/* Show what b->page holds, as far as the user scrolls. */
struct error *browser_open_page(struct browser *browser, const char *title);

struct error *browser_take_menu_key(struct browser *browser, int key);
struct error *browser_take_prompt_key(struct browser *browser, int key);
struct error *browser_take_page_key(struct browser *browser, int key);

/* The question of a prompt. */
const char *browser_question(enum browser_prompt prompt);

#endif

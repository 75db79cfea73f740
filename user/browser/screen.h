/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Shows a browser on the terminal, which the plugin `ncurses` draws.  While a screen is open,
 * messages on standard error are held back, because they would destroy the picture.  The last one
 * is shown in the status line, and all are printed when the screen is closed.
 *
 * However the process ends, the terminal is restored, except after SIGKILL.
 */
#ifndef KTRACE_BROWSER_SCREEN_H
#define KTRACE_BROWSER_SCREEN_H

#include <stdbool.h>

#include "browser/browser.h"
#include "lib/cleanup.h"
#include "lib/error.h"

/* The drawing functions.  Only one screen can be open. */
struct screen_ops {
	/*
	 * Set up the terminal.  *ret_leave is the text that must be written to restore it if the
	 * process ends otherwise; it lives until close().
	 */
	struct error *(*open)(const char **ret_leave);
	void (*close)(void);
	void (*size)(size_t *ret_lines, size_t *ret_cells);
	/* The next typed key, as an enum browser_key; it does not wait. */
	int (*key)(void);
	void (*draw)(const struct browser_picture *picture);
};

/* The symbol of the plugin. */
extern const struct screen_ops browser_ncurses;

struct screen;

/*
 * Whether standard input and output are a terminal that can be drawn on: TERM names it, and it is
 * not dumb.
 */
bool screen_is_possible(void);

/*
 * @signals: INT, TERM, HUP and QUIT are stored for screen_signal(); the caller does not handle them
 * itself.  An error has the reason why a screen is impossible; the caller then prints text.
 */
struct error *screen_open(bool signals, struct screen **ret);
void screen_close(struct screen *screen);
DEFINE_CLEANUP_PTR(screen, struct screen, screen_close)

/* The signal that arrived since screen_open(); 0: none. */
int screen_signal(void);

/* Wait for a key, at most @ms. */
void screen_wait(struct screen *screen, unsigned int ms);

/* Pass the typed keys to @browser.  Returns whether there were any. */
bool screen_take_keys(struct screen *screen, struct browser *browser);

/* Draw the browser, and the new messages. */
void screen_show(struct screen *screen, struct browser *browser);

#endif

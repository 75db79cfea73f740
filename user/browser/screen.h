/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Shows a browser on the terminal, which the plugin `ncurses` draws.  While a screen is open,
 * messages on standard error are kept, because they would destroy the picture: the last one is
 * shown in the status line, and all are printed when the screen is closed.
 *
 * Whatever ends the process, the terminal is left as it was, except by SIGKILL.
 */
#ifndef KTRACE_BROWSER_SCREEN_H
#define KTRACE_BROWSER_SCREEN_H

#include <stdbool.h>

#include "browser/browser.h"
#include "lib/cleanup.h"
#include "lib/error.h"

/* What draws.  Only one screen can be open. */
struct screen_ops {
	/*
	 * Take the terminal.  *ret_leave is what must be written to leave it if the process
	 * ends otherwise; it lives until close().
	 */
	struct error *(*open)(const char **ret_leave);
	void (*close)(void);
	void (*size)(size_t *ret_lines, size_t *ret_cells);
	/* The next key that was typed, as enum browser_key has them; it does not wait. */
	int (*key)(void);
	void (*draw)(const struct browser_picture *picture);
};

/* The symbol of the plugin. */
extern const struct screen_ops browser_ncurses;

struct screen;

/*
 * Whether standard input and output are a terminal that can be drawn on: TERM says which one,
 * and it is not dumb.
 */
bool screen_is_possible(void);

/*
 * @signals: INT, TERM, HUP and QUIT are remembered for screen_signal(); the caller does not
 * handle them itself.  An error says why there can be no screen; then text has to do.
 */
struct error *screen_open(bool signals, struct screen **ret);
void screen_close(struct screen *screen);
DEFINE_CLEANUP_PTR(screen, struct screen, screen_close)

/* The signal that came since screen_open(); 0: none. */
int screen_signal(void);

/* Wait until a key was typed, but not longer than that. */
void screen_wait(struct screen *screen, unsigned int ms);

/* Give @browser the keys that were typed.  Returns whether there were any. */
bool screen_take_keys(struct screen *screen, struct browser *browser);

/* Draw the browser, and the messages that came since. */
void screen_show(struct screen *screen, struct browser *browser);

#endif

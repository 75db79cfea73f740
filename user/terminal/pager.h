/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Long output on a terminal goes through a pager, by git's rules.  The program is $KTRACE_PAGER,
 * else $PAGER, else `pager` or `less`, whichever is installed.  An empty value or `cat` means no
 * pager.  LESS is set to FRX and LV to -c unless they are set already.  Standard error goes through
 * the pager, too, if it is the terminal.
 */
#ifndef KTRACE_TERMINAL_PAGER_H
#define KTRACE_TERMINAL_PAGER_H

#include <stdbool.h>

enum pager_mode {
	PAGER_AUTO,	/* for the commands that call pager_start() */
	PAGER_NEVER,	/* --no-pager */
	PAGER_ALWAYS,	/* -p, --paginate: main() calls it */
};

extern enum pager_mode pager_mode;

/*
 * Send standard output through the pager from now on.  This does nothing if standard output is not
 * a terminal, with PAGER_NEVER, or if it was called before.  If the pager does not exist, a warning
 * is printed and the output goes to the terminal.  Call it before anything is printed, but only
 * when the results are ready, because progress is not shown afterwards.
 */
void pager_start(void);

/* Whether standard output is a terminal, or was one before pager_start(). */
bool pager_is_terminal(void);

/* Whether pager_start() has started a pager. */
bool pager_is_used(void);

/* After standard output was closed, wait until the user has quit the pager. */
void pager_wait(void);

#endif

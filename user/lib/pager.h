/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Long output on a terminal goes through a pager, by git's rules: the program is
 * $KTRACE_PAGER, else $PAGER, else `pager` or `less`, whichever is installed; an
 * empty one or `cat` is none.  LESS is set to FRX and LV to -c where they are not
 * set.  What is written to standard error goes there, too, if it is the terminal.
 */
#ifndef KTRACE_LIB_PAGER_H
#define KTRACE_LIB_PAGER_H

#include <stdbool.h>

enum pager_mode {
	PAGER_AUTO,	/* for the commands that call pager_start() */
	PAGER_NEVER,	/* --no-pager */
	PAGER_ALWAYS,	/* -p, --paginate: main() calls it */
};

extern enum pager_mode pager_mode;

/*
 * From here on standard output goes through the pager.  Does nothing where standard
 * output is no terminal, with PAGER_NEVER, or the second time.  A pager that does not
 * exist gives a warning, and the output goes to the terminal.  Call it before
 * anything is printed, and when the results are at hand: progress is not shown any
 * more afterwards.
 */
void pager_start(void);

/* Standard output is a terminal, or was one before pager_start(). */
bool pager_is_terminal(void);

/* pager_start() has started one. */
bool pager_is_used(void);

/* Standard output has been closed: wait until the user has seen enough. */
void pager_wait(void);

#endif

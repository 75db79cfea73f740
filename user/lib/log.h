/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Messages of the tool about itself.  They all go to stderr, because stdout is for results
 * alone.  Messages are whole sentences; the newline is added here.  Control characters in
 * them are escaped, and so are line ends, unless the next line is indented.  On a terminal, lines
 * are broken between words; a command in '' stays whole, and so do lines with a ^ below them.
 */
#ifndef KTRACE_LIB_LOG_H
#define KTRACE_LIB_LOG_H

#include <stdbool.h>

struct error;

extern bool log_quiet;		/* -q: notices and warnings are not printed */
extern int log_verbosity;	/* -v: log_debug() prints from 1 up */

/*
 * Called before a message is printed, to clear a progress line (terminal/progress.h).  NULL: none.
 */
extern void (*log_before)(void);

/* Print a hint on a line of its own below an error.  It has no full stop; it may be a question. */
void log_hint(const char *hint);

/* Print "ktrace: MESSAGE." and the hint of @err, and free it.  NULL: do nothing. */
void error_report(struct error *err);

void log_error(const char *fmt, ...) __attribute__((format(printf, 1, 2)));
void log_warning(const char *fmt, ...) __attribute__((format(printf, 1, 2)));
void log_notice(const char *fmt, ...) __attribute__((format(printf, 1, 2)));
void log_debug(const char *fmt, ...) __attribute__((format(printf, 1, 2)));

#endif

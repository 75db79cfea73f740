/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What the tool says about itself, all of it on stderr: results alone go to
 * stdout.  Messages are whole sentences; the newline is added here.
 */
#ifndef KTRACE_LIB_LOG_H
#define KTRACE_LIB_LOG_H

#include <stdbool.h>

extern bool log_quiet;		/* -q: notices and warnings are not printed */
extern int log_verbosity;	/* -v: log_debug() prints from 1 up */

void log_error(const char *fmt, ...) __attribute__((format(printf, 1, 2)));
void log_warning(const char *fmt, ...) __attribute__((format(printf, 1, 2)));
void log_notice(const char *fmt, ...) __attribute__((format(printf, 1, 2)));
void log_debug(const char *fmt, ...) __attribute__((format(printf, 1, 2)));

#endif

/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Shows the progress of long work as one line on stderr.  Every message and progress_end() remove
 * the line.  It appears only on a terminal, not with -q, and only after a second.  Only one task at
 * a time can be shown.  Without progress_begin() the other functions do nothing.
 */
#ifndef KTRACE_TERMINAL_PROGRESS_H
#define KTRACE_TERMINAL_PROGRESS_H

#include <stdint.h>

/* @what begins the line ("Reading"); @total is the expected number of bytes, or 0 if unknown. */
void progress_begin(const char *what, uint64_t total);

/* The same for @total things that are counted instead of bytes: progress_advance(1) for each. */
void progress_begin_count(const char *what, uint64_t total);

/*
 * For work that prints to the terminal itself, perhaps late: progress is shown until this process
 * has written other output, and then no more.
 */
void progress_until_output(void);

/* Expect @bytes more. */
void progress_expect(uint64_t bytes);

/* Count @bytes more as done. */
void progress_advance(uint64_t bytes);

void progress_end(void);

/* Remove the line until the next progress_advance() shows it again. */
void progress_hide(void);

#endif

/* SPDX-License-Identifier: GPL-2.0 */
/*
 * How far long work is, for who waits for it: one line on stderr, which every
 * message and progress_end() take away again.  Only on a terminal, not with -q,
 * and not before a second has passed.  One work at a time; without
 * progress_begin() the other calls do nothing.
 */
#ifndef KTRACE_LIB_PROGRESS_H
#define KTRACE_LIB_PROGRESS_H

#include <stdint.h>

/* @what begins the line, "Reading"; @total bytes are expected, 0: nobody knows how many. */
void progress_begin(const char *what, uint64_t total);

/*
 * For work whose own output goes to the terminal, perhaps late: progress is told until
 * this process has written anything else, and not again.
 */
void progress_until_output(void);

/* @bytes more than were expected. */
void progress_expect(uint64_t bytes);

/* @bytes more are done. */
void progress_advance(uint64_t bytes);

void progress_end(void);

/* Take the line away, until the next advance brings it back. */
void progress_hide(void);

#endif

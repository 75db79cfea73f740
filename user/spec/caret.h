/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Scanning of a text that the user wrote, and errors about it.  An error shows the message, the
 * text, and a caret under the position of the mistake.
 */
#ifndef KTRACE_SPEC_CARET_H
#define KTRACE_SPEC_CARET_H

#include <stdbool.h>
#include <stddef.h>

#include "lib/error.h"

/*
 * Create an EINVAL error at byte @pos of @text; @pos may be the text's length, for its end.  Only
 * the surroundings of @pos in a long text are shown.
 */
struct error *caret_error(const char *text, size_t pos, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));

struct scan {
	const char *text;	/* all of it; borrowed */
	const char *at;		/* the rest */
};

/* As caret_error(), at the position of the scan. */
#define scan_error(scan, ...) caret_error((scan)->text, scan_position(scan), __VA_ARGS__)

static inline size_t scan_position(const struct scan *scan)
{
	return scan->at - scan->text;
}

void scan_blanks(struct scan *scan);

/* The length of the next word of letters, digits and '_'; 0: no word is next. */
size_t scan_word(const struct scan *scan);

/*
 * Skip blanks, and @token if it is next.  A token of letters must be a whole word.  Returns whether
 * it was next.
 */
bool scan_take(struct scan *scan, const char *token);

#endif

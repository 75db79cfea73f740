/* SPDX-License-Identifier: GPL-2.0 */
/*
 * A text that the user wrote: it is scanned from its beginning to its end, and an error shows the
 * message, the text, and a caret under the position of the mistake.
 */
#ifndef KTRACE_SPEC_CARET_H
#define KTRACE_SPEC_CARET_H

#include <stdbool.h>
#include <stddef.h>

#include "lib/error.h"

/*
 * Create an EINVAL error at byte @pos of @text; @pos may be the text's length, for its end.
 * Of a long text only the part around @pos is shown.
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

/* The length of the word that is next: letters, digits and '_'; 0: there is none. */
size_t scan_word(const struct scan *scan);

/* Skip blanks, and @token if it is next; one of letters must end there.  Returns whether it was. */
bool scan_take(struct scan *scan, const char *token);

#endif

/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Errors in a text that the user wrote.  They show the message, the text, and a caret under
 * the position of the mistake.
 */
#ifndef KTRACE_SPEC_CARET_H
#define KTRACE_SPEC_CARET_H

#include <stddef.h>

#include "lib/error.h"

/*
 * Create an EINVAL error at byte @pos of @text; @pos may be the text's length, for its end.
 * Of a long text only the part around @pos is shown.
 */
struct error *caret_error(const char *text, size_t pos, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));

#endif

/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Errors in a text the user wrote: what is wrong, the text, and a caret under
 * the place.
 */
#ifndef KTRACE_FORMAT_CARET_H
#define KTRACE_FORMAT_CARET_H

#include <stddef.h>

#include "lib/error.h"

/*
 * An EINVAL error at byte @pos of @text (up to its length: the end of it).
 * Of a long text only the part around the place is shown.
 */
struct error *caret_error(const char *text, size_t pos, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));

#endif

/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Bytes as text of the 64 characters that RFC 4648 lists, with '=' at the end.
 */
#ifndef KTRACE_LIB_BASE64_H
#define KTRACE_LIB_BASE64_H

#include <stdbool.h>
#include <stddef.h>

#include "lib/strbuf.h"

void base64_add(struct strbuf *out, const void *bytes, size_t len);

/*
 * Append the bytes that @len characters of such a text stand for.  False, with nothing appended:
 * it is none, or out of memory (@out->failed).
 */
bool base64_add_decoded(struct strbuf *out, const char *text, size_t len);

#endif

/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Base64: bytes as text in the 64 characters of RFC 4648, padded with '='.
 */
#ifndef KTRACE_LIB_BASE64_H
#define KTRACE_LIB_BASE64_H

#include <stdbool.h>
#include <stddef.h>

#include "lib/strbuf.h"

void base64_add(struct strbuf *out, const void *bytes, size_t len);

/*
 * Append the bytes that @len characters of base64 encode.  Returns false and appends nothing if the
 * text is no base64 or memory is out (@out->failed).
 */
bool base64_add_decoded(struct strbuf *out, const char *text, size_t len);

#endif

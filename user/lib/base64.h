/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Bytes as text of the 64 characters that RFC 4648 lists, with '=' at the end.
 */
#ifndef KTRACE_LIB_BASE64_H
#define KTRACE_LIB_BASE64_H

#include <stddef.h>

#include "lib/strbuf.h"

void base64_add(struct strbuf *out, const void *bytes, size_t len);

#endif

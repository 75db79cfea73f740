// SPDX-License-Identifier: GPL-2.0
#include "lib/base64.h"

#include <stdint.h>

static const char letters[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

void base64_add(struct strbuf *out, const void *bytes, size_t len)
{
	const unsigned char *p = bytes;

	if (!strbuf_reserve(out, (len + 2) / 3 * 4))
		return;
	for (size_t i = 0; i < len; i += 3) {
		uint32_t word = p[i] << 16 | (i + 1 < len ? p[i + 1] << 8 : 0) |
				(i + 2 < len ? p[i + 2] : 0);

		out->data[out->len++] = letters[word >> 18];
		out->data[out->len++] = letters[word >> 12 & 63];
		out->data[out->len++] = i + 1 < len ? letters[word >> 6 & 63] : '=';
		out->data[out->len++] = i + 2 < len ? letters[word & 63] : '=';
	}
	out->data[out->len] = '\0';
}

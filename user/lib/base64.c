// SPDX-License-Identifier: GPL-2.0
#include "lib/base64.h"

#include <stdint.h>
#include <string.h>

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

/* The number that a letter encodes; -1: it is no letter of base64. */
static int base64_value(char c)
{
	const char *at = c ? strchr(letters, c) : NULL;

	return at ? at - letters : -1;
}

bool base64_add_decoded(struct strbuf *out, const char *text, size_t len)
{
	size_t padding = 0, before = out->len;

	while (padding < 2 && padding < len && text[len - 1 - padding] == '=')
		padding++;
	if (len % 4 || !strbuf_reserve(out, len / 4 * 3))
		return false;
	for (size_t i = 0; i < len; i += 4) {
		uint32_t word = 0;

		for (size_t k = i; k < i + 4; k++) {
			int value = k < len - padding ? base64_value(text[k]) : 0;

			if (value < 0) {
				out->len = before;
				return false;
			}
			word = word << 6 | value;
		}
		out->data[out->len++] = word >> 16;
		out->data[out->len++] = word >> 8;
		out->data[out->len++] = word;
	}
	out->len -= padding;
	out->data[out->len] = '\0';
	return true;
}

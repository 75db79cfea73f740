/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Characters in UTF-8.
 */
#ifndef KTRACE_LIB_UTF8_H
#define KTRACE_LIB_UTF8_H

#include <stddef.h>

#include "lib/strbuf.h"

/*
 * Returns the size in bytes of the character at @text, or 0 if it is not UTF-8.  @len is the number
 * of bytes at @text, at least one.  Overlong forms, surrogates and numbers above U+10FFFF are
 * refused, as by readers of JSON and XML.
 */
static inline size_t utf8_size(const unsigned char *text, size_t len)
{
	size_t size = *text < 0x80 ? 1 : *text < 0xc2 ? 0 : *text < 0xe0 ? 2 :
		      *text < 0xf0 ? 3 : *text < 0xf5 ? 4 : 0;

	if (size > len)
		return 0;
	for (size_t i = 1; i < size; i++)
		if ((text[i] & 0xc0) != 0x80)
			return 0;
	if ((*text == 0xe0 && text[1] < 0xa0) || (*text == 0xed && text[1] > 0x9f) ||
	    (*text == 0xf0 && text[1] < 0x90) || (*text == 0xf4 && text[1] > 0x8f))
		return 0;
	return size;
}

/* Append a text; each byte that is not UTF-8 becomes U+FFFD. */
static inline void utf8_add(struct strbuf *out, const char *text, size_t len)
{
	const unsigned char *bytes = (const unsigned char *)text;
	size_t from = 0, at = 0, size;

	while (at < len) {
		size = bytes[at] < 0x80 ? 1 : utf8_size(bytes + at, len - at);
		at += size;
		if (size)
			continue;
		strbuf_add(out, text + from, at - from);
		strbuf_addstr(out, "\xef\xbf\xbd");
		from = ++at;
	}
	strbuf_add(out, text + from, at - from);
}

#endif

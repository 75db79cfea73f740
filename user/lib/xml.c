// SPDX-License-Identifier: GPL-2.0
#include "lib/xml.h"

#include <stdbool.h>

#include "lib/utf8.h"

/* Neither are U+FFFE and U+FFFF allowed. */
static bool xml_is_allowed(const char *p, size_t size)
{
	if (size == 1)
		return (unsigned char)*p >= ' ' || *p == '\n';
	return size && !(size == 3 && !memcmp(p, "\xef\xbf", 2) && (unsigned char)p[2] >= 0xbe);
}

void xml_add_text(struct strbuf *out, const char *text)
{
	const char *end = text + strlen(text);

	while (text < end) {
		size_t size = utf8_size((const unsigned char *)text, end - text);

		if (!xml_is_allowed(text, size))
			strbuf_addch(out, '?');
		else if (*text == '<')
			strbuf_addstr(out, "&lt;");
		else if (*text == '>')
			strbuf_addstr(out, "&gt;");
		else if (*text == '&')
			strbuf_addstr(out, "&amp;");
		else if (*text == '"')
			strbuf_addstr(out, "&quot;");
		else
			strbuf_add(out, text, size);
		text += size ? size : 1;
	}
}

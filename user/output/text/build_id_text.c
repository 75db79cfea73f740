// SPDX-License-Identifier: GPL-2.0
#include "output/text/build_id_text.h"

#include "lib/escape.h"

void build_id_text_add(const struct build_id *id, const char *name, struct strbuf *ret)
{
	char hex[BUILD_ID_TEXT];
	size_t from;

	build_id_text(id, hex);
	strbuf_addf(ret, "%*s", id->size ? 0 : BUILD_ID_TEXT - 1, hex);
	if (name)
		strbuf_addch(ret, ' ');
	from = ret->len;
	if (name)
		strbuf_addstr(ret, name);
	escape_line_ends(ret, from);
	strbuf_addch(ret, '\n');
}

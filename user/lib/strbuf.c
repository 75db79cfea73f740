// SPDX-License-Identifier: GPL-2.0
#include "lib/strbuf.h"

#include <stdarg.h>
#include <stdint.h>
#include <string.h>

void strbuf_deinit(struct strbuf *sb)
{
	free(sb->data);
	*sb = (struct strbuf)STRBUF_INIT;
}

bool strbuf_grow(struct strbuf *sb, size_t extra)
{
	size_t alloc = sb->alloc ? sb->alloc : 64;
	char *data;

	if (sb->failed)
		return false;
	/*
	 * No memory is that large, and beyond this size the sums and the doubling below
	 * overflow.
	 */
	if (extra >= SIZE_MAX / 2 - sb->len) {
		sb->failed = true;
		return false;
	}
	if (sb->len + extra + 1 <= sb->alloc)
		return true;
	while (alloc < sb->len + extra + 1)
		alloc *= 2;
	data = realloc(sb->data, alloc);
	if (!data) {
		sb->failed = true;
		return false;
	}
	sb->data = data;
	sb->alloc = alloc;
	return true;
}

void strbuf_addf(struct strbuf *sb, const char *fmt, ...)
{
	size_t room = sb->failed ? 0 : sb->alloc - sb->len;
	va_list ap;
	int len;

	/* Mostly there is room already. */
	va_start(ap, fmt);
	len = vsnprintf(room ? sb->data + sb->len : NULL, room, fmt, ap);
	va_end(ap);
	if (len < 0 || (size_t)len >= room) {
		if (room)
			sb->data[sb->len] = '\0';
		if (len < 0 || !strbuf_reserve(sb, len))
			return;
		va_start(ap, fmt);
		vsnprintf(sb->data + sb->len, len + 1, fmt, ap);
		va_end(ap);
	}
	sb->len += len;
}

/* SPDX-License-Identifier: GPL-2.0 */
/*
 * A growing byte string.  `data` is always NUL-terminated at `len` (NULL only
 * before the first append) and valid until the next append.  Running out of
 * memory is remembered in `failed` and checked once, where the text is used.
 */
#ifndef KTRACE_LIB_STRBUF_H
#define KTRACE_LIB_STRBUF_H

#include <stdbool.h>
#include <stddef.h>
#include <string.h>

#include "lib/cleanup.h"

struct strbuf {
	char *data;
	size_t len;	/* without the NUL */
	size_t alloc;
	bool failed;
};

#define STRBUF_INIT { NULL, 0, 0, false }

void strbuf_deinit(struct strbuf *sb);
DEFINE_CLEANUP(strbuf, struct strbuf, strbuf_deinit)

bool strbuf_grow(struct strbuf *sb, size_t extra);

/* Make room for @extra more bytes and the NUL; false when memory is out. */
static inline bool strbuf_reserve(struct strbuf *sb, size_t extra)
{
	return (extra < sb->alloc - sb->len && !sb->failed) || strbuf_grow(sb, extra);
}

static inline void strbuf_add(struct strbuf *sb, const void *data, size_t len)
{
	if (!strbuf_reserve(sb, len))
		return;
	if (len)
		memcpy(sb->data + sb->len, data, len);
	sb->len += len;
	sb->data[sb->len] = '\0';
}

static inline void strbuf_addch(struct strbuf *sb, char c)
{
	if (!strbuf_reserve(sb, 1))
		return;
	sb->data[sb->len++] = c;
	sb->data[sb->len] = '\0';
}

/* Append @c until there are @len bytes. */
static inline void strbuf_pad(struct strbuf *sb, size_t len, char c)
{
	while (sb->len < len && !sb->failed)
		strbuf_addch(sb, c);
}

static inline void strbuf_addstr(struct strbuf *sb, const char *str)
{
	strbuf_add(sb, str, strlen(str));
}

static inline void strbuf_add_spaces(struct strbuf *sb, size_t nr)
{
	if (!strbuf_reserve(sb, nr))
		return;
	memset(sb->data + sb->len, ' ', nr);
	sb->len += nr;
	sb->data[sb->len] = '\0';
}

void strbuf_addf(struct strbuf *sb, const char *fmt, ...)
	__attribute__((format(printf, 2, 3)));

/* Drop the contents, keep the memory. */
static inline void strbuf_reset(struct strbuf *sb)
{
	sb->len = 0;
	if (sb->data)
		sb->data[0] = '\0';
}

/* The text, "" when empty. */
static inline const char *strbuf_str(const struct strbuf *sb)
{
	return sb->data ? sb->data : "";
}

/* Whether @text ends with @end, or is the same. */
static inline bool text_ends_with(const char *text, const char *end)
{
	size_t len = strlen(text), end_len = strlen(end);

	return len >= end_len && !strcmp(text + len - end_len, end);
}

#endif

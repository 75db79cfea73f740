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

/* Make room for @extra more bytes and the NUL; false when memory is out. */
bool strbuf_reserve(struct strbuf *sb, size_t extra);

void strbuf_add(struct strbuf *sb, const void *data, size_t len);
void strbuf_addch(struct strbuf *sb, char c);
void strbuf_addstr(struct strbuf *sb, const char *str);
void strbuf_addf(struct strbuf *sb, const char *fmt, ...)
	__attribute__((format(printf, 2, 3)));

/* Forget the contents, keep the memory. */
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

#endif

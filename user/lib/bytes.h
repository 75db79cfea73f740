/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Reads and writes the numbers in a file's bytes.  Reading is bounded: past the end
 * everything reads as 0 or NULL, and `ok` stays false from then on.
 */
#ifndef KTRACE_LIB_BYTES_H
#define KTRACE_LIB_BYTES_H

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#include "lib/strbuf.h"

static inline void bytes_add_u32(struct strbuf *sb, uint32_t value)
{
	strbuf_add(sb, &value, sizeof(value));
}

static inline void bytes_add_u64(struct strbuf *sb, uint64_t value)
{
	strbuf_add(sb, &value, sizeof(value));
}

static inline void bytes_add_zeros(struct strbuf *sb, size_t nr)
{
	if (!strbuf_reserve(sb, nr))
		return;
	memset(sb->data + sb->len, 0, nr + 1);
	sb->len += nr;
}

struct bytes {
	const char *p, *end;
	bool ok;
	bool swapped;	/* numbers are in the other byte order */
};

static inline struct bytes bytes_of(const void *data, size_t size)
{
	const char *end = size ? (const char *)data + size : data;

	return (struct bytes){ .p = data, .end = end, .ok = true };
}

static inline const char *bytes_take(struct bytes *b, uint64_t size)
{
	const char *at = b->p;

	if (!b->ok || size > (uint64_t)(b->end - b->p)) {
		b->ok = false;
		return NULL;
	}
	b->p += size;
	return at;
}

static inline uint8_t bytes_take_u8(struct bytes *b)
{
	const char *at = bytes_take(b, 1);

	return at ? *at : 0;
}

static inline uint32_t bytes_take_u32(struct bytes *b)
{
	const char *at = bytes_take(b, 4);
	uint32_t value = 0;

	if (at)
		memcpy(&value, at, 4);
	return b->swapped ? __builtin_bswap32(value) : value;
}

static inline uint64_t bytes_take_u64(struct bytes *b)
{
	const char *at = bytes_take(b, 8);
	uint64_t value = 0;

	if (at)
		memcpy(&value, at, 8);
	return b->swapped ? __builtin_bswap64(value) : value;
}

/* Take a string that ends with a NUL; past the end, "". */
static inline const char *bytes_take_word(struct bytes *b)
{
	const char *nul = b->ok ? memchr(b->p, '\0', b->end - b->p) : NULL;

	if (!nul) {
		b->ok = false;
		return "";
	}
	return bytes_take(b, nul + 1 - b->p);
}

/*
 * Take a string that follows its u32 size.  Returns a copy to free(), or NULL if the
 * bytes end inside it or memory is out.
 */
static inline char *bytes_take_string(struct bytes *b)
{
	uint32_t size = bytes_take_u32(b);
	const char *at = bytes_take(b, size);

	return at ? strndup(at, size) : NULL;
}

#endif

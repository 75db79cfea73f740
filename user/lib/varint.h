/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Numbers in as few bytes as they need.  Each byte holds seven bits, the lowest first; the eighth
 * bit means that more bytes follow.  Protocol buffers and the data of pages have this form.
 */
#ifndef KTRACE_LIB_VARINT_H
#define KTRACE_LIB_VARINT_H

#include <stdint.h>

#include "lib/strbuf.h"

static inline void varint_add(struct strbuf *out, uint64_t number)
{
	for (; number >= 0x80; number >>= 7)
		strbuf_addch(out, number | 0x80);
	strbuf_addch(out, number);
}

/* Signed numbers that are near 0 need few bytes, too. */
static inline void varint_add_signed(struct strbuf *out, int64_t number)
{
	varint_add(out, (uint64_t)number << 1 ^ (uint64_t)(number >> 63));
}

/* Read the number at *at, which varint_add() wrote, and step over it. */
static inline uint64_t varint_take(const char **at)
{
	unsigned int shift = 0;
	uint64_t number = 0;

	for (; (unsigned char)**at & 0x80; shift += 7)
		number |= (uint64_t)(*(*at)++ & 0x7f) << shift;
	return number | (uint64_t)*(*at)++ << shift;
}

static inline int64_t varint_take_signed(const char **at)
{
	uint64_t number = varint_take(at);

	return (int64_t)(number >> 1 ^ -(number & 1));
}

#endif

/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Writes structures in Thrift's compact form.  Fields come in the order of their numbers.  A
 * structure inside another one has a struct thrift of its own, on the same text:
 *
 *	struct thrift file = { .out = out }, column;
 *
 *	thrift_add_i64(&file, 3, rows);
 *	thrift_begin(&file, 4, &column);
 *	...
 *	thrift_end(&column);
 *	thrift_end(&file);
 */
#ifndef KTRACE_LIB_THRIFT_H
#define KTRACE_LIB_THRIFT_H

#include <stddef.h>
#include <stdint.h>

#include "lib/strbuf.h"
#include "lib/varint.h"

enum thrift_type {
	THRIFT_TRUE = 1, THRIFT_FALSE = 2, THRIFT_BYTE = 3, THRIFT_I32 = 5, THRIFT_I64 = 6,
	THRIFT_BINARY = 8, THRIFT_LIST = 9, THRIFT_STRUCT = 12,
};

struct thrift {
	struct strbuf *out;	/* borrowed */
	unsigned int last;	/* the number of the last field */
};

/* Append the header of a field.  Its number is at most 15 above the last one. */
static inline void thrift_add_field(struct thrift *to, unsigned int field, enum thrift_type type)
{
	strbuf_addch(to->out, (field - to->last) << 4 | type);
	to->last = field;
}

static inline void thrift_add_bool(struct thrift *to, unsigned int field, bool value)
{
	thrift_add_field(to, field, value ? THRIFT_TRUE : THRIFT_FALSE);
}

static inline void thrift_add_byte(struct thrift *to, unsigned int field, int8_t value)
{
	thrift_add_field(to, field, THRIFT_BYTE);
	strbuf_addch(to->out, value);
}

static inline void thrift_add_i32(struct thrift *to, unsigned int field, int32_t value)
{
	thrift_add_field(to, field, THRIFT_I32);
	varint_add_signed(to->out, value);
}

static inline void thrift_add_i64(struct thrift *to, unsigned int field, int64_t value)
{
	thrift_add_field(to, field, THRIFT_I64);
	varint_add_signed(to->out, value);
}

/* Append bytes without a field header, as an item of a list. */
static inline void thrift_add_item(struct strbuf *out, const void *bytes, size_t len)
{
	varint_add(out, len);
	strbuf_add(out, bytes, len);
}

static inline void thrift_add_bytes(struct thrift *to, unsigned int field, const void *bytes,
				    size_t len)
{
	thrift_add_field(to, field, THRIFT_BINARY);
	thrift_add_item(to->out, bytes, len);
}

static inline void thrift_add_text(struct thrift *to, unsigned int field, const char *text)
{
	thrift_add_bytes(to, field, text, strlen(text));
}

/* @nr items without fields must follow; numbers are appended by varint_add_signed(). */
static inline void thrift_add_list(struct thrift *to, unsigned int field, enum thrift_type type,
				   size_t nr)
{
	thrift_add_field(to, field, THRIFT_LIST);
	strbuf_addch(to->out, (nr < 15 ? nr : 15) << 4 | type);
	if (nr >= 15)
		varint_add(to->out, nr);
}

static inline void thrift_begin(struct thrift *to, unsigned int field, struct thrift *inner)
{
	thrift_add_field(to, field, THRIFT_STRUCT);
	*inner = (struct thrift){ .out = to->out };
}

static inline void thrift_end(struct thrift *of)
{
	strbuf_addch(of->out, 0);
}

#endif

/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Writes messages of protocol buffers.  A message is a strbuf to which fields are appended.  An
 * inner message is built first, in a strbuf of its own.
 */
#ifndef KTRACE_LIB_PROTOBUF_H
#define KTRACE_LIB_PROTOBUF_H

#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "lib/strbuf.h"
#include "lib/varint.h"

/* Append a number of any type but sint and fixed; signed numbers are given sign-extended. */
static inline void protobuf_add_number(struct strbuf *out, unsigned int field, uint64_t number)
{
	varint_add(out, field << 3);
	varint_add(out, number);
}

static inline void protobuf_add_bytes(struct strbuf *out, unsigned int field, const char *bytes,
				      size_t len)
{
	varint_add(out, field << 3 | 2);
	varint_add(out, len);
	strbuf_add(out, bytes, len);
}

static inline void protobuf_add_text(struct strbuf *out, unsigned int field, const char *text)
{
	protobuf_add_bytes(out, field, text, strlen(text));
}

/* Append @message as a field, and empty it. */
static inline void protobuf_add_message(struct strbuf *out, unsigned int field,
					struct strbuf *message)
{
	protobuf_add_bytes(out, field, strbuf_str(message), message->len);
	out->failed |= message->failed;
	strbuf_reset(message);
}

#endif

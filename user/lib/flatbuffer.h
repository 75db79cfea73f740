/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Writes flatbuffers from front to back.  A table comes first, with empty references to its parts;
 * each reference is set when its target has been appended.
 *
 *	const uint8_t sizes[] = { FLATBUFFER_REFERENCE, 8 };
 *	size_t root = flatbuffer_begin(out);
 *
 *	flatbuffer_add_table(out, sizes, ARRAY_SIZE(sizes), &table);
 *	flatbuffer_refer(out, root, table.at);
 *	flatbuffer_set(out, table.fields[1], 17, 8);
 *	flatbuffer_refer(out, table.fields[0], flatbuffer_add_text(out, "name"));
 *
 * Positions are bytes from the beginning of @out, which holds one flatbuffer.  Once out->failed is
 * set they have no meaning, and are ignored.
 */
#ifndef KTRACE_LIB_FLATBUFFER_H
#define KTRACE_LIB_FLATBUFFER_H

#include <stddef.h>
#include <stdint.h>

#include "lib/strbuf.h"

#define FLATBUFFER_FIELDS	8
#define FLATBUFFER_REFERENCE	4	/* size of a reference, bytes */

struct flatbuffer_table {
	size_t at;
	size_t fields[FLATBUFFER_FIELDS];	/* positions of the fields' values; 0: absent */
};

/* Begin an empty @out.  Returns the position of the reference to the outermost table. */
size_t flatbuffer_begin(struct strbuf *out);

/*
 * Append a table.  @sizes has the size of each field in bytes: 1, 2, 4 or 8; 0: the field is
 * absent.
 */
void flatbuffer_add_table(struct strbuf *out, const uint8_t *sizes, size_t nr,
			  struct flatbuffer_table *ret);

void flatbuffer_set(struct strbuf *out, size_t at, uint64_t value, size_t size);
void flatbuffer_refer(struct strbuf *out, size_t at, size_t target);

size_t flatbuffer_add_text(struct strbuf *out, const char *text);

/*
 * Append a vector of @nr elements of @size bytes, which are all 0.  Returns its position.  The
 * first element is FLATBUFFER_ELEMENTS bytes behind it, at a multiple of 8 bytes.
 */
#define FLATBUFFER_ELEMENTS	4
size_t flatbuffer_add_vector(struct strbuf *out, size_t nr, size_t size);

/* Append zeros up to a multiple of @size bytes. */
void flatbuffer_align(struct strbuf *out, size_t size);

#endif

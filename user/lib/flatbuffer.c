// SPDX-License-Identifier: GPL-2.0
#include "lib/flatbuffer.h"

#include <endian.h>

static void flatbuffer_add_zeros(struct strbuf *out, size_t nr)
{
	if (!strbuf_reserve(out, nr))
		return;
	memset(out->data + out->len, 0, nr + 1);
	out->len += nr;
}

void flatbuffer_align(struct strbuf *out, size_t size)
{
	flatbuffer_add_zeros(out, -out->len % size);
}

void flatbuffer_set(struct strbuf *out, size_t at, uint64_t value, size_t size)
{
	uint64_t bytes = htole64(value);

	if (!out->failed)
		memcpy(out->data + at, &bytes, size);
}

void flatbuffer_refer(struct strbuf *out, size_t at, size_t target)
{
	flatbuffer_set(out, at, target - at, FLATBUFFER_REFERENCE);
}

size_t flatbuffer_begin(struct strbuf *out)
{
	flatbuffer_add_zeros(out, FLATBUFFER_REFERENCE);
	return 0;
}

/*
 * The list of field positions precedes the table.  The table begins 4 bytes in front of a multiple
 * of 8, and the largest fields come first, so that each is at a multiple of its size.
 */
void flatbuffer_add_table(struct strbuf *out, const uint8_t *sizes, size_t nr,
			  struct flatbuffer_table *ret)
{
	size_t list_size = 2 * (2 + nr), size = FLATBUFFER_REFERENCE, list;

	memset(ret, 0, sizeof(*ret));
	flatbuffer_align(out, 2);
	flatbuffer_add_zeros(out, (FLATBUFFER_REFERENCE - (out->len + list_size)) % 8);
	list = out->len;
	ret->at = list + list_size;
	for (size_t bytes = 8; bytes; bytes /= 2)
		for (size_t i = 0; i < nr; i++) {
			if (sizes[i] != bytes)
				continue;
			ret->fields[i] = ret->at + size;
			size += bytes;
		}
	flatbuffer_add_zeros(out, list_size + size);
	flatbuffer_set(out, list, list_size, 2);
	flatbuffer_set(out, list + 2, size, 2);
	for (size_t i = 0; i < nr; i++)
		if (ret->fields[i])
			flatbuffer_set(out, list + 4 + 2 * i, ret->fields[i] - ret->at, 2);
	flatbuffer_set(out, ret->at, list_size, FLATBUFFER_REFERENCE);
}

size_t flatbuffer_add_text(struct strbuf *out, const char *text)
{
	size_t len = strlen(text), at;

	flatbuffer_align(out, 4);
	at = out->len;
	flatbuffer_add_zeros(out, 4);
	flatbuffer_set(out, at, len, 4);
	strbuf_add(out, text, len + 1);
	return at;
}

size_t flatbuffer_add_vector(struct strbuf *out, size_t nr, size_t size)
{
	size_t at;

	flatbuffer_add_zeros(out, (4 - out->len) % 8);
	at = out->len;
	flatbuffer_add_zeros(out, FLATBUFFER_ELEMENTS + nr * size);
	flatbuffer_set(out, at, nr, FLATBUFFER_ELEMENTS);
	return at;
}

// SPDX-License-Identifier: GPL-2.0
#include "output/columns/arrow_message.h"

#include <stdlib.h>

#include "lib/flatbuffer.h"

#define VERSION_5 4

enum { HEADER_SCHEMA = 1, HEADER_DICTIONARY = 2, HEADER_ROWS = 3 };
enum { TYPE_INT = 2, TYPE_BINARY = 4, TYPE_UTF8 = 5, TYPE_TIMESTAMP = 10, TYPE_LIST = 12 };

#define UNIT_NS 3

/* ---- what follows a message ---------------------------------------------- */

void arrow_body_deinit(struct arrow_body *body)
{
	free(body->nodes.items);
	free(body->buffers.items);
}

void arrow_body_add_node(struct arrow_body *body, size_t rows, size_t nulls)
{
	const struct arrow_node node = { rows, nulls };

	body->failed |= !array_push(&body->nodes, node);
}

void arrow_body_add(struct arrow_body *body, const void *data, size_t size)
{
	const struct arrow_buffer buffer = { data, size };

	body->failed |= !array_push(&body->buffers, buffer);
}

static size_t arrow_aligned(size_t size)
{
	return (size + ARROW_ALIGNMENT - 1) & ~(size_t)(ARROW_ALIGNMENT - 1);
}

size_t arrow_body_zeros(const struct arrow_body *body)
{
	size_t zeros = 0;

	for (size_t i = 0; i < body->buffers.nr; i++)
		if (!body->buffers.items[i].data && body->buffers.items[i].size > zeros)
			zeros = body->buffers.items[i].size;
	return arrow_aligned(zeros);
}

static size_t arrow_body_data(const struct arrow_body *body)
{
	size_t size = 0;

	for (size_t i = 0; i < body->buffers.nr; i++)
		if (body->buffers.items[i].data)
			size += arrow_aligned(body->buffers.items[i].size);
	return size;
}

size_t arrow_body_size(const struct arrow_body *body)
{
	return arrow_body_data(body) + arrow_body_zeros(body);
}

/* ---- schema -------------------------------------------------------------- */

static void set_arrow_int(struct strbuf *out, size_t reference, unsigned int bits, bool is_signed)
{
	static const uint8_t sizes[] = { 4, 1 };
	struct flatbuffer_table type;

	flatbuffer_add_table(out, sizes, ARRAY_SIZE(sizes), &type);
	flatbuffer_refer(out, reference, type.at);
	flatbuffer_set(out, type.fields[0], bits, 4);
	flatbuffer_set(out, type.fields[1], is_signed, 1);
}

static void set_arrow_instant(struct strbuf *out, size_t reference)
{
	static const uint8_t sizes[] = { 2, FLATBUFFER_REFERENCE };
	struct flatbuffer_table type;

	flatbuffer_add_table(out, sizes, ARRAY_SIZE(sizes), &type);
	flatbuffer_refer(out, reference, type.at);
	flatbuffer_set(out, type.fields[0], UNIT_NS, 2);
	flatbuffer_refer(out, type.fields[1], flatbuffer_add_text(out, "UTC"));
}

static void set_arrow_dictionary(struct strbuf *out, size_t reference, size_t id)
{
	static const uint8_t sizes[] = { 8, FLATBUFFER_REFERENCE };
	struct flatbuffer_table dictionary;

	flatbuffer_add_table(out, sizes, ARRAY_SIZE(sizes), &dictionary);
	flatbuffer_refer(out, reference, dictionary.at);
	flatbuffer_set(out, dictionary.fields[0], id, 8);
	set_arrow_int(out, dictionary.fields[1], 32, true);
}

/* The field of a column, or, as WORD, that of what its lists consist of. */
static void set_arrow_field(struct strbuf *out, size_t reference, const char *name,
			    enum typed_kind kind, const struct typed_column *column, size_t id)
{
	static const uint8_t types[] = {
		[TYPED_NUMBER] = TYPE_INT, [TYPED_WORD] = TYPE_UTF8, [TYPED_TEXT] = TYPE_UTF8,
		[TYPED_BYTES] = TYPE_BINARY, [TYPED_WORDS] = TYPE_LIST,
	};
	const uint8_t sizes[] = {
		FLATBUFFER_REFERENCE, 1, 1, FLATBUFFER_REFERENCE,
		kind == TYPED_WORD ? FLATBUFFER_REFERENCE : 0, FLATBUFFER_REFERENCE,
	};
	struct flatbuffer_table field, type;
	size_t children;

	flatbuffer_add_table(out, sizes, ARRAY_SIZE(sizes), &field);
	flatbuffer_refer(out, reference, field.at);
	flatbuffer_refer(out, field.fields[0], flatbuffer_add_text(out, name));
	flatbuffer_set(out, field.fields[1], true, 1);
	flatbuffer_set(out, field.fields[2], column->is_instant ? TYPE_TIMESTAMP : types[kind], 1);
	if (column->is_instant) {
		set_arrow_instant(out, field.fields[3]);
	} else if (kind == TYPED_NUMBER) {
		set_arrow_int(out, field.fields[3], column->size * 8, column->is_signed);
	} else {
		flatbuffer_add_table(out, NULL, 0, &type);
		flatbuffer_refer(out, field.fields[3], type.at);
	}
	if (kind == TYPED_WORD)
		set_arrow_dictionary(out, field.fields[4], id);
	children = flatbuffer_add_vector(out, kind == TYPED_WORDS, FLATBUFFER_REFERENCE);
	flatbuffer_refer(out, field.fields[5], children);
	if (kind == TYPED_WORDS)
		set_arrow_field(out, children + FLATBUFFER_ELEMENTS, "item", TYPED_WORD, column, id);
}

static void set_arrow_schema(struct strbuf *out, size_t reference, const struct typed_rows *rows)
{
	static const uint8_t sizes[] = { 2, FLATBUFFER_REFERENCE };
	struct flatbuffer_table schema;
	size_t fields;

	flatbuffer_add_table(out, sizes, ARRAY_SIZE(sizes), &schema);
	flatbuffer_refer(out, reference, schema.at);
	flatbuffer_set(out, schema.fields[0], __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__, 2);
	fields = flatbuffer_add_vector(out, rows->nr, FLATBUFFER_REFERENCE);
	flatbuffer_refer(out, schema.fields[1], fields);
	for (size_t i = 0; i < rows->nr; i++)
		set_arrow_field(out, fields + FLATBUFFER_ELEMENTS + i * FLATBUFFER_REFERENCE,
				rows->columns[i].name, rows->columns[i].kind, &rows->columns[i], i);
}

/* ---- messages ------------------------------------------------------------ */

/* Begin a message; returns the position of the reference to its header. */
static size_t begin_arrow_message(struct strbuf *out, unsigned int header,
				  const struct arrow_body *body)
{
	static const uint8_t sizes[] = { 2, 1, FLATBUFFER_REFERENCE, 8 };
	size_t root = flatbuffer_begin(out);
	struct flatbuffer_table message;

	flatbuffer_add_table(out, sizes, ARRAY_SIZE(sizes), &message);
	flatbuffer_refer(out, root, message.at);
	flatbuffer_set(out, message.fields[0], VERSION_5, 2);
	flatbuffer_set(out, message.fields[1], header, 1);
	flatbuffer_set(out, message.fields[3], body ? arrow_body_size(body) : 0, 8);
	return message.fields[2];
}

void arrow_message_add_schema(struct strbuf *out, const struct typed_rows *rows)
{
	set_arrow_schema(out, begin_arrow_message(out, HEADER_SCHEMA, NULL), rows);
	flatbuffer_align(out, 8);
}

/* The description of a body. */
static void set_arrow_rows(struct strbuf *out, size_t reference, size_t rows,
			   const struct arrow_body *body)
{
	static const uint8_t sizes[] = { 8, FLATBUFFER_REFERENCE, FLATBUFFER_REFERENCE };
	size_t zeros = arrow_body_data(body), offset = 0, at;
	struct flatbuffer_table table;

	flatbuffer_add_table(out, sizes, ARRAY_SIZE(sizes), &table);
	flatbuffer_refer(out, reference, table.at);
	flatbuffer_set(out, table.fields[0], rows, 8);
	at = flatbuffer_add_vector(out, body->nodes.nr, 16);
	flatbuffer_refer(out, table.fields[1], at);
	at += FLATBUFFER_ELEMENTS;
	for (size_t i = 0; i < body->nodes.nr; i++, at += 16) {
		flatbuffer_set(out, at, body->nodes.items[i].rows, 8);
		flatbuffer_set(out, at + 8, body->nodes.items[i].nulls, 8);
	}
	at = flatbuffer_add_vector(out, body->buffers.nr, 16);
	flatbuffer_refer(out, table.fields[2], at);
	at += FLATBUFFER_ELEMENTS;
	for (size_t i = 0; i < body->buffers.nr; i++, at += 16) {
		const struct arrow_buffer *buffer = &body->buffers.items[i];

		flatbuffer_set(out, at, buffer->data ? offset : zeros, 8);
		flatbuffer_set(out, at + 8, buffer->size, 8);
		if (buffer->data)
			offset += arrow_aligned(buffer->size);
	}
}

void arrow_message_add_rows(struct strbuf *out, size_t rows, const struct arrow_body *body)
{
	set_arrow_rows(out, begin_arrow_message(out, HEADER_ROWS, body), rows, body);
	flatbuffer_align(out, 8);
}

void arrow_message_add_words(struct strbuf *out, size_t column, size_t words, bool more,
			     const struct arrow_body *body)
{
	static const uint8_t sizes[] = { 8, FLATBUFFER_REFERENCE, 1 };
	size_t reference = begin_arrow_message(out, HEADER_DICTIONARY, body);
	struct flatbuffer_table table;

	flatbuffer_add_table(out, sizes, ARRAY_SIZE(sizes), &table);
	flatbuffer_refer(out, reference, table.at);
	flatbuffer_set(out, table.fields[0], column, 8);
	flatbuffer_set(out, table.fields[2], more, 1);
	set_arrow_rows(out, table.fields[1], words, body);
	flatbuffer_align(out, 8);
}

static void set_arrow_blocks(struct strbuf *out, size_t reference,
			     const struct arrow_blocks *blocks)
{
	size_t at = flatbuffer_add_vector(out, blocks->nr, sizeof(*blocks->items));

	flatbuffer_refer(out, reference, at);
	at += FLATBUFFER_ELEMENTS;
	for (size_t i = 0; i < blocks->nr; i++, at += sizeof(*blocks->items)) {
		flatbuffer_set(out, at, blocks->items[i].at, 8);
		flatbuffer_set(out, at + 8, blocks->items[i].head, 4);
		flatbuffer_set(out, at + 16, blocks->items[i].body, 8);
	}
}

void arrow_message_add_footer(struct strbuf *out, const struct typed_rows *rows,
			      const struct arrow_blocks *words, const struct arrow_blocks *pieces)
{
	static const uint8_t sizes[] = {
		2, FLATBUFFER_REFERENCE, FLATBUFFER_REFERENCE, FLATBUFFER_REFERENCE,
	};
	size_t root = flatbuffer_begin(out);
	struct flatbuffer_table footer;

	flatbuffer_add_table(out, sizes, ARRAY_SIZE(sizes), &footer);
	flatbuffer_refer(out, root, footer.at);
	flatbuffer_set(out, footer.fields[0], VERSION_5, 2);
	set_arrow_schema(out, footer.fields[1], rows);
	set_arrow_blocks(out, footer.fields[2], words);
	set_arrow_blocks(out, footer.fields[3], pieces);
}

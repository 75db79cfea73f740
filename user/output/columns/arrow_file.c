// SPDX-License-Identifier: GPL-2.0
#include "output/columns/arrow_file.h"

#include <endian.h>
#include <errno.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "lib/array.h"
#include "lib/flatbuffer.h"
#include "lib/strbuf.h"
#include "lib/utf8.h"
#include "output/columns/typed_rows.h"

#define ARROW_ALIGNMENT 64	/* of the parts of a body, bytes */

/* The body behind a message: the buffers of its columns, in sequence. */
struct arrow_body {
	struct {
		struct arrow_node {
			int64_t rows, nulls;
		} *items;
		size_t nr, alloc;
	} nodes;
	struct {
		struct arrow_buffer {
			const void *data;	/* borrowed; NULL: zeros */
			size_t size;
		} *items;
		size_t nr, alloc;
	} buffers;
	bool failed;			/* memory is out */
};

/* Where a message is in a file, as its end lists it. */
struct arrow_block {
	int64_t at;
	int32_t head;		/* bytes in front of the body */
	int32_t unused;
	int64_t body;		/* bytes */
};

struct arrow_blocks {
	struct arrow_block *items;
	size_t nr, alloc;
};

#define VERSION_5 4

enum { HEADER_SCHEMA = 1, HEADER_DICTIONARY = 2, HEADER_ROWS = 3 };
enum { TYPE_INT = 2, TYPE_BINARY = 4, TYPE_UTF8 = 5, TYPE_TIMESTAMP = 10, TYPE_LIST = 12 };

#define UNIT_NS 3

/* ---- the bodies of messages ------------------------------------------------- */

static void arrow_body_deinit(struct arrow_body *body)
{
	free(body->nodes.items);
	free(body->buffers.items);
}

DEFINE_CLEANUP(arrow_body, struct arrow_body, arrow_body_deinit)

/* Append a column, and one of its buffers; each column has a fixed number of them. */
static void arrow_body_add_node(struct arrow_body *body, size_t rows, size_t nulls)
{
	const struct arrow_node node = { rows, nulls };

	body->failed |= !array_push(&body->nodes, node);
}

static void arrow_body_add(struct arrow_body *body, const void *data, size_t size)
{
	const struct arrow_buffer buffer = { data, size };

	body->failed |= !array_push(&body->buffers, buffer);
}

static size_t arrow_aligned(size_t size)
{
	return (size + ARROW_ALIGNMENT - 1) & ~(size_t)(ARROW_ALIGNMENT - 1);
}

/*
 * All buffers of zeros are the same bytes, which come last.  Returns their size, and the size of
 * the whole body, a multiple of ARROW_ALIGNMENT.
 */
static size_t arrow_body_zeros(const struct arrow_body *body)
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

static size_t arrow_body_size(const struct arrow_body *body)
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

/* The field of a column, or, as WORD, that of the items of its lists. */
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

/* Each function appends a message to an empty @out.  The dictionary of a column has its number. */
static void arrow_message_add_schema(struct strbuf *out, const struct typed_rows *rows)
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

static void arrow_message_add_rows(struct strbuf *out, size_t rows, const struct arrow_body *body)
{
	set_arrow_rows(out, begin_arrow_message(out, HEADER_ROWS, body), rows, body);
	flatbuffer_align(out, 8);
}

static void arrow_message_add_words(struct strbuf *out, size_t column, size_t words, bool more,
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

static void arrow_message_add_footer(struct strbuf *out, const struct typed_rows *rows,
				     const struct arrow_blocks *words,
				     const struct arrow_blocks *pieces)
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

#define MAGIC "ARROW1"
#define MESSAGE_FOLLOWS 0xffffffff

struct arrow_file {
	struct rendering rendering;
	struct session_consumer consumer;
	struct rendering_request request;
	bool is_stream;
	uint64_t written;		/* bytes */
	struct typed_rows *rows;	/* NULL: nothing was written yet */
	struct {
		size_t nr;		/* written words */
		bool begun;		/* there is a dictionary, which may be empty */
	} *told;			/* by column */
	struct arrow_blocks words, pieces;
	struct strbuf message;
};

static struct error *arrow_file_put(struct arrow_file *a, const void *data, size_t size)
{
	if (size && fwrite(data, 1, size, a->request.out) != size)
		return error_errno(errno, "Cannot write %s", a->request.name);
	a->written += size;
	return NULL;
}

static struct error *arrow_file_put_zeros(struct arrow_file *a, size_t size)
{
	static const char zeros[4096];
	struct error *err = NULL;

	for (size_t n; !err && size; size -= n) {
		n = size < sizeof(zeros) ? size : sizeof(zeros);
		err = arrow_file_put(a, zeros, n);
	}
	return err;
}

static struct error *arrow_file_put_body(struct arrow_file *a, const struct arrow_body *body)
{
	struct error *err = NULL;

	for (size_t i = 0; !err && i < body->buffers.nr; i++) {
		const struct arrow_buffer *buffer = &body->buffers.items[i];

		if (!buffer->data)
			continue;
		err = arrow_file_put(a, buffer->data, buffer->size);
		if (!err)
			err = arrow_file_put_zeros(a, -buffer->size % ARROW_ALIGNMENT);
	}
	return err ? err : arrow_file_put_zeros(a, arrow_body_zeros(body));
}

/* Write a->message and its body, and add their offset to @blocks (may be NULL). */
static struct error *arrow_file_put_message(struct arrow_file *a, const struct arrow_body *body,
					    struct arrow_blocks *blocks)
{
	const uint32_t head[] = { MESSAGE_FOLLOWS, htole32(a->message.len) };
	const struct arrow_block block = {
		.at = a->written, .head = sizeof(head) + a->message.len,
		.body = body ? arrow_body_size(body) : 0,
	};
	struct error *err;

	if (a->message.failed || (blocks && !array_push(blocks, block)))
		return &error_no_memory;
	err = arrow_file_put(a, head, sizeof(head));
	if (!err)
		err = arrow_file_put(a, a->message.data, a->message.len);
	if (!err && body)
		err = arrow_file_put_body(a, body);
	strbuf_reset(&a->message);
	return err;
}

/* The events of a pipe are known at the first sample. */
static struct error *arrow_file_begin(struct arrow_file *a)
{
	struct error *err = typed_rows_create(&a->request, true, &a->rows);

	if (err)
		return err;
	a->told = calloc(a->rows->nr, sizeof(*a->told));
	if (!a->told)
		return &error_no_memory;
	if (!a->is_stream)
		err = arrow_file_put(a, MAGIC "\0", sizeof(MAGIC "\0"));
	arrow_message_add_schema(&a->message, a->rows);
	return err ? err : arrow_file_put_message(a, NULL, NULL);
}

/* ---- dictionaries -------------------------------------------------------- */

/* Collect the words of a column that are not written yet. */
static struct error *collect_arrow_words(const struct arrow_file *a, size_t column,
					 struct strbuf *texts, struct strbuf *offsets)
{
	const struct dictionary *dictionary = a->rows->columns[column].dictionary;
	int32_t end = 0;

	strbuf_add(offsets, &end, sizeof(end));
	for (size_t i = a->told[column].nr; i < dictionary_nr(dictionary); i++) {
		size_t len;
		const char *text = dictionary_text(dictionary, i, &len);

		utf8_add(texts, text, len);
		if (texts->len > INT32_MAX)
			return error_new(EFBIG, "Cannot write %s: the texts of %s are too long for Arrow",
					 a->request.name, a->rows->columns[column].name);
		end = texts->len;
		strbuf_add(offsets, &end, sizeof(end));
	}
	return texts->failed || offsets->failed ? &error_no_memory : NULL;
}

static struct error *arrow_file_put_words(struct arrow_file *a, size_t column)
{
	_cleanup_(strbuf) struct strbuf texts = STRBUF_INIT, offsets = STRBUF_INIT;
	_cleanup_(arrow_body) struct arrow_body body = { 0 };
	size_t nr = dictionary_nr(a->rows->columns[column].dictionary), told = a->told[column].nr;
	struct error *err;

	/* The first dictionary may be empty, but there has to be one. */
	if (a->told[column].begun && told == nr)
		return NULL;
	err = collect_arrow_words(a, column, &texts, &offsets);
	if (err)
		return err;
	arrow_body_add_node(&body, nr - told, 0);
	arrow_body_add(&body, NULL, 0);
	arrow_body_add(&body, offsets.data, offsets.len);
	arrow_body_add(&body, strbuf_str(&texts), texts.len);
	if (body.failed)
		return &error_no_memory;
	arrow_message_add_words(&a->message, column, nr - told, a->told[column].begun, &body);
	a->told[column].nr = nr;
	a->told[column].begun = true;
	return arrow_file_put_message(a, &body, &a->words);
}

static struct error *arrow_file_put_dictionaries(struct arrow_file *a)
{
	struct error *err = NULL;

	for (size_t i = 0; !err && i < a->rows->nr; i++)
		if (a->rows->columns[i].dictionary)
			err = arrow_file_put_words(a, i);
	return err;
}

/* ---- rows ---------------------------------------------------------------- */

static void add_arrow_present(struct arrow_body *body, const struct typed_column *column,
			      size_t rows)
{
	size_t nulls = rows - column->nr_values;

	arrow_body_add_node(body, rows, nulls);
	arrow_body_add(body, column->nr_values ? column->present : NULL,
		       nulls ? (rows + 7) / 8 : 0);
}

static void add_arrow_column(struct arrow_body *body, const struct typed_column *column,
			     size_t rows)
{
	size_t items = column->items.len / sizeof(uint32_t);

	add_arrow_present(body, column, rows);
	if (column->size) {
		arrow_body_add(body, column->nr_values ? column->values : NULL,
			       rows * column->size);
		return;
	}
	arrow_body_add(body, column->nr_values ? column->offsets : NULL,
		       (rows + 1) * sizeof(*column->offsets));
	if (column->kind == TYPED_WORDS) {
		arrow_body_add_node(body, items, 0);
		arrow_body_add(body, NULL, 0);
	}
	arrow_body_add(body, strbuf_str(&column->items), column->items.len);
}

static struct error *arrow_file_put_rows(struct arrow_file *a)
{
	_cleanup_(arrow_body) struct arrow_body body = { 0 };
	struct error *err;

	if (a->is_stream) {
		err = arrow_file_put_dictionaries(a);
		if (err)
			return err;
	}
	for (size_t i = 0; i < a->rows->nr; i++)
		add_arrow_column(&body, &a->rows->columns[i], a->rows->rows);
	if (body.failed)
		return &error_no_memory;
	arrow_message_add_rows(&a->message, a->rows->rows, &body);
	err = arrow_file_put_message(a, &body, &a->pieces);
	return err ? err : typed_rows_clear(a->rows, false);
}

static struct error *arrow_file_sample(struct session_consumer *consumer,
				       const struct session_record *r)
{
	struct arrow_file *a = container_of(consumer, struct arrow_file, consumer);
	struct error *err = NULL;

	if (!r->event)
		return NULL;
	if (!a->rows)
		err = arrow_file_begin(a);
	if (!err)
		err = typed_rows_add(a->rows, r);
	if (!err && typed_rows_full(a->rows))
		err = arrow_file_put_rows(a);
	return err;
}

/* The end of a file lists all messages, because readers begin there. */
static struct error *arrow_file_put_footer(struct arrow_file *a)
{
	struct error *err;
	uint32_t size;

	arrow_message_add_footer(&a->message, a->rows, &a->words, &a->pieces);
	if (a->message.failed)
		return &error_no_memory;
	size = htole32(a->message.len);
	err = arrow_file_put(a, a->message.data, a->message.len);
	if (!err)
		err = arrow_file_put(a, &size, sizeof(size));
	return err ? err : arrow_file_put(a, MAGIC, strlen(MAGIC));
}

static struct error *arrow_file_finish(struct rendering *rendering)
{
	static const uint32_t end[] = { MESSAGE_FOLLOWS, 0 };
	struct arrow_file *a = container_of(rendering, struct arrow_file, rendering);
	struct error *err = a->rows ? NULL : arrow_file_begin(a);

	if (!err && a->rows->rows)
		err = arrow_file_put_rows(a);
	if (!err && !a->is_stream)
		err = arrow_file_put_dictionaries(a);
	if (!err)
		err = arrow_file_put(a, end, sizeof(end));
	return err || a->is_stream ? err : arrow_file_put_footer(a);
}

static void arrow_file_destroy(struct rendering *rendering)
{
	struct arrow_file *a = container_of(rendering, struct arrow_file, rendering);

	typed_rows_destroy(a->rows);
	free(a->told);
	free(a->words.items);
	free(a->pieces.items);
	strbuf_deinit(&a->message);
	free(a);
}

struct error *arrow_file_open(const struct rendering_request *request, bool is_stream,
			      struct rendering **ret)
{
	struct arrow_file *a = calloc(1, sizeof(*a));

	if (!a)
		return &error_no_memory;
	a->request = *request;
	a->is_stream = is_stream;
	a->consumer = (struct session_consumer){ .sample = arrow_file_sample };
	a->rendering = (struct rendering){
		.consumer = &a->consumer, .finish = arrow_file_finish,
		.destroy = arrow_file_destroy,
	};
	*ret = &a->rendering;
	return NULL;
}

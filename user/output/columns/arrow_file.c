// SPDX-License-Identifier: GPL-2.0
#include "output/columns/arrow_file.h"

#include <endian.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "lib/utf8.h"
#include "output/columns/arrow_message.h"
#include "output/columns/typed_rows.h"

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
		size_t nr;		/* words that were written */
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

/* Write a->message and what it describes, and remember the place in @blocks (may be NULL). */
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

/* Of a pipe, the events are known when the first sample comes. */
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

/* Collect the words of a column that were not written yet. */
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

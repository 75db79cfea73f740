// SPDX-License-Identifier: GPL-2.0
/* Samples as a table of Parquet: groups of rows as they come, and at the end where they are. */
#include <endian.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "lib/array.h"
#include "lib/library.h"
#include "lib/thrift.h"
#include "output/columns/parquet_pages.h"
#include "output/columns/typed_rows.h"
#include "output/rendering.h"
#include "with/zstd.h"

#define MAGIC "PAR1"
#define LEVEL 1			/* of zstd: the fastest */
#define VERSION 2		/* of the format */

enum { CODEC_ZSTD = 6 };
enum { PAGE_OF_DATA = 0, PAGE_OF_WORDS = 2 };
enum { ENCODING_PLAIN = 0, ENCODING_RLE = 3, ENCODING_RLE_DICTIONARY = 8 };
enum { REQUIRED = 0, OPTIONAL = 1, REPEATED = 2 };
enum { LOGICAL_STRING = 1, LOGICAL_LIST = 3, LOGICAL_TIMESTAMP = 8, LOGICAL_INTEGER = 10 };
enum { UNIT_NS = 3 };
enum { CONVERTED_UTF8 = 0, CONVERTED_LIST = 3, CONVERTED_UINT_8 = 11, CONVERTED_INT_8 = 15 };

struct parquet {
	struct rendering rendering;
	struct session_consumer consumer;
	struct rendering_request request;
	uint64_t written;		/* bytes */
	uint64_t nr_rows, nr_groups;
	struct typed_rows *rows;	/* NULL: nothing was written yet */
	ZSTD_CCtx *zstd;
	struct strbuf compressed;
	struct strbuf groups;		/* their descriptions, for the end of the file */
};

static struct error *parquet_put(struct parquet *p, const void *data, size_t size)
{
	if (size && fwrite(data, 1, size, p->request.out) != size)
		return error_errno(errno, "Cannot write %s", p->request.name);
	p->written += size;
	return NULL;
}

static struct error *parquet_begin(struct parquet *p)
{
	struct error *err = typed_rows_create(&p->request, false, &p->rows);

	return err ? err : parquet_put(p, MAGIC, strlen(MAGIC));
}

/* ---- pages --------------------------------------------------------------- */

static void add_page_head(struct strbuf *out, const struct parquet_pages *pages, bool is_words,
			  size_t size, size_t compressed)
{
	struct thrift head = { .out = out }, inner;

	thrift_add_i32(&head, 1, is_words ? PAGE_OF_WORDS : PAGE_OF_DATA);
	thrift_add_i32(&head, 2, size);
	thrift_add_i32(&head, 3, compressed);
	if (is_words) {
		thrift_begin(&head, 7, &inner);
		thrift_add_i32(&inner, 1, pages->nr_words);
		thrift_add_i32(&inner, 2, ENCODING_PLAIN);
	} else {
		thrift_begin(&head, 5, &inner);
		thrift_add_i32(&inner, 1, pages->nr_levels);
		thrift_add_i32(&inner, 2, pages->nr_words ? ENCODING_RLE_DICTIONARY :
							    ENCODING_PLAIN);
		thrift_add_i32(&inner, 3, ENCODING_RLE);
		thrift_add_i32(&inner, 4, ENCODING_RLE);
	}
	thrift_end(&inner);
	thrift_end(&head);
}

/* Write a page; *size grows by its uncompressed size. */
static struct error *parquet_put_page(struct parquet *p, const struct parquet_pages *pages,
				      bool is_words, uint64_t *size)
{
	const struct strbuf *page = is_words ? &pages->words : &pages->data;
	_cleanup_(strbuf) struct strbuf head = STRBUF_INIT;
	struct error *err;
	size_t len;

	strbuf_reset(&p->compressed);
	if (!strbuf_reserve(&p->compressed, ZSTD_compressBound(page->len)))
		return &error_no_memory;
	len = ZSTD_compressCCtx(p->zstd, p->compressed.data, p->compressed.alloc, page->data,
				page->len, LEVEL);
	if (ZSTD_isError(len))
		return error_new(EIO, "Cannot compress %s: %s", p->request.name,
				 ZSTD_getErrorName(len));
	add_page_head(&head, pages, is_words, page->len, len);
	if (head.failed)
		return &error_no_memory;
	*size += head.len + page->len;
	err = parquet_put(p, head.data, head.len);
	return err ? err : parquet_put(p, p->compressed.data, len);
}

/* ---- groups of rows ------------------------------------------------------ */

static void describe_range(struct thrift *chunk, const struct parquet_pages *pages, size_t nulls)
{
	struct thrift range;

	thrift_begin(chunk, 12, &range);
	thrift_add_i64(&range, 3, nulls);
	if (pages->has_range) {
		thrift_add_bytes(&range, 5, strbuf_str(&pages->largest), pages->largest.len);
		thrift_add_bytes(&range, 6, strbuf_str(&pages->smallest), pages->smallest.len);
	}
	thrift_end(&range);
}

/* The description of a column in a group: its pages are between @at and the end of the file. */
static void describe_chunk(struct parquet *p, const struct typed_column *column,
			   const struct parquet_pages *pages, uint64_t at, uint64_t data_at,
			   uint64_t size)
{
	struct strbuf *out = &p->groups;
	struct thrift chunk = { .out = out }, meta;

	thrift_add_i64(&chunk, 2, at);
	thrift_begin(&chunk, 3, &meta);
	thrift_add_i32(&meta, 1, parquet_type_of(column));
	thrift_add_list(&meta, 2, THRIFT_I32, pages->nr_words ? 3 : 2);
	varint_add_signed(out, ENCODING_PLAIN);
	varint_add_signed(out, ENCODING_RLE);
	if (pages->nr_words)
		varint_add_signed(out, ENCODING_RLE_DICTIONARY);
	thrift_add_list(&meta, 3, THRIFT_BINARY, column->kind == TYPED_WORDS ? 3 : 1);
	thrift_add_item(out, column->name, strlen(column->name));
	if (column->kind == TYPED_WORDS) {
		thrift_add_item(out, "list", strlen("list"));
		thrift_add_item(out, "element", strlen("element"));
	}
	thrift_add_i32(&meta, 4, CODEC_ZSTD);
	thrift_add_i64(&meta, 5, pages->nr_levels);
	thrift_add_i64(&meta, 6, size);
	thrift_add_i64(&meta, 7, p->written - at);
	thrift_add_i64(&meta, 9, data_at);
	if (pages->nr_words)
		thrift_add_i64(&meta, 11, at);
	describe_range(&meta, pages, p->rows->rows - column->nr_values);
	thrift_end(&meta);
	thrift_end(&chunk);
}

static struct error *parquet_put_chunk(struct parquet *p, const struct typed_column *column,
				       uint64_t *total)
{
	_cleanup_(parquet_pages) struct parquet_pages pages = { 0 };
	struct error *err = parquet_pages_fill(&pages, column, p->rows->rows);
	uint64_t at = p->written, data_at, size = 0;

	if (!err && pages.nr_words)
		err = parquet_put_page(p, &pages, true, &size);
	data_at = p->written;
	if (!err)
		err = parquet_put_page(p, &pages, false, &size);
	if (err)
		return err;
	describe_chunk(p, column, &pages, at, data_at, size);
	*total += size;
	return NULL;
}

static struct error *parquet_put_group(struct parquet *p)
{
	struct thrift group = { .out = &p->groups };
	uint64_t at = p->written, size = 0;
	struct error *err = NULL;

	thrift_add_list(&group, 1, THRIFT_STRUCT, p->rows->nr);
	for (size_t i = 0; !err && i < p->rows->nr; i++)
		err = parquet_put_chunk(p, &p->rows->columns[i], &size);
	if (err)
		return err;
	thrift_add_i64(&group, 2, size);
	thrift_add_i64(&group, 3, p->rows->rows);
	thrift_add_i64(&group, 5, at);
	thrift_add_i64(&group, 6, p->written - at);
	thrift_end(&group);
	p->nr_rows += p->rows->rows;
	p->nr_groups++;
	return p->groups.failed ? &error_no_memory : typed_rows_clear(p->rows, true);
}

static struct error *parquet_sample(struct session_consumer *consumer,
				    const struct session_record *r)
{
	struct parquet *p = container_of(consumer, struct parquet, consumer);
	struct error *err = NULL;

	if (!r->event)
		return NULL;
	if (!p->rows)
		err = parquet_begin(p);
	if (!err)
		err = typed_rows_add(p->rows, r);
	if (!err && typed_rows_full(p->rows))
		err = parquet_put_group(p);
	return err;
}

/* ---- the end of the file ------------------------------------------------- */

static void describe_integer(struct thrift *element, const struct typed_column *column)
{
	unsigned int order = __builtin_ctz(column->size);	/* 8, 16, 32 or 64 bits */
	struct thrift logical, integer;

	thrift_add_i32(element, 6,
		       (column->is_signed ? CONVERTED_INT_8 : CONVERTED_UINT_8) + order);
	thrift_begin(element, 10, &logical);
	thrift_begin(&logical, LOGICAL_INTEGER, &integer);
	thrift_add_byte(&integer, 1, column->size * 8);
	thrift_add_bool(&integer, 2, column->is_signed);
	thrift_end(&integer);
	thrift_end(&logical);
}

/* No converted type has ns. */
static void describe_instant(struct thrift *element)
{
	struct thrift logical, timestamp, unit, ns;

	thrift_begin(element, 10, &logical);
	thrift_begin(&logical, LOGICAL_TIMESTAMP, &timestamp);
	thrift_add_bool(&timestamp, 1, true);
	thrift_begin(&timestamp, 2, &unit);
	thrift_begin(&unit, UNIT_NS, &ns);
	thrift_end(&ns);
	thrift_end(&unit);
	thrift_end(&timestamp);
	thrift_end(&logical);
}

static void describe_logical(struct thrift *element, unsigned int converted, unsigned int logical)
{
	struct thrift outer, inner;

	thrift_add_i32(element, 6, converted);
	thrift_begin(element, 10, &outer);
	thrift_begin(&outer, logical, &inner);
	thrift_end(&inner);
	thrift_end(&outer);
}

/* A value, as a column or in a list. */
static void describe_value(struct strbuf *out, const struct typed_column *column, const char *name,
			   unsigned int repetition)
{
	struct thrift element = { .out = out };

	thrift_add_i32(&element, 1, parquet_type_of(column));
	thrift_add_i32(&element, 3, repetition);
	thrift_add_text(&element, 4, name);
	if (column->is_instant)
		describe_instant(&element);
	else if (column->kind == TYPED_NUMBER)
		describe_integer(&element, column);
	else if (column->kind != TYPED_BYTES)
		describe_logical(&element, CONVERTED_UTF8, LOGICAL_STRING);
	thrift_end(&element);
}

static void describe_column(struct strbuf *out, const struct typed_column *column)
{
	struct thrift list = { .out = out }, repeated = { .out = out };

	if (column->kind != TYPED_WORDS) {
		describe_value(out, column, column->name, OPTIONAL);
		return;
	}
	thrift_add_i32(&list, 3, OPTIONAL);
	thrift_add_text(&list, 4, column->name);
	thrift_add_i32(&list, 5, 1);
	describe_logical(&list, CONVERTED_LIST, LOGICAL_LIST);
	thrift_end(&list);
	thrift_add_i32(&repeated, 3, REPEATED);
	thrift_add_text(&repeated, 4, "list");
	thrift_add_i32(&repeated, 5, 1);
	thrift_end(&repeated);
	describe_value(out, column, "element", REQUIRED);
}

/* The schema is a list of all elements; those with others inside of them come in front of these. */
static void describe_schema(struct thrift *file, const struct typed_rows *rows)
{
	struct thrift root = { .out = file->out };
	size_t nr = 1 + rows->nr;

	for (size_t i = 0; i < rows->nr; i++)
		if (rows->columns[i].kind == TYPED_WORDS)
			nr += 2;
	thrift_add_list(file, 2, THRIFT_STRUCT, nr);
	thrift_add_text(&root, 4, "samples");
	thrift_add_i32(&root, 5, rows->nr);
	thrift_end(&root);
	for (size_t i = 0; i < rows->nr; i++)
		describe_column(file->out, &rows->columns[i]);
}

static void describe_file(struct strbuf *out, const struct parquet *p)
{
	struct thrift file = { .out = out };

	thrift_add_i32(&file, 1, VERSION);
	describe_schema(&file, p->rows);
	thrift_add_i64(&file, 3, p->nr_rows);
	thrift_add_list(&file, 4, THRIFT_STRUCT, p->nr_groups);
	strbuf_add(out, strbuf_str(&p->groups), p->groups.len);
	thrift_add_text(&file, 6, "ktrace");
	/* Without this, readers ignore the ranges: they have the order of the types. */
	thrift_add_list(&file, 7, THRIFT_STRUCT, p->rows->nr);
	for (size_t i = 0; i < p->rows->nr; i++) {
		struct thrift order = { .out = out }, by_type;

		thrift_begin(&order, 1, &by_type);
		thrift_end(&by_type);
		thrift_end(&order);
	}
	thrift_end(&file);
}

static struct error *parquet_finish(struct rendering *rendering)
{
	struct parquet *p = container_of(rendering, struct parquet, rendering);
	_cleanup_(strbuf) struct strbuf end = STRBUF_INIT;
	struct error *err = p->rows ? NULL : parquet_begin(p);
	uint32_t size;

	if (!err && p->rows->rows)
		err = parquet_put_group(p);
	if (err)
		return err;
	describe_file(&end, p);
	size = htole32(end.len);
	strbuf_add(&end, &size, sizeof(size));
	strbuf_addstr(&end, MAGIC);
	return end.failed ? &error_no_memory : parquet_put(p, end.data, end.len);
}

static void parquet_destroy(struct rendering *rendering)
{
	struct parquet *p = container_of(rendering, struct parquet, rendering);

	typed_rows_destroy(p->rows);
	ZSTD_freeCCtx(p->zstd);
	strbuf_deinit(&p->compressed);
	strbuf_deinit(&p->groups);
	free(p);
}

struct error *output_parquet_open(const struct rendering_request *request, struct rendering **ret)
{
	struct error *err = library_missing(LIBRARY_ZSTD);
	struct parquet *p;

	if (err)
		return error_prefix(err, "Parquet cannot be written");
	p = calloc(1, sizeof(*p));
	if (!p)
		return &error_no_memory;
	p->request = *request;
	p->consumer = (struct session_consumer){ .sample = parquet_sample };
	p->rendering = (struct rendering){
		.consumer = &p->consumer, .finish = parquet_finish, .destroy = parquet_destroy,
	};
	p->zstd = ZSTD_createCCtx();
	if (!p->zstd) {
		parquet_destroy(&p->rendering);
		return &error_no_memory;
	}
	*ret = &p->rendering;
	return NULL;
}

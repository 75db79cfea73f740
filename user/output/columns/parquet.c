// SPDX-License-Identifier: GPL-2.0
/* Samples as a table of Parquet: groups of rows as they come, and at the end where they are. */
#include <endian.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "lib/array.h"
#include "lib/cleanup.h"
#include "lib/library.h"
#include "lib/strbuf.h"
#include "lib/thrift.h"
#include "lib/utf8.h"
#include "lib/varint.h"
#include "output/columns/typed_rows.h"
#include "output/rendering.h"
#include "with/zstd.h"

/*
 * A column of typed rows as uncompressed pages of Parquet: the words, if it has a dictionary, and
 * the values behind the levels.  The levels define which rows have a value.
 */

/* Numbers of the format. */
enum parquet_type { PARQUET_INT32 = 1, PARQUET_INT64 = 2, PARQUET_BYTE_ARRAY = 6 };

struct parquet_pages {
	struct strbuf words, data;
	size_t nr_words;	/* 0: the values are in the page of data itself */
	size_t nr_levels;	/* rows; in lists, their items, and rows without any */
	bool has_range;		/* the values are between these, as Parquet stores them */
	struct strbuf smallest, largest;
};

#define GROUP 8

/* The bits that numbers up to @largest need. */
static unsigned int parquet_level_bits(uint32_t largest)
{
	return largest ? 32 - __builtin_clz(largest) : 0;
}

/* Append whole groups; numbers behind the end are 0. */
static void add_packed_levels(struct strbuf *out, const uint32_t *numbers, size_t nr,
			      unsigned int bits)
{
	size_t groups = (nr + GROUP - 1) / GROUP;
	unsigned int filled = 0;
	uint64_t word = 0;

	if (!nr)
		return;
	varint_add(out, groups << 1 | 1);
	for (size_t i = 0; i < groups * GROUP; i++) {
		word |= (uint64_t)(i < nr ? numbers[i] : 0) << filled;
		for (filled += bits; filled >= 8; filled -= 8, word >>= 8)
			strbuf_addch(out, word);
	}
}

/* Append @nr numbers that @bits bits, at most 32, can hold. */
static void parquet_levels_add(struct strbuf *out, const uint32_t *numbers, size_t nr,
			       unsigned int bits)
{
	size_t packed = 0, at = 0, run;

	while (at < nr) {
		for (run = 1; at + run < nr && numbers[at + run] == numbers[at]; run++)
			;
		if (run < GROUP) {
			at += nr - at < GROUP ? nr - at : GROUP;
			continue;
		}
		add_packed_levels(out, numbers + packed, at - packed, bits);
		varint_add(out, run << 1);
		for (unsigned int shift = 0; shift < bits; shift += 8)
			strbuf_addch(out, numbers[at] >> shift);
		at += run;
		packed = at;
	}
	add_packed_levels(out, numbers + packed, nr - packed, bits);
}

/* A dictionary is used if words repeat this often, or if it is small. */
#define WORD_USES	2
#define FEW_WORDS	256
#define LONG_BOUND	64	/* longer texts bound no range, bytes */

static enum parquet_type parquet_type_of(const struct typed_column *column)
{
	if (column->kind != TYPED_NUMBER)
		return PARQUET_BYTE_ARRAY;
	return column->size == 8 ? PARQUET_INT64 : PARQUET_INT32;
}

static void parquet_pages_deinit(struct parquet_pages *pages)
{
	strbuf_deinit(&pages->words);
	strbuf_deinit(&pages->data);
	strbuf_deinit(&pages->smallest);
	strbuf_deinit(&pages->largest);
}
DEFINE_CLEANUP(parquet_pages, struct parquet_pages, parquet_pages_deinit)

static bool parquet_is_present(const struct typed_column *column, size_t row)
{
	return column->present[row / 8] >> row % 8 & 1;
}

static void parquet_add_u32(struct strbuf *out, uint32_t number)
{
	number = htole32(number);
	strbuf_add(out, &number, sizeof(number));
}

/* ---- levels -------------------------------------------------------------- */

/* Append levels with their size in front of them. */
static void add_sized_levels(struct strbuf *out, const uint32_t *levels, size_t nr,
			     unsigned int bits)
{
	size_t at = out->len;
	uint32_t size;

	parquet_add_u32(out, 0);
	parquet_levels_add(out, levels, nr, bits);
	size = htole32(out->len - at - sizeof(size));
	if (!out->failed)
		memcpy(out->data + at, &size, sizeof(size));
}

static struct error *add_scalar_levels(struct parquet_pages *pages,
				       const struct typed_column *column, size_t rows)
{
	_cleanup_free_ uint32_t *defined = calloc(rows + 1, sizeof(*defined));

	if (!defined)
		return &error_no_memory;
	for (size_t i = 0; i < rows; i++)
		defined[i] = parquet_is_present(column, i);
	pages->nr_levels = rows;
	add_sized_levels(&pages->data, defined, rows, 1);
	return NULL;
}

/* Lists are not empty: a row without a list has one level for that. */
static struct error *add_list_levels(struct parquet_pages *pages,
				     const struct typed_column *column, size_t rows)
{
	size_t most = rows + column->items.len / sizeof(uint32_t), nr = 0;
	_cleanup_free_ uint32_t *repeated = calloc(most + 1, sizeof(*repeated));
	_cleanup_free_ uint32_t *defined = calloc(most + 1, sizeof(*defined));

	if (!repeated || !defined)
		return &error_no_memory;
	for (size_t i = 0; i < rows; i++) {
		int32_t items = column->offsets[i + 1] - column->offsets[i];

		if (items <= 0)
			nr++;
		for (int32_t j = 0; j < items; j++, nr++) {
			repeated[nr] = j > 0;
			defined[nr] = 2;
		}
	}
	pages->nr_levels = nr;
	add_sized_levels(&pages->data, repeated, nr, 1);
	add_sized_levels(&pages->data, defined, nr, 2);
	return NULL;
}

/* ---- numbers ------------------------------------------------------------- */

static uint64_t read_typed_number(const struct typed_column *column, size_t row)
{
	switch (column->size) {
	case 1:
		return column->is_signed ? (uint64_t)((int8_t *)column->values)[row] :
		       ((uint8_t *)column->values)[row];
	case 2:
		return column->is_signed ? (uint64_t)((int16_t *)column->values)[row] :
		       ((uint16_t *)column->values)[row];
	case 4:
		return column->is_signed ? (uint64_t)((int32_t *)column->values)[row] :
		       ((uint32_t *)column->values)[row];
	default:
		return ((uint64_t *)column->values)[row];
	}
}

static void add_plain_number(struct strbuf *out, const struct typed_column *column,
			     uint64_t number)
{
	uint64_t bytes = htole64(number);

	strbuf_add(out, &bytes, column->size == 8 ? 8 : 4);
}

static void add_plain_numbers(struct parquet_pages *pages, const struct typed_column *column,
			      size_t rows)
{
	/* Numbers without a sign have the order of signed ones when their first bit is flipped. */
	uint64_t flip = column->is_signed ? 0 : 1ULL << 63, number;
	int64_t smallest = INT64_MAX, largest = INT64_MIN;

	if (!column->nr_values)
		return;
	for (size_t i = 0; i < rows; i++) {
		if (!parquet_is_present(column, i))
			continue;
		number = read_typed_number(column, i);
		add_plain_number(&pages->data, column, number);
		if ((int64_t)(number ^ flip) < smallest)
			smallest = number ^ flip;
		if ((int64_t)(number ^ flip) > largest)
			largest = number ^ flip;
	}
	pages->has_range = true;
	add_plain_number(&pages->smallest, column, smallest ^ flip);
	add_plain_number(&pages->largest, column, largest ^ flip);
}

/* ---- texts --------------------------------------------------------------- */

/* Append a text and its size in front of it. */
static void add_plain_word(struct strbuf *out, const struct dictionary *dictionary, uint32_t word)
{
	size_t at = out->len, len;
	const char *text = dictionary_text(dictionary, word, &len);
	uint32_t size;

	parquet_add_u32(out, 0);
	utf8_add(out, text, len);
	size = htole32(out->len - at - sizeof(size));
	if (!out->failed)
		memcpy(out->data + at, &size, sizeof(size));
}

static int parquet_compare(const char *a, size_t a_len, const char *b, size_t b_len)
{
	int order = memcmp(a, b, a_len < b_len ? a_len : b_len);

	return order ? order : (a_len > b_len) - (a_len < b_len);
}

static void set_word_range(struct parquet_pages *pages, const struct dictionary *dictionary)
{
	_cleanup_(strbuf) struct strbuf text = STRBUF_INIT;
	bool any = false, all = true;

	for (size_t i = 0; i < dictionary_nr(dictionary); i++) {
		struct strbuf *bounds[] = { &pages->smallest, &pages->largest };

		strbuf_reset(&text);
		add_plain_word(&text, dictionary, i);
		all &= !text.failed && text.len <= LONG_BOUND;
		for (int j = 0; all && j < 2; j++) {
			int order = parquet_compare(text.data + 4, text.len - 4,
						  strbuf_str(bounds[j]), bounds[j]->len);

			if (any && (j ? order <= 0 : order >= 0))
				continue;
			strbuf_reset(bounds[j]);
			strbuf_add(bounds[j], text.data + 4, text.len - 4);
		}
		any = true;
	}
	pages->has_range = any && all;
}

/* Append values that are numbers of words: as numbers or, if that is longer, as texts. */
static void add_plain_words(struct parquet_pages *pages, const struct dictionary *dictionary,
			    const uint32_t *numbers, size_t nr)
{
	size_t words = dictionary_nr(dictionary);
	unsigned int bits;

	if (words > FEW_WORDS && words * WORD_USES > nr) {
		for (size_t i = 0; i < nr; i++)
			add_plain_word(&pages->data, dictionary, numbers[i]);
		return;
	}
	if (!words)
		return;
	pages->nr_words = words;
	for (size_t i = 0; i < words; i++)
		add_plain_word(&pages->words, dictionary, i);
	bits = words > 1 ? parquet_level_bits(words - 1) : 1;
	strbuf_addch(&pages->data, bits);
	parquet_levels_add(&pages->data, numbers, nr, bits);
}

static struct error *add_scalar_words(struct parquet_pages *pages,
				      const struct typed_column *column, size_t rows)
{
	_cleanup_free_ uint32_t *numbers = calloc(column->nr_values + 1, sizeof(*numbers));
	size_t nr = 0;

	if (!numbers)
		return &error_no_memory;
	for (size_t i = 0; i < rows && column->nr_values; i++)
		if (parquet_is_present(column, i))
			numbers[nr++] = ((const uint32_t *)column->values)[i];
	add_plain_words(pages, column->dictionary, numbers, nr);
	set_word_range(pages, column->dictionary);
	return NULL;
}

static void add_plain_bytes(struct parquet_pages *pages, const struct typed_column *column,
			    size_t rows)
{
	for (size_t i = 0; i < rows; i++) {
		uint32_t size = column->offsets[i + 1] - column->offsets[i];

		if (!parquet_is_present(column, i))
			continue;
		parquet_add_u32(&pages->data, size);
		strbuf_add(&pages->data, strbuf_str(&column->items) + column->offsets[i], size);
	}
}

/* Fill pages that are all zero.  The only error is a lack of memory. */
static struct error *parquet_pages_fill(struct parquet_pages *pages,
					const struct typed_column *column, size_t rows)
{
	struct error *err = column->kind == TYPED_WORDS ? add_list_levels(pages, column, rows) :
			    add_scalar_levels(pages, column, rows);

	if (err)
		return err;
	if (column->kind == TYPED_NUMBER)
		add_plain_numbers(pages, column, rows);
	else if (column->kind == TYPED_WORD)
		err = add_scalar_words(pages, column, rows);
	else if (column->kind == TYPED_WORDS)
		add_plain_words(pages, column->dictionary, (const uint32_t *)column->items.data,
				column->items.len / sizeof(uint32_t));
	else
		add_plain_bytes(pages, column, rows);
	if (pages->data.failed || pages->words.failed || pages->smallest.failed ||
	    pages->largest.failed)
		return &error_no_memory;
	return err;
}

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

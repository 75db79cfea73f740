// SPDX-License-Identifier: GPL-2.0
#include "output/columns/parquet_pages.h"

#include <endian.h>
#include <stdlib.h>

#include "lib/utf8.h"
#include "lib/varint.h"

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

enum parquet_type parquet_type_of(const struct typed_column *column)
{
	if (column->kind != TYPED_NUMBER)
		return PARQUET_BYTE_ARRAY;
	return column->size == 8 ? PARQUET_INT64 : PARQUET_INT32;
}

void parquet_pages_deinit(struct parquet_pages *pages)
{
	strbuf_deinit(&pages->words);
	strbuf_deinit(&pages->data);
	strbuf_deinit(&pages->smallest);
	strbuf_deinit(&pages->largest);
}

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

struct error *parquet_pages_fill(struct parquet_pages *pages, const struct typed_column *column,
				 size_t rows)
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

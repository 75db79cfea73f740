/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Samples as rows of typed columns, for formats that store tables by column.  The columns are those
 * of table/samples/sample_rows.h.  Rows are collected until they fill a piece of the file.  If the
 * recording has times of the wall clock, the last column is _realtime:
 *
 *	typed_rows_create(&request, false, &rows);
 *	...
 *	typed_rows_add(rows, r);
 *	if (typed_rows_full(rows)) {
 *		...		write rows->rows rows of each column
 *		typed_rows_clear(rows, false);
 *	}
 */
#ifndef KTRACE_OUTPUT_COLUMNS_TYPED_ROWS_H
#define KTRACE_OUTPUT_COLUMNS_TYPED_ROWS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "columns/dictionary.h"
#include "lib/cleanup.h"
#include "lib/strbuf.h"
#include "output/rendering.h"

enum typed_kind {
	TYPED_NUMBER,
	TYPED_WORD,		/* a text, as its number in the dictionary */
	TYPED_TEXT,		/* a text itself */
	TYPED_BYTES,
	TYPED_WORDS,		/* a list of texts, by their numbers in the dictionary */
};

/* The values of one column.  Rows without a value hold 0 or are empty. */
struct typed_column {
	char *name;		/* UTF-8; owned */
	enum typed_kind kind;
	uint8_t size;		/* bytes of a value: 1, 2, 4 or 8; 0 with offsets */
	bool is_signed;
	bool is_instant;	/* of the wall clock, ns since 1970 */
	size_t nr_values;	/* number of rows with a value */
	uint8_t *present;	/* a bit for each row, the lowest first: it has a value */
	void *values;		/* NUMBER, WORD; NULL: no row has had a value yet */
	/* TEXT, BYTES, WORDS: row i is [offsets[i], offsets[i + 1]) of the items. */
	int32_t *offsets;
	struct strbuf items;	/* the bytes, or numbers of 4 bytes; TEXT is UTF-8 */
	struct dictionary *dictionary;	/* WORD, WORDS; its texts may not be UTF-8 */
};

struct typed_rows {
	struct typed_column *columns;
	size_t nr;
	size_t rows;		/* number of rows */
	struct typed_rows_state *state;
};

/*
 * @request is borrowed; its events are complete.  @keeps_words: dictionaries will live as long as
 * the rows do, so texts of unbounded length are TEXT, and all others WORD.
 */
struct error *typed_rows_create(const struct rendering_request *request, bool keeps_words,
				struct typed_rows **ret);
void typed_rows_destroy(struct typed_rows *rows);

/* Add a row, for which there must be room.  The only error is a lack of memory. */
struct error *typed_rows_add(struct typed_rows *rows, const struct session_record *r);
bool typed_rows_full(const struct typed_rows *rows);

/* Drop the rows and, @with_words, the contents of the dictionaries. */
struct error *typed_rows_clear(struct typed_rows *rows, bool with_words);

#endif

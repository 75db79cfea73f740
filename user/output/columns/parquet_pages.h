/* SPDX-License-Identifier: GPL-2.0 */
/*
 * A column of typed rows as uncompressed pages of Parquet: the words, if it has a dictionary, and
 * the values behind the levels.  The levels define which rows have a value.
 */
#ifndef KTRACE_OUTPUT_COLUMNS_PARQUET_PAGES_H
#define KTRACE_OUTPUT_COLUMNS_PARQUET_PAGES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "lib/cleanup.h"
#include "lib/strbuf.h"
#include "output/columns/typed_rows.h"

/* Numbers of the format. */
enum parquet_type { PARQUET_INT32 = 1, PARQUET_INT64 = 2, PARQUET_BYTE_ARRAY = 6 };

enum parquet_type parquet_type_of(const struct typed_column *column);

struct parquet_pages {
	struct strbuf words, data;
	size_t nr_words;	/* 0: the values are in the page of data itself */
	size_t nr_levels;	/* rows; in lists, their items, and rows without any */
	bool has_range;		/* the values are between these, as Parquet stores them */
	struct strbuf smallest, largest;
};

void parquet_pages_deinit(struct parquet_pages *pages);
DEFINE_CLEANUP(parquet_pages, struct parquet_pages, parquet_pages_deinit)

/* Fill pages that are all zero.  The only error is a lack of memory. */
struct error *parquet_pages_fill(struct parquet_pages *pages, const struct typed_column *column,
				 size_t rows);

#endif

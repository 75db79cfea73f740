/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The text of a browser's rows.
 */
#ifndef KTRACE_BROWSER_ROW_TEXT_H
#define KTRACE_BROWSER_ROW_TEXT_H

#include "browser/rows.h"
#include "lib/color.h"
#include "lib/strbuf.h"

/* The widths of the columns of the keys, in cells. */
struct row_columns {
	size_t widths[MAX_KEYS];
	size_t nr;
	size_t total;		/* of the widest row */
};

/* A coloured part of a line, in bytes. */
struct row_part {
	enum color_role role;
	size_t from, len;
};

/* Choose widths for @rows, so that they fit @cells where possible. */
void row_columns_fit(struct row_columns *columns, const struct rows *rows,
		     const struct rows_view *view, size_t cells);

void row_text_add_head(struct strbuf *out, const struct row_columns *columns,
		       const struct rows_view *view);

/* Append the text of a row, which is escaped; *ret_part is its share of the whole. */
void row_text_add(struct strbuf *out, const struct row_columns *columns, const struct rows *rows,
		  const struct rows_view *view, const struct browser_row *row,
		  struct row_part *ret_part);

/* Append the subject of a row: the function, or the values of all keys; not escaped. */
void row_text_add_name(struct strbuf *out, const struct rows_view *view,
		       const struct browser_row *row);

#endif

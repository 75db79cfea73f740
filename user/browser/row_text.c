// SPDX-License-Identifier: GPL-2.0
#include "browser/row_text.h"

#include <inttypes.h>
#include <string.h>

#include "browser/cells.h"
#include "lib/escape.h"
#include "table/profile/histogram_key_text.h"

/* Widths are chosen by this number of rows, and used for all. */
#define FITTED_ROWS	2000

/* How narrow a column may become, and the room that is left for the last one. */
#define COLUMN_MIN	8
#define LAST_MIN	24

/* "+ ", before the first column. */
#define FOLD_CELLS	2

#define SHARE_CELLS	8
#define SAMPLES_CELLS	10
#define STEP_CELLS	3
#define LEVEL_CELLS	4	/* the indentation of a level of a hierarchy */

static size_t row_text_before_keys(const struct rows_view *view)
{
	return FOLD_CELLS + SHARE_CELLS + (view->options->children ? 2 + SHARE_CELLS : 0) +
	       (view->samples ? 2 + SAMPLES_CELLS : 0);
}

/* The columns before the last one may not be wider than this together. */
static void row_columns_shrink(struct row_columns *columns, size_t room)
{
	size_t sum = 0;

	for (size_t i = 0; i + 1 < columns->nr; i++)
		sum += columns->widths[i];
	while (sum > room) {
		size_t widest = 0;

		for (size_t i = 1; i + 1 < columns->nr; i++)
			if (columns->widths[i] > columns->widths[widest])
				widest = i;
		if (columns->widths[widest] <= COLUMN_MIN)
			break;
		columns->widths[widest]--;
		sum--;
	}
}

void row_columns_fit(struct row_columns *columns, const struct rows *rows,
		     const struct rows_view *view, size_t cells)
{
	const struct histogram_options *options = view->options;
	_cleanup_(strbuf) struct strbuf text = STRBUF_INIT;
	size_t before = row_text_before_keys(view), taken;

	*columns = (struct row_columns){ 0 };
	for (; options->keys[columns->nr] && !view->hierarchy; columns->nr++) {
		size_t column = columns->nr, *width = &columns->widths[column];

		*width = cells_width(histogram_key_text_title(options, column));
		for (size_t i = 0; i < rows->nr && i < FITTED_ROWS; i++) {
			if (rows->items[i].node)
				continue;
			strbuf_reset(&text);
			histogram_key_text_add_whole(&text, options, column, rows->items[i].entry);
			escape_controls(&text, 0);
			taken = cells_width(strbuf_str(&text));
			if (taken > *width)
				*width = taken;
		}
	}
	taken = before + 2 * columns->nr;
	if (columns->nr > 1)
		row_columns_shrink(columns, cells > taken + LAST_MIN ?
						    cells - taken - LAST_MIN : 0);
	columns->total = taken;
	for (size_t i = 0; i < columns->nr; i++)
		columns->total += columns->widths[i];
	for (size_t i = 0; i < rows->nr && i < FITTED_ROWS; i++) {
		struct row_part part;

		if (!rows->items[i].node && !view->hierarchy)
			continue;
		strbuf_reset(&text);
		row_text_add(&text, columns, rows, view, &rows->items[i], &part);
		taken = cells_width(strbuf_str(&text));
		if (taken > columns->total)
			columns->total = taken;
	}
}

void row_text_add_head(struct strbuf *out, const struct row_columns *columns,
		       const struct rows_view *view)
{
	strbuf_addstr(out, view->options->children ? "  Children      Self" : "  Overhead");
	if (view->samples)
		strbuf_addf(out, "  %*s", SAMPLES_CELLS, "Samples");
	for (size_t i = 0; i < columns->nr; i++) {
		strbuf_addstr(out, "  ");
		cells_add_name(out, histogram_key_text_title(view->options, i), columns->widths[i],
			       i + 1 < columns->nr);
	}
	for (size_t i = 0; view->options->keys[i] && view->hierarchy; i++) {
		strbuf_addstr(out, i ? " / " : "  ");
		strbuf_addstr(out, histogram_key_text_title(view->options, i));
	}
}

static double row_share(uint64_t part, uint64_t whole)
{
	return whole ? 100.0 * part / whole : 0;
}

static void row_text_add_share(struct strbuf *out, double percent, const char *format,
			       struct row_part *ret)
{
	ret->role = color_of_percent(percent);
	ret->from = out->len;
	strbuf_addf(out, format, percent);
	ret->len = out->len - ret->from;
}

static void row_text_add_node(struct strbuf *out, const struct browser_row *row,
			      struct row_part *ret_part)
{
	const struct call_frame *frame = &row->node->frame;

	strbuf_addf(out, "%*s%c ", FOLD_CELLS + STEP_CELLS * (int)row->depth +
		    LEVEL_CELLS * (int)row->level, "", row->fold);
	if (row->begins) {
		row_text_add_share(out, row->percent, "%.2f%%", ret_part);
		strbuf_addch(out, ' ');
	}
	if (frame->symbol)
		cells_add_name(out, frame->symbol->name, SIZE_MAX, false);
	else
		strbuf_addf(out, "%#" PRIx64, frame->ip);
}

void row_text_add(struct strbuf *out, const struct row_columns *columns, const struct rows *rows,
		  const struct rows_view *view, const struct browser_row *row,
		  struct row_part *ret_part)
{
	const struct histogram_entry *entry = row->entry;
	_cleanup_(strbuf) struct strbuf text = STRBUF_INIT;
	struct row_part self;

	*ret_part = (struct row_part){ 0 };
	if (row->node) {
		row_text_add_node(out, row, ret_part);
		return;
	}
	strbuf_addf(out, "%*s%c ", LEVEL_CELLS * (int)row->level, "", row->fold);
	if (view->options->children) {
		row_text_add_share(out, row_share(row->children, rows->whole), "%7.2f%%",
				   ret_part);
		strbuf_addstr(out, "  ");
		row_text_add_share(out, row_share(row->period, rows->whole), "%7.2f%%", &self);
	} else {
		row_text_add_share(out, row_share(row->period, rows->whole), "%7.2f%%", ret_part);
	}
	if (view->samples)
		strbuf_addf(out, "  %*" PRIu64, SAMPLES_CELLS, row->samples);
	if (view->hierarchy) {
		strbuf_addstr(out, "  ");
		histogram_key_text_add_whole(&text, view->options, row->level, entry);
		cells_add_name(out, strbuf_str(&text) + strspn(strbuf_str(&text), " "), SIZE_MAX,
			       false);
	}
	for (size_t i = 0; i < columns->nr; i++) {
		bool last = i + 1 == columns->nr;

		strbuf_addstr(out, "  ");
		strbuf_reset(&text);
		histogram_key_text_add_whole(&text, view->options, i, entry);
		cells_add_name(out, strbuf_str(&text), last ? SIZE_MAX : columns->widths[i], !last);
	}
	out->failed |= text.failed;
}

void row_text_add_name(struct strbuf *out, const struct rows_view *view,
		       const struct browser_row *row)
{
	if (row->node && row->node->frame.symbol) {
		strbuf_addstr(out, row->node->frame.symbol->name);
		return;
	}
	if (row->node) {
		strbuf_addf(out, "%#" PRIx64, row->node->frame.ip);
		return;
	}
	if (row->entry->symbol && !row->inner) {
		strbuf_addstr(out, row->entry->symbol->name);
		return;
	}
	if (view->hierarchy) {
		histogram_key_text_add_whole(out, view->options, row->level, row->entry);
		return;
	}
	for (size_t i = 0; view->options->keys[i]; i++) {
		if (i)
			strbuf_addstr(out, "  ");
		histogram_key_text_add_whole(out, view->options, i, row->entry);
	}
}

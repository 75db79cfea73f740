// SPDX-License-Identifier: GPL-2.0
#include "table/profile/histogram_hierarchy.h"

#include <string.h>

#include "lib/color.h"

/* How far each level is indented, as in perf. */
#define INDENT	3

static size_t deepest_indent(const struct histogram_table *t)
{
	return t->report->separator ? 0 : (t->nr_levels - 1) * INDENT;
}

static void add_between(const struct histogram_table *t, struct strbuf *ret)
{
	if (t->report->separator)
		strbuf_addch(ret, t->report->separator);
	else
		strbuf_addstr(ret, "  ");
}

static void add_dots(struct strbuf *ret, size_t nr)
{
	while (nr--)
		strbuf_addch(ret, '.');
}

/* The cell of the key at @position of the options; NULL: it has no column. */
static const struct histogram_cell *cell_of_key(const struct histogram_table *t, size_t position)
{
	size_t key;

	for (size_t i = 0; t->columns[i]; i++)
		if (histogram_table_is_key(t, i, &key) && key == position)
			return &t->cells[i];
	return NULL;
}

/* The titles of all levels, and how wide the texts below them are. */
static size_t add_levels(const struct histogram_table *t, struct strbuf *ret)
{
	size_t from = ret->len, widest;

	for (size_t i = 0; i < t->nr_levels; i++)
		strbuf_addf(ret, "%s%s", i ? " / " : "",
			    histogram_key_text_title(&t->options, t->levels[i]) +
			    strspn(histogram_key_text_title(&t->options, t->levels[i]), " "));
	widest = ret->len - from;
	for (size_t i = 0; i < t->nr_levels; i++) {
		const struct histogram_cell *cell = cell_of_key(t, t->levels[i]);
		size_t width = i * INDENT + (cell ? cell->width : 0);

		if (width > widest)
			widest = width;
	}
	return widest;
}

void histogram_hierarchy_add_head(const struct histogram_table *t, struct strbuf *ret)
{
	bool is_first = true;
	size_t width, key;

	strbuf_addf(ret, "%s# ", color_on(COLOR_HEADING));
	strbuf_add_spaces(ret, deepest_indent(t));
	for (size_t i = 0; t->columns[i]; i++) {
		if (histogram_table_is_key(t, i, &key))
			continue;
		histogram_key_text_add_right(ret, histogram_table_title(t, i), &t->cells[i]);
		add_between(t, ret);
	}
	width = add_levels(t, ret);
	strbuf_addstr(ret, "\n# ");
	add_dots(ret, deepest_indent(t));
	for (size_t i = 0; t->columns[i]; i++) {
		if (histogram_table_is_key(t, i, &key))
			continue;
		if (!is_first && t->report->separator)
			strbuf_addch(ret, t->report->separator);
		else if (!is_first)
			strbuf_addstr(ret, "..");
		is_first = false;
		add_dots(ret, t->cells[i].width);
	}
	add_between(t, ret);
	add_dots(ret, width);
	strbuf_addf(ret, "%s\n#\n", color_off(COLOR_HEADING));
}

/* Append the value of a level, without the blanks that numbers begin with. */
static void add_key(const struct histogram_table *t, const struct histogram_row *row,
		    struct strbuf *ret)
{
	size_t position = t->levels[row->level];
	const struct histogram_cell *cell = cell_of_key(t, position);
	_cleanup_(strbuf) struct strbuf text = STRBUF_INIT;

	if (cell)
		histogram_key_text_add(&text, &t->options, position, cell, row->entry);
	else
		histogram_key_text_add_whole(&text, &t->options, position, row->entry);
	ret->failed |= text.failed;
	strbuf_addstr(ret, strbuf_str(&text) + strspn(strbuf_str(&text), " "));
}

/* The width of all columns of sums, with what is between them. */
static size_t sums_width_of(const struct histogram_table *t)
{
	size_t width = 0, key;

	for (size_t i = 0; t->columns[i]; i++)
		if (!histogram_table_is_key(t, i, &key))
			width += t->cells[i].width + (width ? 2 : 0);
	return width;
}

/* Whether a row that is large enough stands directly below. */
static bool has_children_shown(const struct histogram_table *t, size_t position)
{
	const struct histogram_row *rows = t->rows.items;

	for (size_t i = position + 1; i < rows[position].end; i = rows[i].end)
		if (histogram_table_percent(t, &rows[i]) >= t->report->limit)
			return true;
	return false;
}

void histogram_hierarchy_add_row(const struct histogram_table *t, size_t position,
				 struct strbuf *ret)
{
	const struct histogram_row *row = &t->rows.items[position];
	bool is_first = true;
	size_t key, from;

	strbuf_add_spaces(ret, row->level * INDENT);
	for (size_t i = 0; t->columns[i]; i++) {
		if (histogram_table_is_key(t, i, &key))
			continue;
		if (!is_first || !t->report->separator)
			add_between(t, ret);
		is_first = false;
		from = ret->len;
		histogram_table_add_sums(t, i, row, ret);
		histogram_key_text_pad(ret, from, t->cells[i].width);
	}
	strbuf_add_spaces(ret, deepest_indent(t));
	add_between(t, ret);
	add_key(t, row, ret);
	strbuf_addch(ret, '\n');
	if (row->level + 1 == t->nr_levels || has_children_shown(t, position))
		return;
	if (!t->report->separator)
		strbuf_add_spaces(ret, (t->nr_levels + row->level) * INDENT);
	strbuf_add_spaces(ret, sums_width_of(t) + 4);
	strbuf_addf(ret, "no entry >= %.2f%%\n", t->report->limit);
}

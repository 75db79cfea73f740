// SPDX-License-Identifier: GPL-2.0
#include "table/print/table_print.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "lib/cleanup.h"
#include "lib/csv.h"
#include "lib/escape.h"
#include "lib/number.h"
#include "terminal/terminal.h"

static const char *const table_unit_names[] = {
	[TABLE_COUNT] = "count", [TABLE_NS] = "ns", [TABLE_BYTES] = "bytes",
	[TABLE_PERCENT] = "percent", [TABLE_TIME] = "ns",
};

static const char *const table_type_names[] = {
	[TABLE_TEXT] = "text", [TABLE_UNSIGNED] = "unsigned", [TABLE_SIGNED] = "signed",
	[TABLE_FLOAT] = "float",
};

static const char *table_or(const char *text, const char *otherwise)
{
	return text ? text : otherwise;
}

void table_add_seconds(uint64_t ns, unsigned int width, struct strbuf *out)
{
	number_add_unsigned(out, ns / 1000000000, width > 7 ? width - 7 : 0, ' ');
	strbuf_addch(out, '.');
	number_add_digits(out, ns / 1000 % 1000000, 6);
}

void table_add_rule(const struct table_output *output, const char *before, size_t nr,
		    struct strbuf *out)
{
	if (output->format != TABLE_AS_TEXT)
		return;
	strbuf_addstr(out, before);
	strbuf_pad(out, out->len + nr, '-');
	strbuf_addch(out, '\n');
}

static uint64_t table_member(const struct table_column *column, const void *row)
{
	const char *at = (const char *)row + column->offset;
	uint64_t number;
	uint32_t half;

	if (column->size == sizeof(number)) {
		memcpy(&number, at, sizeof(number));
		return number;
	}
	memcpy(&half, at, sizeof(half));
	return column->type == TABLE_SIGNED ? (uint64_t)(int32_t)half : half;
}

static void table_read_member(const struct table_column *column, const void *row,
			      struct table_value *ret)
{
	const char *text;

	if (column->type == TABLE_FLOAT) {
		memcpy(&ret->real, (const char *)row + column->offset, sizeof(ret->real));
		return;
	}
	if (column->type != TABLE_TEXT) {
		ret->number = table_member(column, row);
		ret->integer = (int64_t)ret->number;
		return;
	}
	memcpy(&text, (const char *)row + column->offset, sizeof(text));
	ret->missing = !text;
	strbuf_addstr(ret->text, table_or(text, ""));
}

/* Get a value; that of TABLE_TEXT is in printer->text. */
static void table_read(struct table_printer *printer, const struct table_column *column,
		       const void *row, struct table_value *ret)
{
	strbuf_reset(&printer->text);
	*ret = (struct table_value){ .text = &printer->text };
	if (column->value)
		column->value(&(struct table_cell){ printer->table, column, row }, ret);
	else
		table_read_member(column, row, ret);
	ret->missing |= column->type == TABLE_FLOAT && !isfinite(ret->real);
}

void table_get_address(const struct table_cell *cell, struct table_value *ret)
{
	strbuf_addf(ret->text, "%#" PRIx64, table_member(cell->column, cell->row));
}

void table_add_address(const struct table_cell *cell, struct strbuf *out)
{
	number_add_hex(out, table_member(cell->column, cell->row), 16, '0');
}

static unsigned int table_number_width(const struct table_column *column)
{
	size_t around = strlen(table_or(column->before, "")) + strlen(table_or(column->behind, ""));
	size_t width = abs(column->width);

	return width > around ? width - around : 0;
}

static void table_add_number(const struct table_column *column, const struct table_value *value,
			     struct strbuf *out)
{
	double divisor = column->divisor ? column->divisor : 1;
	char pad = column->form == TABLE_ZEROES ? '0' : ' ';
	int width = table_number_width(column);
	uint64_t whole = column->divisor ? value->number / (uint64_t)divisor : value->number;

	if (column->form == TABLE_SECONDS)
		table_add_seconds(value->number, width, out);
	else if (column->form == TABLE_THOUSANDS)
		strbuf_addf(out, "%'*" PRIu64, width, whole);
	else if (column->type == TABLE_FLOAT)
		strbuf_addf(out, "%*.*f", width, column->decimals, value->real / divisor);
	else if (column->type == TABLE_SIGNED)
		number_add_signed(out, value->integer, width, pad);
	else if (column->decimals)
		strbuf_addf(out, "%*.*f", width, column->decimals, value->number / divisor);
	else
		number_add_unsigned(out, whole, width, pad);
}

/* Append the text of a value, without padding; nothing if it is missing. */
static void table_add_cell(struct table_printer *printer, const struct table_column *column,
			   const void *row, struct strbuf *out)
{
	struct strbuf *text = &printer->text;
	struct table_value value;

	if (column->add_text) {
		strbuf_reset(text);
		column->add_text(&(struct table_cell){ printer->table, column, row }, text);
	} else {
		table_read(printer, column, row, &value);
		if (value.missing)
			return;
		if (column->type != TABLE_TEXT)
			table_add_number(column, &value, text);
	}
	escape_line_ends(text, 0);
	strbuf_addstr(out, table_or(column->before, ""));
	strbuf_add(out, strbuf_str(text), column->cut && text->len > column->cut ? column->cut :
		   text->len);
	strbuf_addstr(out, table_or(column->behind, ""));
}

/* Pad the text of @out from @begin on to the column's width, aligned as the heading. */
static void table_fill_up(const struct table_column *column, size_t begin, struct strbuf *out)
{
	size_t width = abs(column->width), len = out->len - begin;

	if (len >= width || out->failed)
		return;
	strbuf_add_spaces(out, width - len);
	if (out->failed || (column->type == TABLE_TEXT && column->width < 0))
		return;
	memmove(out->data + begin + width - len, out->data + begin, len);
	memset(out->data + begin, ' ', width - len);
}

static bool table_is_in_text(const struct table_column *column, bool with_heading)
{
	return !column->data_only && (!with_heading || column->heading);
}

/* Append the separator from the column before. */
static void table_add_between(const struct table *table, const struct table_column *column,
			      bool *is_first, struct strbuf *out)
{
	if (!*is_first)
		strbuf_addstr(out, table_or(table_or(column->between, table->between), " "));
	*is_first = false;
}

static void table_add_headings(struct table_printer *printer)
{
	const struct table *t = printer->table;
	const char *right = table_or(t->heading_right, table_or(t->right, ""));
	struct strbuf *out = printer->out;
	bool is_first = true;

	if (t->headings) {
		strbuf_addstr(out, t->headings);
		return;
	}
	strbuf_addstr(out, table_or(t->heading_left, table_or(t->left, "")));
	for (size_t i = 0; i < t->nr; i++) {
		const struct table_column *column = &t->columns[i];
		/* Nothing is behind the last one that blanks would have to lead to. */
		bool is_last = i + 1 == t->nr && !*right;
		size_t begin;

		if (!table_is_in_text(column, true))
			continue;
		table_add_between(t, column, &is_first, out);
		begin = out->len;
		strbuf_addf(out, "%*s", is_last && column->width < 0 ? 0 : column->width,
			    column->heading);
		escape_line_ends(out, begin);
	}
	strbuf_addstr(out, right);
	strbuf_addch(out, '\n');
}

/* Break the text from @begin on, in the line that begins at @line, between its words. */
static void table_wrap(size_t line, size_t begin, struct strbuf *out)
{
	_cleanup_free_ char *text = out->failed ? NULL : strdup(out->data + begin);
	size_t column;

	if (!text)
		return;
	column = terminal_width_of(out->data + line, begin - line);
	out->data[out->len = begin] = '\0';
	terminal_add_wrapped(out, text, column, column, terminal_columns());
}

static void table_add_row_text(struct table_printer *printer, const void *row)
{
	const struct table *t = printer->table;
	struct strbuf *out = printer->out;
	size_t line = out->len;
	bool is_first = true;

	strbuf_addstr(out, table_or(t->left, ""));
	for (size_t i = 0; i < t->nr; i++) {
		size_t begin;

		if (!table_is_in_text(&t->columns[i], false))
			continue;
		table_add_between(t, &t->columns[i], &is_first, out);
		begin = out->len;
		table_add_cell(printer, &t->columns[i], row, out);
		if (t->columns[i].wraps)
			table_wrap(line, begin, out);
		else
			table_fill_up(&t->columns[i], begin, out);
	}
	strbuf_addstr(out, table_or(t->right, ""));
	strbuf_addch(out, '\n');
}

void table_add_more(struct table_printer *printer)
{
	const struct table *t = printer->table;
	bool is_first = true;

	if (printer->format != TABLE_AS_TEXT)
		return;
	strbuf_addstr(printer->out, table_or(t->left, ""));
	for (size_t i = 0; i < t->nr; i++) {
		const struct table_column *column = &t->columns[i];
		int width = abs(column->width);

		if (!table_is_in_text(column, true))
			continue;
		if (i + 1 < t->nr && (int)strlen(column->heading) > width)
			width = strlen(column->heading);
		table_add_between(t, column, &is_first, printer->out);
		strbuf_addf(printer->out, "%-*s", width, "...");
	}
	strbuf_addstr(printer->out, table_or(t->right, ""));
	strbuf_addch(printer->out, '\n');
}

static void table_add_name(const struct table_column *column, struct strbuf *out)
{
	strbuf_addstr(out, column->name);
	if (column->unit == TABLE_NO_UNIT || column->unit == TABLE_COUNT)
		return;
	strbuf_addch(out, '_');
	strbuf_addstr(out, table_unit_names[column->unit]);
}

/* Append the value of a column, which is in printer->text if it is a text. */
static void table_add_csv_value(struct table_printer *printer, const struct table_column *column,
				const struct table_value *value)
{
	struct strbuf *out = printer->out;

	if (value->missing)
		return;
	switch (column->type) {
	case TABLE_TEXT:
		csv_add_separated(out, strbuf_str(&printer->text), printer->text.len,
				  printer->separator);
		break;
	case TABLE_UNSIGNED:
		number_add_unsigned(out, value->number, 0, ' ');
		break;
	case TABLE_SIGNED:
		number_add_signed(out, value->integer, 0, ' ');
		break;
	case TABLE_FLOAT:
		number_add_double(out, value->real);
	}
}

/* @row NULL: the names. */
static void table_add_csv(struct table_printer *printer, const void *row)
{
	const struct table *t = printer->table;
	struct table_value value;
	bool is_first = true;

	for (size_t i = 0; i < t->nr; i++) {
		if (!t->columns[i].name)
			continue;
		if (!is_first)
			strbuf_addch(printer->out, printer->separator);
		is_first = false;
		if (!row) {
			table_add_name(&t->columns[i], printer->out);
			continue;
		}
		table_read(printer, &t->columns[i], row, &value);
		table_add_csv_value(printer, &t->columns[i], &value);
	}
	strbuf_addch(printer->out, '\n');
}

static void table_add_json_value(struct table_printer *printer, const struct table_column *column,
				 const char *name, const struct table_value *value)
{
	struct json_writer *json = &printer->json;

	if (value->missing) {
		json_add_null(json, name);
		return;
	}
	switch (column->type) {
	case TABLE_TEXT:
		json_add_bytes(json, name, strbuf_str(&printer->text), printer->text.len);
		break;
	case TABLE_UNSIGNED:
		json_add_unsigned(json, name, value->number);
		break;
	case TABLE_SIGNED:
		json_add_signed(json, name, value->integer);
		break;
	case TABLE_FLOAT:
		json_add_double(json, name, value->real);
	}
}

static void table_add_json_column(struct table_printer *printer, const struct table_column *column)
{
	struct json_writer *json = &printer->json;

	strbuf_reset(&printer->text);
	table_add_name(column, &printer->text);
	json_begin_row(json, NULL);
	json_add_text(json, "name", strbuf_str(&printer->text));
	json_add_text(json, "unit", table_unit_names[column->unit]);
	json_add_text(json, "type", table_type_names[column->type]);
	json_end_object(json);
}

static void table_begin_json(struct table_printer *printer, const struct table_output *output)
{
	const struct table *t = printer->table;
	struct json_writer *json = &printer->json;

	*json = (struct json_writer){ .out = printer->out };
	json_begin_object(json, NULL);
	json_add_unsigned(json, "schema", TABLE_SCHEMA);
	json_add_text(json, "table", t->name);
	json_add_bool(json, "exact", !output->lost && !output->damaged);
	json_add_unsigned(json, "lost", output->lost);
	json_begin_array(json, "columns");
	for (size_t i = 0; i < t->nr; i++)
		if (t->columns[i].name)
			table_add_json_column(printer, &t->columns[i]);
	json_end_array(json);
	json_begin_array(json, "rows");
}

static void table_add_json_row(struct table_printer *printer, const void *row)
{
	const struct table *t = printer->table;
	_cleanup_(strbuf) struct strbuf name = STRBUF_INIT;
	struct table_value value;

	json_begin_row(&printer->json, NULL);
	for (size_t i = 0; i < t->nr; i++) {
		if (!t->columns[i].name)
			continue;
		strbuf_reset(&name);
		table_add_name(&t->columns[i], &name);
		table_read(printer, &t->columns[i], row, &value);
		table_add_json_value(printer, &t->columns[i], strbuf_str(&name), &value);
	}
	json_end_object(&printer->json);
	printer->out->failed |= name.failed;
}

static void table_give_columns(struct table_printer *printer)
{
	const struct table *t = printer->table;

	for (size_t i = 0; i < t->nr; i++) {
		if (!t->columns[i].name)
			continue;
		strbuf_reset(&printer->text);
		table_add_name(&t->columns[i], &printer->text);
		printer->sink->column(printer->sink, &t->columns[i], strbuf_str(&printer->text));
	}
}

static void table_give_row(struct table_printer *printer, const void *row)
{
	const struct table *t = printer->table;
	struct table_value value;
	size_t at = 0;

	for (size_t i = 0; i < t->nr; i++) {
		if (!t->columns[i].name)
			continue;
		table_read(printer, &t->columns[i], row, &value);
		printer->sink->value(printer->sink, at++, &value);
	}
	printer->sink->end_row(printer->sink);
}

void table_begin(struct table_printer *printer, const struct table *table,
		 const struct table_output *output, struct strbuf *out)
{
	*printer = (struct table_printer){
		.table = table, .format = output->format, .out = out,
		.separator = output->separator ? output->separator : ',', .sink = output->sink,
	};
	if (output->format == TABLE_AS_JSON)
		table_begin_json(printer, output);
	else if (output->format == TABLE_AS_VALUES)
		table_give_columns(printer);
	else if (output->format == TABLE_AS_CSV)
		table_add_csv(printer, NULL);
	else
		table_add_headings(printer);
}

void table_add_row(struct table_printer *printer, const void *row)
{
	if (printer->format == TABLE_AS_JSON)
		table_add_json_row(printer, row);
	else if (printer->format == TABLE_AS_VALUES)
		table_give_row(printer, row);
	else if (printer->format == TABLE_AS_CSV)
		table_add_csv(printer, row);
	else
		table_add_row_text(printer, row);
}

void table_end(struct table_printer *printer)
{
	if (printer->format == TABLE_AS_JSON) {
		json_end_array(&printer->json);
		json_end_object(&printer->json);
		json_end(&printer->json);
	}
	printer->out->failed |= printer->text.failed;
	strbuf_deinit(&printer->text);
}

void table_add_all(const struct table *table, const struct table_output *output, const void *rows,
		   size_t nr, size_t size, struct strbuf *out)
{
	struct table_printer printer;

	table_begin(&printer, table, output, out);
	for (size_t i = 0; i < nr; i++)
		table_add_row(&printer, (const char *)rows + i * size);
	table_end(&printer);
}

// SPDX-License-Identifier: GPL-2.0
#include "sql/result_text.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lib/array.h"
#include "lib/csv.h"
#include "lib/escape.h"
#include "lib/json.h"
#include "lib/number.h"
#include "lib/strbuf.h"

/* The widths of a table's columns are those of the first rows. */
#define ROWS_MEASURED	1000

struct result {
	sqlite3_stmt *statement;
	int nr_columns;
	int *widths;
	struct strbuf digits;	/* of the last value of bytes */
	struct {
		char **items;	/* the values of the first rows, row by row; owned */
		size_t nr, alloc;
	} first;
};

static void result_deinit(struct result *result)
{
	array_free_each(&result->first);
	free(result->widths);
	strbuf_deinit(&result->digits);
}
DEFINE_CLEANUP(result, struct result, result_deinit)

static struct error *query_failed(sqlite3_stmt *statement)
{
	sqlite3 *db = sqlite3_db_handle(statement);

	if (sqlite3_errcode(db) == SQLITE_INTERRUPT)
		return error_new(EINTR, "The query was interrupted");
	return error_new(EIO, "The query failed: %s", sqlite3_errmsg(db));
}

/* Valid until the next call for this result.  Bytes have two digits each, as in exported files. */
static const char *column_text(struct result *result, int i)
{
	const unsigned char *bytes;
	const char *text;
	int nr;

	if (sqlite3_column_type(result->statement, i) != SQLITE_BLOB) {
		text = (const char *)sqlite3_column_text(result->statement, i);
		return text ? text : "";
	}
	bytes = sqlite3_column_blob(result->statement, i);
	nr = sqlite3_column_bytes(result->statement, i);
	strbuf_reset(&result->digits);
	for (int k = 0; k < nr; k++)
		number_add_hex(&result->digits, bytes[k], 2, '0');
	return strbuf_str(&result->digits);
}

static bool is_number(sqlite3_stmt *statement, int i)
{
	int type = sqlite3_column_type(statement, i);

	return type == SQLITE_INTEGER || type == SQLITE_FLOAT;
}

/* Print one value of a table; the last column needs no blanks behind it. */
static void print_cell(const struct result *result, int i, const char *text, bool right)
{
	_cleanup_(strbuf) struct strbuf cell = STRBUF_INIT;
	int width = result->widths[i];

	strbuf_addstr(&cell, text);
	escape_line_ends(&cell, 0);
	if (i + 1 == result->nr_columns && !right)
		width = 0;
	printf("%s%*s", i ? "  " : "", right ? width : -width, strbuf_str(&cell));
	if (i + 1 == result->nr_columns)
		putchar('\n');
}

/* Numbers are aligned to the right; @text of a measured row begins with a mark of its kind. */
static void print_measured(const struct result *result)
{
	for (size_t i = 0; i < result->first.nr; i++) {
		const char *text = result->first.items[i];

		print_cell(result, i % result->nr_columns, text + 1, *text == 'n');
	}
}

static void print_head(const struct result *result)
{
	for (int i = 0; i < result->nr_columns; i++)
		print_cell(result, i, sqlite3_column_name(result->statement, i),
			   result->first.nr && *result->first.items[i] == 'n');
	for (int i = 0; i < result->nr_columns; i++) {
		for (int k = 0; k < result->widths[i]; k++)
			putchar('-');
		fputs(i + 1 < result->nr_columns ? "  " : "\n", stdout);
	}
}

static void widen(struct result *result, int i, const char *text)
{
	int width = strlen(text);

	if (width > result->widths[i])
		result->widths[i] = width;
}

static bool measure_row(struct result *result)
{
	for (int i = 0; i < result->nr_columns; i++) {
		char *copy;

		if (asprintf(&copy, "%c%s", is_number(result->statement, i) ? 'n' : 't',
			     column_text(result, i)) < 0)
			return false;
		if (!array_push(&result->first, copy)) {
			free(copy);
			return false;
		}
		widen(result, i, copy + 1);
	}
	return true;
}

static struct error *print_table(struct result *result)
{
	int status = SQLITE_ROW;

	result->widths = calloc(result->nr_columns, sizeof(*result->widths));
	if (!result->widths)
		return &error_no_memory;
	for (int i = 0; i < result->nr_columns; i++)
		widen(result, i, sqlite3_column_name(result->statement, i));
	for (int row = 0; row < ROWS_MEASURED && status == SQLITE_ROW; row++) {
		status = sqlite3_step(result->statement);
		if (status == SQLITE_ROW && !measure_row(result))
			return &error_no_memory;
	}
	if (status != SQLITE_ROW && status != SQLITE_DONE)
		return query_failed(result->statement);
	print_head(result);
	print_measured(result);
	while (status == SQLITE_ROW && !ferror(stdout) &&
	       (status = sqlite3_step(result->statement)) == SQLITE_ROW)
		for (int i = 0; i < result->nr_columns; i++)
			print_cell(result, i, column_text(result, i),
				   is_number(result->statement, i));
	return status == SQLITE_DONE || ferror(stdout) ? NULL : query_failed(result->statement);
}

static void print_csv_value(struct strbuf *line, const char *text, bool is_a_number, bool is_last)
{
	if (is_a_number)
		strbuf_addstr(line, text);
	else
		csv_add_text(line, text, strlen(text));
	strbuf_addch(line, is_last ? '\n' : ',');
	if (!is_last)
		return;
	fputs(strbuf_str(line), stdout);
	strbuf_reset(line);
}

static struct error *print_csv(struct result *result)
{
	_cleanup_(strbuf) struct strbuf line = STRBUF_INIT;
	int status = SQLITE_DONE, last = result->nr_columns - 1;

	for (int i = 0; i < result->nr_columns; i++)
		print_csv_value(&line, sqlite3_column_name(result->statement, i), false, i == last);
	while (!ferror(stdout) && (status = sqlite3_step(result->statement)) == SQLITE_ROW)
		for (int i = 0; i < result->nr_columns; i++)
			print_csv_value(&line, column_text(result, i),
					is_number(result->statement, i), i == last);
	if (line.failed)
		return &error_no_memory;
	return ferror(stdout) || status == SQLITE_DONE ? NULL : query_failed(result->statement);
}

static void add_json_value(struct json_writer *json, struct result *result, int i)
{
	sqlite3_stmt *statement = result->statement;
	const char *name = sqlite3_column_name(statement, i);

	switch (sqlite3_column_type(statement, i)) {
	case SQLITE_INTEGER:
		json_add_signed(json, name, sqlite3_column_int64(statement, i));
		break;
	case SQLITE_FLOAT:
		json_add_double(json, name, sqlite3_column_double(statement, i));
		break;
	case SQLITE_NULL:
		json_add_null(json, name);
		break;
	case SQLITE_BLOB:
		json_add_text(json, name, column_text(result, i));
		break;
	default:
		json_add_bytes(json, name, column_text(result, i),
			       sqlite3_column_bytes(statement, i));
	}
}

static struct error *print_json_rows(struct result *result)
{
	_cleanup_(strbuf) struct strbuf text = STRBUF_INIT;
	struct json_writer json = { .out = &text };
	int status = SQLITE_DONE;

	json_begin_array(&json, NULL);
	while (!ferror(stdout) && (status = sqlite3_step(result->statement)) == SQLITE_ROW) {
		json_begin_row(&json, NULL);
		for (int i = 0; i < result->nr_columns; i++)
			add_json_value(&json, result, i);
		json_end_object(&json);
		if (text.failed)
			return &error_no_memory;
		fwrite(text.data, 1, text.len, stdout);
		strbuf_reset(&text);
	}
	json_end_array(&json);
	json_end(&json);
	if (text.failed)
		return &error_no_memory;
	fwrite(strbuf_str(&text), 1, text.len, stdout);
	return ferror(stdout) || status == SQLITE_DONE ? NULL : query_failed(result->statement);
}

struct error *result_text_print(sqlite3_stmt *statement, enum result_format format)
{
	_cleanup_(result) struct result result = {
		.statement = statement, .nr_columns = sqlite3_column_count(statement),
	};
	struct error *err;

	if (!result.nr_columns)
		return sqlite3_step(statement) == SQLITE_DONE ? NULL : query_failed(statement);
	switch (format) {
	case RESULT_CSV:
		err = print_csv(&result);
		break;
	case RESULT_JSON:
		err = print_json_rows(&result);
		break;
	default:
		err = print_table(&result);
	}
	return !err && result.digits.failed ? &error_no_memory : err;
}

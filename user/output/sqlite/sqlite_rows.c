// SPDX-License-Identifier: GPL-2.0
#include "output/sqlite/sqlite.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lib/strbuf.h"
#include "lib/utf8.h"
#include "output/sqlite/sqlite_state.h"

/* Number of rows that SQLite gets at once, unless their texts need more bytes than this. */
#define MANY_ROWS	512
#define MANY_BYTES	(1 << 20)

/* Columns that may turn out to be constant: those with a bit in a mask. */
#define MASK_COLUMNS	64

struct sqlite_cell {
	enum { CELL_NULL, CELL_NUMBER, CELL_TEXT, CELL_BYTES } type;
	uint32_t len;			/* of a text or bytes */
	union {
		int64_t number;
		size_t at;		/* in the bytes of the rows */
	};
};

struct sqlite_rows {
	struct sqlite *db;
	char *table;			/* owned */
	unsigned int number;
	size_t nr_columns, nr, at;	/* the next value is column @at of row @nr */
	struct sqlite_cell *cells;	/* MANY_ROWS rows in sequence; owned */
	struct strbuf bytes;
	uint64_t varying;		/* columns that had different values in one batch */
	sqlite3_stmt *insert;		/* NULL: not prepared; owned */
	uint64_t prepared;		/* the value of `varying` then */
};

struct row_source {
	sqlite3_vtab base;
	struct sqlite_rows *rows;
};

struct row_cursor {
	sqlite3_vtab_cursor base;
	const struct sqlite_rows *rows;
	const struct sqlite_cell *row;
	size_t number;
};

/* Whether the statement reads a column from the rows.  Other columns are set once a batch. */
static bool is_varying(uint64_t varying, size_t column)
{
	return column >= MASK_COLUMNS || varying >> column & 1;
}

static int row_source_connect(sqlite3 *handle, void *data, int argc, const char *const *argv,
			      sqlite3_vtab **ret, char **message)
{
	_cleanup_(strbuf) struct strbuf sql = STRBUF_INIT;
	struct sqlite_rows *rows = data;
	struct row_source *source;
	int status;

	for (size_t i = 0; i < rows->nr_columns; i++)
		strbuf_addf(&sql, "%sc%zu", i ? ", " : "CREATE TABLE t (", i);
	strbuf_addch(&sql, ')');
	if (sql.failed)
		return SQLITE_NOMEM;
	status = sqlite3_declare_vtab(handle, sql.data);
	if (status)
		return status;
	source = calloc(1, sizeof(*source));
	if (!source)
		return SQLITE_NOMEM;
	source->rows = rows;
	*ret = &source->base;
	return SQLITE_OK;
}

static int row_source_disconnect(sqlite3_vtab *base)
{
	free(base);
	return SQLITE_OK;
}

static int row_source_best_index(sqlite3_vtab *base, sqlite3_index_info *info)
{
	info->estimatedRows = MANY_ROWS;
	return SQLITE_OK;
}

static int row_source_open(sqlite3_vtab *base, sqlite3_vtab_cursor **ret)
{
	struct row_cursor *cursor = calloc(1, sizeof(*cursor));

	if (!cursor)
		return SQLITE_NOMEM;
	cursor->rows = ((struct row_source *)base)->rows;
	*ret = &cursor->base;
	return SQLITE_OK;
}

static int row_source_close(sqlite3_vtab_cursor *base)
{
	free(base);
	return SQLITE_OK;
}

static int row_source_filter(sqlite3_vtab_cursor *base, int number, const char *plan, int argc,
			     sqlite3_value **argv)
{
	struct row_cursor *cursor = (struct row_cursor *)base;

	cursor->row = cursor->rows->cells;
	cursor->number = 0;
	return SQLITE_OK;
}

static int row_source_next(sqlite3_vtab_cursor *base)
{
	struct row_cursor *cursor = (struct row_cursor *)base;

	cursor->row += cursor->rows->nr_columns;
	cursor->number++;
	return SQLITE_OK;
}

static int row_source_eof(sqlite3_vtab_cursor *base)
{
	const struct row_cursor *cursor = (const struct row_cursor *)base;

	return cursor->number >= cursor->rows->nr;
}

static int row_source_column(sqlite3_vtab_cursor *base, sqlite3_context *context, int at)
{
	const struct row_cursor *cursor = (const struct row_cursor *)base;
	const struct sqlite_cell *cell = &cursor->row[at];
	const char *bytes = cursor->rows->bytes.data;

	switch (cell->type) {
	case CELL_NUMBER:
		sqlite3_result_int64(context, cell->number);
		break;
	case CELL_TEXT:
		sqlite3_result_text64(context, cell->len ? bytes + cell->at : "", cell->len,
				      SQLITE_STATIC, SQLITE_UTF8);
		break;
	case CELL_BYTES:
		sqlite3_result_blob64(context, cell->len ? bytes + cell->at : "", cell->len,
				      SQLITE_STATIC);
		break;
	case CELL_NULL:
		break;
	}
	return SQLITE_OK;
}

static int row_source_rowid(sqlite3_vtab_cursor *base, sqlite3_int64 *ret)
{
	*ret = ((const struct row_cursor *)base)->number;
	return SQLITE_OK;
}

/* Without xCreate, each connection has one table of the name of the module, and stores none. */
static const sqlite3_module row_source_module = {
	.xConnect = row_source_connect, .xBestIndex = row_source_best_index,
	.xDisconnect = row_source_disconnect, .xOpen = row_source_open,
	.xClose = row_source_close, .xFilter = row_source_filter, .xNext = row_source_next,
	.xEof = row_source_eof, .xColumn = row_source_column, .xRowid = row_source_rowid,
};

struct error *sqlite_rows_create(struct sqlite *db, const char *table, size_t nr_columns,
				 struct sqlite_rows **ret)
{
	struct sqlite_rows *rows = calloc(1, sizeof(*rows));
	char name[32];

	if (!rows)
		return &error_no_memory;
	rows->db = db;
	rows->nr_columns = nr_columns;
	rows->number = db->nr_rows++;
	rows->table = strdup(table);
	rows->cells = calloc(MANY_ROWS * nr_columns, sizeof(*rows->cells));
	if (!rows->table || !rows->cells) {
		sqlite_rows_destroy(rows);
		return &error_no_memory;
	}
	snprintf(name, sizeof(name), "ktrace_rows_%u", rows->number);
	if (sqlite3_create_module(db->handle, name, &row_source_module, rows)) {
		sqlite_rows_destroy(rows);
		return sqlite_failed(db);
	}
	*ret = rows;
	return NULL;
}

void sqlite_rows_destroy(struct sqlite_rows *rows)
{
	if (!rows)
		return;
	sqlite3_finalize(rows->insert);
	strbuf_deinit(&rows->bytes);
	free(rows->cells);
	free(rows->table);
	free(rows);
}

static struct sqlite_cell *next_cell(struct sqlite_rows *rows)
{
	return &rows->cells[rows->nr * rows->nr_columns + rows->at];
}

static void end_cell(struct sqlite_rows *rows, bool is_other)
{
	rows->varying |= rows->at < MASK_COLUMNS ? (uint64_t)is_other << rows->at : 0;
	rows->at++;
}

void sqlite_rows_add_null(struct sqlite_rows *rows)
{
	const struct sqlite_cell *first = &rows->cells[rows->at];

	next_cell(rows)->type = CELL_NULL;
	end_cell(rows, first->type != CELL_NULL);
}

void sqlite_rows_add_number(struct sqlite_rows *rows, int64_t value)
{
	const struct sqlite_cell *first = &rows->cells[rows->at];
	struct sqlite_cell *cell = next_cell(rows);

	cell->type = CELL_NUMBER;
	cell->number = value;
	end_cell(rows, first->type != CELL_NUMBER || first->number != value);
}

static struct sqlite_cell *begin_bytes(struct sqlite_rows *rows, int type)
{
	struct sqlite_cell *cell = next_cell(rows);

	cell->type = type;
	cell->at = rows->bytes.len;
	return cell;
}

/* Readers expect UTF-8: for some of them, other bytes make a whole column unreadable. */
void sqlite_rows_add_text(struct sqlite_rows *rows, const char *text, size_t len)
{
	struct sqlite_cell *cell = begin_bytes(rows, CELL_TEXT);

	utf8_add(&rows->bytes, text, len);
	cell->len = rows->bytes.len - cell->at;
	end_cell(rows, true);
}

void sqlite_rows_add_bytes(struct sqlite_rows *rows, const void *bytes, size_t len)
{
	struct sqlite_cell *cell = begin_bytes(rows, CELL_BYTES);

	strbuf_add(&rows->bytes, bytes, len);
	cell->len = len;
	end_cell(rows, true);
}

/*
 * A column with one value in all rows of a batch is a '?' of the statement, which SQLite reads once
 * a batch.  A column that once varied stays a column: otherwise the statement would be prepared
 * again and again.
 */
static struct error *prepare_insert(struct sqlite_rows *rows)
{
	_cleanup_(strbuf) struct strbuf sql = STRBUF_INIT;

	if (rows->insert && rows->prepared == rows->varying)
		return NULL;
	sqlite3_finalize(rows->insert);
	rows->insert = NULL;
	strbuf_addf(&sql, "INSERT INTO %s SELECT ", rows->table);
	for (size_t i = 0; i < rows->nr_columns; i++) {
		strbuf_addstr(&sql, i ? ", " : "");
		if (is_varying(rows->varying, i))
			strbuf_addf(&sql, "c%zu", i);
		else
			strbuf_addf(&sql, "?%zu", i + 1);
	}
	strbuf_addf(&sql, " FROM ktrace_rows_%u", rows->number);
	if (sql.failed)
		return &error_no_memory;
	if (sqlite3_prepare_v3(rows->db->handle, sql.data, -1, SQLITE_PREPARE_PERSISTENT,
			       &rows->insert, NULL))
		return sqlite_failed(rows->db);
	rows->prepared = rows->varying;
	return NULL;
}

struct error *sqlite_rows_flush(struct sqlite_rows *rows)
{
	struct error *err;

	if (!rows->nr)
		return NULL;
	err = rows->bytes.failed ? &error_no_memory : prepare_insert(rows);
	if (err)
		return err;
	for (size_t i = 0; i < rows->nr_columns; i++) {
		if (is_varying(rows->varying, i))
			continue;
		if (rows->cells[i].type == CELL_NUMBER)
			sqlite3_bind_int64(rows->insert, i + 1, rows->cells[i].number);
		else
			sqlite3_bind_null(rows->insert, i + 1);
	}
	if (sqlite3_step(rows->insert) != SQLITE_DONE)
		err = sqlite_failed(rows->db);
	sqlite3_reset(rows->insert);
	strbuf_reset(&rows->bytes);
	rows->nr = 0;
	return err;
}

struct error *sqlite_rows_end_row(struct sqlite_rows *rows)
{
	rows->at = 0;
	rows->nr++;
	if (rows->nr < MANY_ROWS && rows->bytes.len < MANY_BYTES)
		return NULL;
	return sqlite_rows_flush(rows);
}

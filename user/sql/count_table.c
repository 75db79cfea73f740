// SPDX-License-Identifier: GPL-2.0
#include "sql/count_table.h"

#include <stdlib.h>

#include "sql/sample_counts.h"

struct count_table {
	sqlite3_vtab base;
	struct sample_tables *tables;	/* counted */
};

struct count_cursor {
	sqlite3_vtab_cursor base;
	uint64_t *counts;		/* by the index of the event */
	size_t row;
};

static int count_table_connect(sqlite3 *db, void *data, int argc, const char *const *argv,
			       sqlite3_vtab **ret, char **message)
{
	struct count_table *table = calloc(1, sizeof(*table));
	struct error *err;
	int status;

	if (!table)
		return SQLITE_NOMEM;
	err = sql_recordings_find(data, argc > 3 ? argv[3] : "", &table->tables);
	status = err ? sample_table_failed(message, err) :
		 sqlite3_declare_vtab(db, "CREATE TABLE t (event text, samples integer)");
	if (status) {
		sample_tables_put(table->tables);
		free(table);
		return status;
	}
	*ret = &table->base;
	return SQLITE_OK;
}

static int count_table_disconnect(sqlite3_vtab *base)
{
	sample_tables_put(((struct count_table *)base)->tables);
	free(base);
	return SQLITE_OK;
}

/* Every query counts everything once. */
static int count_table_best_index(sqlite3_vtab *base, sqlite3_index_info *info)
{
	info->estimatedCost = 1000000;
	info->estimatedRows = 10;
	return SQLITE_OK;
}

static int count_table_open(sqlite3_vtab *base, sqlite3_vtab_cursor **ret)
{
	struct count_cursor *cursor = calloc(1, sizeof(*cursor));

	if (!cursor)
		return SQLITE_NOMEM;
	*ret = &cursor->base;
	return SQLITE_OK;
}

static int count_table_close(sqlite3_vtab_cursor *base)
{
	struct count_cursor *cursor = (struct count_cursor *)base;

	free(cursor->counts);
	free(cursor);
	return SQLITE_OK;
}

static int count_table_filter(sqlite3_vtab_cursor *base, int number, const char *plan, int argc,
			      sqlite3_value **argv)
{
	struct count_cursor *cursor = (struct count_cursor *)base;
	struct count_table *table = (struct count_table *)base->pVtab;
	_cleanup_(reader) struct reader *reader = NULL;
	struct error *err;

	cursor->row = 0;
	free(cursor->counts);
	cursor->counts = NULL;
	err = sample_tables_open(table->tables, &reader);
	if (!err)
		err = sample_counts_read(reader, &cursor->counts);
	return err ? sample_table_failed(&table->base.zErrMsg, err) : SQLITE_OK;
}

static const struct event_list *count_table_events(const struct count_cursor *cursor)
{
	const struct count_table *table = (const struct count_table *)cursor->base.pVtab;

	return reader_events(table->tables->reader);
}

static int count_table_next(sqlite3_vtab_cursor *base)
{
	((struct count_cursor *)base)->row++;
	return SQLITE_OK;
}

static int count_table_eof(sqlite3_vtab_cursor *base)
{
	const struct count_cursor *cursor = (const struct count_cursor *)base;

	return cursor->row >= count_table_events(cursor)->nr;
}

static int count_table_column(sqlite3_vtab_cursor *base, sqlite3_context *context, int at)
{
	const struct count_cursor *cursor = (const struct count_cursor *)base;
	const struct event_list *events = count_table_events(cursor);

	if (at)
		sqlite3_result_int64(context, cursor->counts[cursor->row]);
	else
		sqlite3_result_text(context, events->items[cursor->row]->name, -1,
				    SQLITE_TRANSIENT);
	return SQLITE_OK;
}

static int count_table_rowid(sqlite3_vtab_cursor *base, sqlite3_int64 *ret)
{
	*ret = ((const struct count_cursor *)base)->row;
	return SQLITE_OK;
}

const sqlite3_module count_table_module = {
	.xCreate = count_table_connect, .xConnect = count_table_connect,
	.xBestIndex = count_table_best_index,
	.xDisconnect = count_table_disconnect, .xDestroy = count_table_disconnect,
	.xOpen = count_table_open, .xClose = count_table_close,
	.xFilter = count_table_filter, .xNext = count_table_next,
	.xEof = count_table_eof, .xColumn = count_table_column,
	.xRowid = count_table_rowid,
};

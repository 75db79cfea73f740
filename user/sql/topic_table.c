// SPDX-License-Identifier: GPL-2.0
#include "sql/topic_table.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>

#include "lib/log.h"
#include "session/session.h"
#include "sql/column_value.h"
#include "sql/interruption.h"
#include "table/samples/reader_machine.h"
#include "table/table_values.h"
#include "table/tables.h"

/* Behind the columns of the table. */
enum { TOPIC_LOST, TOPIC_EXACT };

struct topic_table {
	sqlite3_vtab base;
	struct sample_tables *tables;	/* counted */
	const struct table_row *row;
	/* The recording is read once, however many queries use the rows. */
	bool is_read;
	struct table_values values;
	struct strbuf told;		/* the provider's notes about its numbers */
	uint64_t lost, corrupt;
	bool is_truncated;
};

struct topic_cursor {
	sqlite3_vtab_cursor base;
	bool is_told;			/* a join reads the same rows again */
	size_t row;
};

static struct error *topic_read_session(struct topic_table *table, struct reader *reader,
					struct machine *machine)
{
	const struct table_source source = {
		reader_events(reader), reader_formats(reader), machine, reader_header(reader),
		reader_ledger_read(reader),
	};
	struct session session = {
		.source = reader_source(reader), .events = reader_events(reader),
		.formats = reader_formats(reader), .machine = machine, .stop = &sql_interrupted,
	};
	_cleanup_(table_maker) struct table_maker *maker = NULL;
	struct error *err = table_maker_create(table->row->provider, &source, &maker);

	if (!err)
		err = session_run(&session, maker->consumer);
	if (!err)
		err = sql_interruption();
	if (err)
		return err;
	maker->damaged = session.corrupt || source.header->is_truncated;
	err = table_values_take(maker, &table->values);
	if (err)
		return err;
	table_maker_tell(maker, &table->told);
	table->lost = session.lost;
	table->corrupt = session.corrupt;
	table->is_truncated = reader_header(reader)->is_truncated;
	return NULL;
}

/* Print the notes about missing data once per cursor. */
static void topic_tell(const struct topic_table *table, struct topic_cursor *cursor)
{
	if (cursor->is_told)
		return;
	cursor->is_told = true;
	if (table->told.len)
		log_notice("%s", table->told.data);
	if (table->lost)
		log_warning("%" PRIu64 " events were lost while recording, so %s is not exact.",
			    table->lost, table->row->name);
	if (table->corrupt)
		log_warning("%" PRIu64 " damaged samples were left out, so %s is not exact.",
			    table->corrupt, table->row->name);
}

static struct error *topic_read(struct topic_table *table)
{
	static const struct symbol_options options;
	const struct table_provider *provider = table->row->provider;
	_cleanup_(reader) struct reader *reader = NULL;
	struct machine *machine = NULL;
	struct error *err;

	if (reader_joined(table->tables->reader))
		return error_hint(error_new(EINVAL, "The table %s is of one recording, not of several",
					    table->row->name),
				  "ktrace_open(path, name) makes the tables of one in a schema");
	err = provider->check(provider, reader_events(table->tables->reader));
	if (!err)
		err = sample_tables_open(table->tables, &reader);
	if (!err && provider->needs_machine)
		err = reader_machine_create(reader, &options, &machine);
	if (!err)
		err = topic_read_session(table, reader, machine);
	machine_destroy(machine);
	table->is_read = !err;
	return err;
}

/* ---- the schema ---------------------------------------------------------- */

/* Without records, a table has its columns alone. */
static struct error *topic_declare(const struct topic_table *table, sqlite3 *db)
{
	struct reader *reader = table->tables->reader;
	const struct table_source source = {
		.events = reader_events(reader), .formats = reader_formats(reader),
	};
	_cleanup_(table_values) struct table_values values = { 0 };
	_cleanup_(table_maker) struct table_maker *maker = NULL;
	_cleanup_(strbuf) struct strbuf sql = STRBUF_INIT;
	struct error *err = table_maker_create(table->row->provider, &source, &maker);

	if (!err)
		err = table_values_take(maker, &values);
	if (err)
		return err;
	strbuf_addstr(&sql, "CREATE TABLE t (");
	for (size_t i = 0; i < values.batch.nr_columns; i++)
		strbuf_addf(&sql, "\"%s\", ", values.batch.columns[i].name);
	strbuf_addstr(&sql, "_lost HIDDEN, _exact HIDDEN)");
	if (sql.failed)
		return &error_no_memory;
	return sqlite3_declare_vtab(db, sql.data) ?
		error_new(EINVAL, "SQLite refuses the columns of the table: %s",
			  sqlite3_errmsg(db)) : NULL;
}

static int topic_connect(sqlite3 *db, void *data, int argc, const char *const *argv,
			 sqlite3_vtab **ret, char **message)
{
	struct topic_table *table = calloc(1, sizeof(*table));
	struct error *err;

	if (!table)
		return SQLITE_NOMEM;
	err = sql_recordings_find(data, argc > 3 ? argv[3] : "", &table->tables);
	if (!err)
		err = table_find(argv[2], &table->row);
	if (!err)
		err = topic_declare(table, db);
	if (err) {
		sample_tables_put(table->tables);
		free(table);
		return sample_table_failed(message, err);
	}
	*ret = &table->base;
	return SQLITE_OK;
}

static int topic_disconnect(sqlite3_vtab *base)
{
	struct topic_table *table = (struct topic_table *)base;

	sample_tables_put(table->tables);
	table_values_deinit(&table->values);
	strbuf_deinit(&table->told);
	free(table);
	return SQLITE_OK;
}

static int topic_best_index(sqlite3_vtab *base, sqlite3_index_info *info)
{
	info->estimatedCost = 1000000;
	info->estimatedRows = 1000;
	return SQLITE_OK;
}

/* ---- rows ---------------------------------------------------------------- */

static int topic_open(sqlite3_vtab *base, sqlite3_vtab_cursor **ret)
{
	struct topic_cursor *cursor = calloc(1, sizeof(*cursor));

	if (!cursor)
		return SQLITE_NOMEM;
	*ret = &cursor->base;
	return SQLITE_OK;
}

static int topic_close(sqlite3_vtab_cursor *base)
{
	free(base);
	return SQLITE_OK;
}

static int topic_filter(sqlite3_vtab_cursor *base, int number, const char *plan, int argc,
			sqlite3_value **argv)
{
	struct topic_cursor *cursor = (struct topic_cursor *)base;
	struct topic_table *table = (struct topic_table *)base->pVtab;
	struct error *err = table->is_read ? NULL : topic_read(table);

	cursor->row = 0;
	if (!err)
		topic_tell(table, cursor);
	return err ? sample_table_failed(&table->base.zErrMsg, err) : SQLITE_OK;
}

static int topic_next(sqlite3_vtab_cursor *base)
{
	((struct topic_cursor *)base)->row++;
	return SQLITE_OK;
}

static int topic_eof(sqlite3_vtab_cursor *base)
{
	const struct topic_table *table = (const struct topic_table *)base->pVtab;

	return ((const struct topic_cursor *)base)->row >= table->values.batch.nr_rows;
}

static int topic_column(sqlite3_vtab_cursor *base, sqlite3_context *context, int at)
{
	const struct topic_table *table = (const struct topic_table *)base->pVtab;
	size_t row = ((const struct topic_cursor *)base)->row, nr = table->values.batch.nr_columns;

	if ((size_t)at == nr + TOPIC_LOST)
		sqlite3_result_int64(context, table->lost);
	else if ((size_t)at == nr + TOPIC_EXACT)
		sqlite3_result_int64(context, !table->lost && !table->corrupt &&
					      !table->is_truncated);
	else if (!table_value_is_missing(&table->values, row, at))
		column_result(&table->values.batch.columns[at], row, context);
	return SQLITE_OK;
}

static int topic_rowid(sqlite3_vtab_cursor *base, sqlite3_int64 *ret)
{
	*ret = ((const struct topic_cursor *)base)->row;
	return SQLITE_OK;
}

const sqlite3_module topic_table_module = {
	.xCreate = topic_connect, .xConnect = topic_connect,
	.xBestIndex = topic_best_index,
	.xDisconnect = topic_disconnect, .xDestroy = topic_disconnect,
	.xOpen = topic_open, .xClose = topic_close, .xFilter = topic_filter,
	.xNext = topic_next, .xEof = topic_eof, .xColumn = topic_column,
	.xRowid = topic_rowid,
};

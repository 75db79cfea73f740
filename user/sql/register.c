// SPDX-License-Identifier: GPL-2.0
#include "sql/register.h"

#include <errno.h>

#include "lib/array.h"
#include "sql/count_table.h"
#include "sql/recording_tables.h"
#include "sql/sample_table.h"
#include "sql/topic_table.h"
#include "table/tables.h"

#define SCHEMA_HINT	"ktrace_open(path, name) makes the tables in a new schema of that name, and " \
			"DETACH name ends it"

/* Run a statement without rows; the message of SQLite ends the sentence. */
static struct error *run_step(sqlite3 *db, char *sql, const char *sentence)
{
	int status = sql ? sqlite3_exec(db, sql, NULL, NULL, NULL) : SQLITE_NOMEM;

	sqlite3_free(sql);
	if (status == SQLITE_NOMEM)
		return &error_no_memory;
	return status ? error_new(EIO, "%s: %s", sentence, sqlite3_errmsg(db)) : NULL;
}

static struct error *check_free_name(sqlite3_stmt *statement, const char *name)
{
	struct error *err = NULL;

	sqlite3_bind_text(statement, 1, name, -1, SQLITE_STATIC);
	if (sqlite3_step(statement) == SQLITE_ROW)
		err = error_new(EEXIST, "There is a table %s in temp already", name);
	sqlite3_reset(statement);
	return err;
}

/* A table of that name in temp would hide the one of the recording. */
static struct error *check_names(sqlite3 *db, const struct event_list *events)
{
	struct error *err = NULL;
	sqlite3_stmt *statement;

	if (sqlite3_prepare_v2(db, "SELECT 1 FROM temp.sqlite_master WHERE name = ?1 COLLATE NOCASE",
			       -1, &statement, NULL))
		return error_new(EIO, "The tables in temp cannot be listed: %s", sqlite3_errmsg(db));
	for (size_t i = 0; i < events->nr && !err; i++)
		err = check_free_name(statement, events->items[i]->name);
	for (const struct table_row *row = tables_of_topics; row->name && !err; row++)
		err = check_free_name(statement, row->name);
	sqlite3_finalize(statement);
	return err;
}

/* Create all tables or none. */
static struct error *make_tables(sqlite3 *db, const char *schema, size_t number,
				 const struct sample_tables *tables)
{
	struct error *err;

	err = run_step(db, sqlite3_mprintf("SAVEPOINT ktrace_open"),
		       "Tables cannot be created while another statement writes");
	if (err)
		return err;
	err = recording_tables_create(db, schema, number, tables);
	if (err)
		sqlite3_exec(db, "ROLLBACK TO ktrace_open", NULL, NULL, NULL);
	sqlite3_exec(db, "RELEASE ktrace_open", NULL, NULL, NULL);
	return err;
}

static struct error *open_in_temp(sqlite3 *db, size_t number, const struct sample_tables *tables)
{
	struct error *err = check_names(db, reader_events(tables->reader));

	if (!err)
		err = make_tables(db, "temp", number, tables);
	return err ? error_hint(err, SCHEMA_HINT) : NULL;
}

static struct error *open_in_schema(sqlite3 *db, const char *schema, size_t number,
				    const struct sample_tables *tables)
{
	struct error *err;

	err = run_step(db, sqlite3_mprintf("ATTACH ':memory:' AS \"%w\"", schema),
		       "The schema of the recording cannot be created");
	if (err)
		return error_hint(err, SCHEMA_HINT);
	err = make_tables(db, schema, number, tables);
	if (err) {
		char *sql = sqlite3_mprintf("DETACH \"%w\"", schema);

		sqlite3_exec(db, sql, NULL, NULL, NULL);
		sqlite3_free(sql);
	}
	return err;
}

static void open_function(sqlite3_context *context, int argc, sqlite3_value **argv)
{
	_cleanup_(sample_tables) struct sample_tables *tables = NULL;
	const char *path = (const char *)sqlite3_value_text(argv[0]);
	const char *schema = argc > 1 ? (const char *)sqlite3_value_text(argv[1]) : "temp";
	sqlite3 *db = sqlite3_context_db_handle(context);
	struct error *err;
	char *message = NULL;
	size_t number;

	if (!path || !schema || !*schema)
		err = error_hint(error_new(EINVAL, "ktrace_open() takes the path of a recording and, if "
					   "you like, the name of a new schema"),
				 "select ktrace_open('perf.data')");
	else
		err = sql_recordings_open(sqlite3_user_data(context), &path, 1, &number,
					  &tables);
	if (!err)
		err = sqlite3_stricmp(schema, "temp") ? open_in_schema(db, schema, number, tables) :
							open_in_temp(db, number, tables);
	if (!err) {
		sqlite3_result_text(context, schema, -1, SQLITE_TRANSIENT);
	} else if (sample_table_failed(&message, err) == SQLITE_NOMEM) {
		sqlite3_result_error_nomem(context);
	} else {
		sqlite3_result_error(context, message ? message : "out of memory", -1);
	}
	sqlite3_free(message);
}

/* Register the function in @db. */
static struct error *open_function_register(sqlite3 *db, struct sql_recordings *recordings)
{
	for (int args = 1; args <= 2; args++)
		/* A view or a trigger of a database that somebody sent opens no files. */
		if (sqlite3_create_function_v2(db, "ktrace_open", args,
					       SQLITE_UTF8 | SQLITE_DIRECTONLY,
					       sql_recordings_get(recordings), open_function, NULL,
					       NULL, sql_recordings_put))
			return error_new(EIO, "SQLite takes no function: %s", sqlite3_errmsg(db));
	return NULL;
}

struct error *sql_register(sqlite3 *db, struct sql_recordings *recordings)
{
	static const struct {
		const char *name;
		const sqlite3_module *module;
	} modules[] = {
		{ SAMPLE_TABLE_MODULE, &sample_table_module },
		{ COUNT_TABLE_MODULE, &count_table_module },
		{ TOPIC_TABLE_MODULE, &topic_table_module },
	};

	for (size_t i = 0; i < ARRAY_SIZE(modules); i++)
		if (sqlite3_create_module_v2(db, modules[i].name, modules[i].module,
					     sql_recordings_get(recordings), sql_recordings_put))
			return error_new(EIO, "SQLite takes no virtual tables: %s",
					 sqlite3_errmsg(db));
	return open_function_register(db, recordings);
}

// SPDX-License-Identifier: GPL-2.0
#include "sql/recording_db.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "lib/strbuf.h"
#include "record/ledger.h"

static struct error *run_sql(struct recording_db *db, char *sql)
{
	struct error *err = NULL;

	if (!sql)
		return &error_no_memory;
	if (sqlite3_exec(db->handle, sql, NULL, NULL, NULL))
		err = error_new(EIO, "A table of the recording cannot be made: %s",
				sqlite3_errmsg(db->handle));
	sqlite3_free(sql);
	return err;
}

/* SQLite reserves names that begin with sqlite_; export puts the same before them. */
static const char *table_prefix(const struct event *event)
{
	return sqlite3_strnicmp(event->name, "sqlite_", 7) ? "" : "_";
}

/* "sched:sched_switch" is sched__sched_switch_view in the databases of export. */
static struct error *add_export_view(struct recording_db *db, const struct event *event)
{
	const char *colon = strchr(event->name, ':');

	if (event->attr.type != PERF_TYPE_TRACEPOINT || !colon || strchr(colon + 1, ':'))
		return NULL;
	return run_sql(db, sqlite3_mprintf("CREATE VIEW IF NOT EXISTS \"%s%.*w__%w_view\" AS "
					   "SELECT * FROM \"%s%w\"", table_prefix(event),
					   (int)(colon - event->name), event->name, colon + 1,
					   table_prefix(event), event->name));
}

static struct error *add_event_table(struct recording_db *db, const struct event *event)
{
	struct error *err;

	err = run_sql(db, sqlite3_mprintf("INSERT INTO events VALUES (%d, %Q, %d, %lld, %lld, %Q)",
					  (int)event->index, event->name, (int)event->attr.type,
					  (long long)event->attr.config,
					  (long long)event->attr.sample_period, event->filter));
	/* This one only delivers the records of tasks and maps. */
	if (err || (event->attr.type == PERF_TYPE_SOFTWARE &&
		    event->attr.config == PERF_COUNT_SW_DUMMY))
		return err;
	err = run_sql(db, sqlite3_mprintf("CREATE VIRTUAL TABLE IF NOT EXISTS \"%s%w\" USING "
					  SAMPLE_TABLE_MODULE "(%d)", table_prefix(event),
					  event->name, (int)event->index));
	return err ? err : add_export_view(db, event);
}

static struct error *add_loss(struct recording_db *db)
{
	const struct ledger *ledger = reader_ledger(db->tables.reader);
	const struct event_list *events = reader_events(db->tables.reader);
	struct error *err = NULL;

	for (size_t i = 0; ledger && i < ledger->nr && !err; i++) {
		const struct ledger_row *row = &ledger->items[i];
		const char *name = row->event < events->nr ? events->items[row->event]->name : NULL;
		char filtered[24] = "NULL", cpu[16] = "NULL";

		if (row->filtered != LEDGER_NOT_KNOWN)
			snprintf(filtered, sizeof(filtered), "%" PRIu64, row->filtered);
		if (row->cpu != UINT32_MAX)
			snprintf(cpu, sizeof(cpu), "%" PRIu32, row->cpu);
		err = run_sql(db, sqlite3_mprintf("INSERT INTO loss VALUES (%Q, %s, %lld, %s, %lld, "
						  "%lld, %Q)", name, cpu, (long long)row->recorded,
						  filtered, (long long)ledger_row_lost(row),
						  (long long)row->out_of_scope,
						  ledger_proof_text(row->proof)));
	}
	return err;
}

static struct error *add_tables(struct recording_db *db)
{
	const struct event_list *events = reader_events(db->tables.reader);
	struct error *err;

	err = run_sql(db, sqlite3_mprintf("CREATE TABLE events (id integer PRIMARY KEY, name text, "
					  "type integer, config integer, period integer, "
					  "filter text);"
					  "CREATE TABLE loss (event text, cpu integer, "
					  "recorded integer, filtered integer, lost integer, "
					  "out_of_scope integer, proof text);"
					  "CREATE VIRTUAL TABLE samples USING "
					  SAMPLE_TABLE_MODULE));
	for (size_t i = 0; i < events->nr && !err; i++)
		err = add_event_table(db, events->items[i]);
	return err ? err : add_loss(db);
}

struct error *recording_db_open(const char *path, struct recording_db **ret)
{
	_cleanup_(recording_db) struct recording_db *db = calloc(1, sizeof(*db));
	struct error *err;

	if (!db)
		return &error_no_memory;
	if (!strcmp(path, "-"))
		return error_hint(error_new(EINVAL, "Queries cannot read a pipe, which comes only once"),
				  "Write it to a file first");
	db->tables.path = path;
	err = reader_open(path, &db->tables.reader);
	if (!err)
		err = reader_read_header(db->tables.reader);
	if (err)
		return err;
	if (reader_header(db->tables.reader)->is_pipe)
		return error_hint(error_new(EINVAL, "%s holds what was written to a pipe, whose "
					    "events are known only while it is read", path),
				  "'ktrace index' does not help here; record to a file with -o");
	if (sqlite3_open(":memory:", &db->handle))
		return db->handle ? error_new(EIO, "SQLite does not start: %s",
					      sqlite3_errmsg(db->handle)) : &error_no_memory;
	err = sample_table_register(db->handle, &db->tables);
	if (!err)
		err = add_tables(db);
	if (!err)
		*ret = take_ptr(db);
	return err;
}

void recording_db_close(struct recording_db *db)
{
	if (!db)
		return;
	sqlite3_close(db->handle);
	reader_close(db->tables.reader);
	free(db);
}

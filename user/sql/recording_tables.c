// SPDX-License-Identifier: GPL-2.0
#include "sql/recording_tables.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "perfdata/join/joined.h"
#include "record/ledger.h"
#include "sql/count_table.h"
#include "sql/sample_table.h"
#include "sql/topic_table.h"
#include "table/tables.h"

struct schema_maker {
	sqlite3 *db;
	const char *schema;
	size_t number;
	struct reader *reader;
};

static struct error *run_sql(const struct schema_maker *m, char *sql)
{
	struct error *err = NULL;

	if (!sql)
		return &error_no_memory;
	if (sqlite3_exec(m->db, sql, NULL, NULL, NULL))
		err = error_new(EIO, "A table of the recording cannot be created: %s",
				sqlite3_errmsg(m->db));
	sqlite3_free(sql);
	return err;
}

/* "sched:sched_switch" is sched__sched_switch_view in the databases of export. */
static struct error *add_export_view(const struct schema_maker *m, const struct event *event)
{
	const char *colon = strchr(event->name, ':');

	if (event->attr.type != PERF_TYPE_TRACEPOINT || !colon || strchr(colon + 1, ':'))
		return NULL;
	return run_sql(m, sqlite3_mprintf("CREATE VIEW IF NOT EXISTS \"%w\".\"%s%.*w__%w_view\" AS "
					  "SELECT * FROM \"%s%w\"", m->schema,
					  sample_table_prefix(event), (int)(colon - event->name),
					  event->name, colon + 1, sample_table_prefix(event),
					  event->name));
}

static struct error *add_event_table(const struct schema_maker *m, const struct event *event)
{
	struct error *err;

	err = run_sql(m, sqlite3_mprintf("INSERT INTO \"%w\".events VALUES (%d, %Q, %d, %lld, %lld, "
					 "%Q)", m->schema, (int)event->index, event->name,
					 (int)event->attr.type, (long long)event->attr.config,
					 (long long)event->attr.sample_period, event->filter));
	/* This one only delivers the records of tasks and maps. */
	if (err || event_is_dummy(event))
		return err;
	err = run_sql(m, sqlite3_mprintf("CREATE VIRTUAL TABLE IF NOT EXISTS \"%w\".\"%s%w\" USING "
					 SAMPLE_TABLE_MODULE "(%d,%d)", m->schema,
					 sample_table_prefix(event), event->name, (int)m->number,
					 (int)event->index));
	return err ? err : add_export_view(m, event);
}

/* @origin NULL: there is one recording, and no such column. */
static struct error *add_loss(const struct schema_maker *m, struct reader *reader,
			      const char *origin)
{
	const struct ledger *ledger = reader_ledger(reader);
	const struct event_list *events = reader_events(reader);
	struct error *err = NULL;

	for (size_t i = 0; ledger && i < ledger->nr && !err; i++) {
		const struct ledger_row *row = &ledger->items[i];
		const char *name = row->event < events->nr ? events->items[row->event]->name : NULL;
		char filtered[24] = "NULL", cpu[16] = "NULL", *sql;

		if (row->filtered != LEDGER_NOT_KNOWN)
			snprintf(filtered, sizeof(filtered), "%" PRIu64, row->filtered);
		if (row->cpu != UINT32_MAX)
			snprintf(cpu, sizeof(cpu), "%" PRIu32, row->cpu);
		sql = sqlite3_mprintf("INSERT INTO \"%w\".loss VALUES (%Q, %s, %lld, %s, %lld, %lld, "
				      "%Q%s%q%s)", m->schema, name, cpu, (long long)row->recorded,
				      filtered, (long long)ledger_row_lost(row),
				      (long long)row->out_of_scope, ledger_proof_text(row->proof),
				      origin ? ", '" : "", origin ? origin : "", origin ? "'" : "");
		err = run_sql(m, sql);
	}
	return err;
}

static struct error *add_losses(const struct schema_maker *m)
{
	const struct joined *joined = reader_joined(m->reader);
	struct error *err = NULL;

	if (!joined)
		return add_loss(m, m->reader, NULL);
	for (size_t i = 0; i < joined_count(joined) && !err; i++)
		err = add_loss(m, joined_reader(joined, i), joined_origin(joined, i)->name);
	return err;
}

struct error *recording_tables_create(sqlite3 *db, const char *schema, size_t number,
				      const struct sample_tables *tables)
{
	const struct schema_maker maker = {
		.db = db, .schema = schema, .number = number, .reader = tables->reader,
	};
	const struct event_list *events = reader_events(tables->reader);
	struct error *err;

	err = run_sql(&maker, sqlite3_mprintf("CREATE TABLE \"%w\".events (id integer PRIMARY KEY, "
					      "name text, type integer, config integer, "
					      "period integer, filter text);"
					      "CREATE TABLE \"%w\".loss (event text, cpu integer, "
					      "recorded integer, filtered integer, lost integer, "
					      "out_of_scope integer, proof text%s);"
					      "CREATE VIRTUAL TABLE \"%w\".samples USING "
					      SAMPLE_TABLE_MODULE "(%d);"
					      "CREATE VIRTUAL TABLE \"%w\".counts USING "
					      COUNT_TABLE_MODULE "(%d)", schema, schema,
					      reader_joined(tables->reader) ? ", _origin text" : "",
					      schema, (int)number, schema, (int)number));
	for (size_t i = 0; i < events->nr && !err; i++)
		err = add_event_table(&maker, events->items[i]);
	for (const struct table_row *row = tables_of_topics; row->name && !err; row++)
		err = run_sql(&maker, sqlite3_mprintf("CREATE VIRTUAL TABLE IF NOT EXISTS \"%w\".%s "
						      "USING " TOPIC_TABLE_MODULE "(%d)", schema,
						      row->name, (int)number));
	return err ? err : add_losses(&maker);
}

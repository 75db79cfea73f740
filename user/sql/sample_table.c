// SPDX-License-Identifier: GPL-2.0
#include "sql/sample_table.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "lib/array.h"
#include "lib/log.h"
#include "lib/strbuf.h"
#include "sql/sample_cursor.h"

/* A table that is read so often in one query is on the inner side of a join. */
#define MANY_STARTS	100

/* The columns of the table of all events; _event is ours, the rest are those of columns.h. */
static const char *const shared_columns[] = {
	"_event", "_time", "_cpu", "_pid", "_tid", "_comm", "_period", "_ip", "_addr", "_symbol",
	"_dso", "_callchain",
};

/* Columns that are created only on request. */
static const char *const asked_columns[] = { "_symbol", "_dso", "_callchain" };

const char *sample_table_prefix(const struct event *event)
{
	return sqlite3_strnicmp(event->name, "sqlite_", 7) ? "" : "_";
}

int sample_table_failed(char **message, struct error *err)
{
	int code = err->code == ENOMEM || err == &error_no_memory ? SQLITE_NOMEM :
		   err->code == EINTR ? SQLITE_INTERRUPT : SQLITE_ERROR;

	sqlite3_free(*message);
	*message = sqlite3_mprintf("%s%s%s", err->message, err->hint ? "; " : "",
				   err->hint ? err->hint : "");
	error_free(err);
	return code;
}

static bool add_table_column(struct sample_table *table, const char *name, enum column_type type)
{
	struct sample_column column = { .name = strdup(name), .type = type };

	return column.name && array_push(&table->columns, column);
}

static bool has_table_column(const struct sample_table *table, const char *name)
{
	return array_any(&table->columns, it, !strcmp(it->name, name));
}

static struct error *add_event_columns(struct sample_table *table, const struct event *event)
{
	struct column_scan_options options = { .pattern = NULL };
	_cleanup_(column_scan) struct column_scan scan;
	_cleanup_(columns) struct columns *columns = NULL;
	struct batch batch = { 0 };
	struct error *err;
	bool ok = true;

	column_scan_init(&scan, table->tables->reader, &options);
	err = column_scan_create_columns(&scan, event, &columns);
	if (!err)
		err = columns_take(columns, &batch);
	for (size_t i = 0; i < batch.nr_columns && !err; i++)
		if (!has_table_column(table, batch.columns[i].name))
			ok = ok && add_table_column(table, batch.columns[i].name,
						    batch.columns[i].type);
	batch_deinit(&batch);
	for (size_t i = 0; i < ARRAY_SIZE(asked_columns) && !err; i++)
		if (columns_are_sampled(event, asked_columns[i]) &&
		    !has_table_column(table, asked_columns[i]))
			ok = ok && add_table_column(table, asked_columns[i], COLUMN_TEXT);
	return err || ok ? err : &error_no_memory;
}

/* One of several recordings may have sampled more of the event than another. */
static struct error *add_all_event_columns(struct sample_table *table)
{
	const struct event_list *events = reader_events(table->tables->reader);
	const char *name = events->items[table->event]->name;
	struct error *err = add_event_columns(table, events->items[table->event]);

	for (size_t i = 0; i < events->nr && !err && reader_joined(table->tables->reader); i++)
		if (i != table->event && !strcmp(events->items[i]->name, name))
			err = add_event_columns(table, events->items[i]);
	return err;
}

static struct error *add_shared_columns(struct sample_table *table)
{
	for (size_t i = 0; i < ARRAY_SIZE(shared_columns); i++)
		if (!add_table_column(table, shared_columns[i], COLUMN_INTEGER))
			return &error_no_memory;
	if (reader_joined(table->tables->reader) && !add_table_column(table, "_origin", COLUMN_TEXT))
		return &error_no_memory;
	return NULL;
}

/* Names of fields can be keywords of SQL, and two of them can differ by case alone. */
static struct error *declare_table(struct sample_table *table, sqlite3 *db)
{
	_cleanup_(strbuf) struct strbuf sql = STRBUF_INIT;

	strbuf_addstr(&sql, "CREATE TABLE t (");
	for (size_t i = 0; i < table->columns.nr; i++) {
		char *name = sqlite3_mprintf("%s\"%w\"", i ? ", " : "",
					     table->columns.items[i].name);

		if (!name)
			return &error_no_memory;
		strbuf_addstr(&sql, name);
		sqlite3_free(name);
		for (size_t k = 0; k < i; k++)
			if (!sqlite3_stricmp(table->columns.items[k].name,
					     table->columns.items[i].name))
				strbuf_addstr(&sql, " HIDDEN");
	}
	strbuf_addch(&sql, ')');
	if (sql.failed)
		return &error_no_memory;
	return sqlite3_declare_vtab(db, sql.data) ?
		error_new(EINVAL, "SQLite refuses the columns of the event: %s",
			  sqlite3_errmsg(db)) : NULL;
}

static void destroy_table(struct sample_table *table)
{
	array_free_each(&table->columns, .name);
	sample_tables_put(table->tables);
	free(table);
}

/* When SQLite connects the table once more, another recording may be there. */
static struct error *check_event(const struct sample_table *table, const char *name)
{
	const struct event_list *events = reader_events(table->tables->reader);
	const struct event *event = table->event < events->nr ? events->items[table->event] : NULL;
	const char *prefix = event ? sample_table_prefix(event) : "";

	if (event && !strncmp(name, prefix, strlen(prefix)) &&
	    !strcmp(name + strlen(prefix), event->name))
		return NULL;
	return error_new(ESTALE, "%s has no event %s as its number %zu", table->tables->paths[0], name,
			 table->event);
}

static int table_connect(sqlite3 *db, void *data, int argc, const char *const *argv,
			 sqlite3_vtab **ret, char **message)
{
	struct sample_table *table = calloc(1, sizeof(*table));
	struct error *err;

	if (!table)
		return SQLITE_NOMEM;
	table->all = argc <= 4;
	table->event = table->all ? 0 : strtoul(argv[4], NULL, 10);
	err = sql_recordings_find(data, argc > 3 ? argv[3] : "", &table->tables);
	if (!err && !table->all)
		err = check_event(table, argv[2]);
	if (!err)
		err = table->all ? add_shared_columns(table) : add_all_event_columns(table);
	if (!err)
		err = declare_table(table, db);
	if (err) {
		destroy_table(table);
		return sample_table_failed(message, err);
	}
	*ret = &table->base;
	return SQLITE_OK;
}

static int table_disconnect(sqlite3_vtab *base)
{
	destroy_table((struct sample_table *)base);
	return SQLITE_OK;
}

/* The effect of a comparison: '=', '<' or '>' limit the time, 'c' the CPU, 0 nothing. */
static char narrows(const struct sample_table *table, const struct sqlite3_index_constraint *c)
{
	const char *name;

	if (!c->usable || c->iColumn < 0)
		return 0;
	name = table->columns.items[c->iColumn].name;
	if (!strcmp(name, "_cpu") && c->op == SQLITE_INDEX_CONSTRAINT_EQ)
		return 'c';
	if (strcmp(name, "_time"))
		return 0;
	switch (c->op) {
	case SQLITE_INDEX_CONSTRAINT_EQ:
		return '=';
	case SQLITE_INDEX_CONSTRAINT_GT:
	case SQLITE_INDEX_CONSTRAINT_GE:
		return '>';
	case SQLITE_INDEX_CONSTRAINT_LT:
	case SQLITE_INDEX_CONSTRAINT_LE:
		return '<';
	default:
		return 0;
	}
}

/* Whether a query only wants to know which event each row is of, as those do that count events. */
static bool wants_only_events(const struct sample_table *table,
			      const struct sqlite3_index_info *info)
{
	return table->all && !(info->colUsed & ~1ULL) &&
	       (!info->nOrderBy || (info->nOrderBy == 1 && !info->aOrderBy[0].iColumn));
}

/* The numbers of the plans that read no samples, by the direction of their names. */
#define PLAN_GROUPED		1
#define PLAN_GROUPED_DOWN	2

/*
 * The plan of a scan is a text: the used columns as a hexadecimal mask, a colon, and a letter for
 * each value that the scan gets.  SQLite still compares every row by itself, so that the scan may
 * return more rows.
 */
static int table_best_index(sqlite3_vtab *base, sqlite3_index_info *info)
{
	const struct sample_table *table = (const struct sample_table *)base;
	_cleanup_(strbuf) struct strbuf plan = STRBUF_INIT;
	int nr = 0;

	if (wants_only_events(table, info)) {
		info->idxNum = info->nOrderBy && info->aOrderBy[0].desc ? PLAN_GROUPED_DOWN :
									  PLAN_GROUPED;
		info->orderByConsumed = 1;
		info->estimatedRows = 1000000;
		info->estimatedCost = 1000000;
		return SQLITE_OK;
	}
	strbuf_addf(&plan, "%llx:", (unsigned long long)info->colUsed);
	info->estimatedRows = 1000000;
	for (int i = 0; i < info->nConstraint; i++) {
		char letter = narrows(table, &info->aConstraint[i]);

		if (!letter)
			continue;
		info->aConstraintUsage[i].argvIndex = ++nr;
		strbuf_addch(&plan, letter);
		info->estimatedRows /= letter == '=' ? 100000 : 10;
	}
	info->estimatedRows += 1;
	info->estimatedCost = 10.0 * info->estimatedRows + 10000;
	info->idxStr = plan.failed ? NULL : sqlite3_mprintf("%s", plan.data);
	info->needToFreeIdxStr = 1;
	return info->idxStr ? SQLITE_OK : SQLITE_NOMEM;
}

static int table_open(sqlite3_vtab *base, sqlite3_vtab_cursor **ret)
{
	struct sample_cursor *cursor = sample_cursor_create((struct sample_table *)base);

	if (!cursor)
		return SQLITE_NOMEM;
	*ret = &cursor->base;
	return SQLITE_OK;
}

static int table_close(sqlite3_vtab_cursor *cursor)
{
	sample_cursor_destroy((struct sample_cursor *)cursor);
	return SQLITE_OK;
}

/* The times of a scan are unsigned; SQL compares signed numbers. */
static void narrow_scan(struct sample_scope *scope, char letter, sqlite3_value *value)
{
	int64_t number = sqlite3_value_int64(value);
	uint64_t time = number < 0 ? 0 : number;

	/* A text or a fraction is compared by SQLite alone. */
	if (sqlite3_value_type(value) != SQLITE_INTEGER)
		return;
	if (letter == 'c') {
		scope->has_cpu = number >= 0 && number < UINT32_MAX;
		scope->cpu = number;
		return;
	}
	if ((letter == '>' || letter == '=') && time > scope->times.start)
		scope->times.start = time;
	/* 0 would be an open end. */
	if ((letter == '<' || letter == '=') && (!scope->times.end || time < scope->times.end))
		scope->times.end = time ? time : 1;
}

static int cursor_result(sqlite3_vtab_cursor *cursor, struct error *err)
{
	return err ? sample_table_failed(&cursor->pVtab->zErrMsg, err) : SQLITE_OK;
}

static int table_filter(sqlite3_vtab_cursor *base, int number, const char *plan, int argc,
			sqlite3_value **argv)
{
	struct sample_cursor *cursor = (struct sample_cursor *)base;
	struct sample_scope scope = { .has_cpu = false };
	const char *letters = plan ? strchr(plan, ':') : NULL;

	if (number)
		return cursor_result(base, sample_cursor_start_grouped(cursor, number ==
								       PLAN_GROUPED_DOWN));
	for (int i = 0; i < argc; i++)
		narrow_scan(&scope, letters[1 + i], argv[i]);
	if (++cursor->starts == MANY_STARTS)
		log_warning("This join reads the recording again for each row of another table.  It is "
			    "faster with a copy: 'create table t as select ...', and join with t.");
	return cursor_result(base, sample_cursor_start(cursor, strtoull(plan, NULL, 16), &scope));
}

static int table_next(sqlite3_vtab_cursor *base)
{
	return cursor_result(base, sample_cursor_next((struct sample_cursor *)base));
}

static int table_eof(sqlite3_vtab_cursor *base)
{
	return ((struct sample_cursor *)base)->ended;
}

static int table_column(sqlite3_vtab_cursor *base, sqlite3_context *context, int at)
{
	sample_cursor_value((struct sample_cursor *)base, at, context);
	return SQLITE_OK;
}

static int table_rowid(sqlite3_vtab_cursor *base, sqlite3_int64 *ret)
{
	int64_t number = 0;
	struct error *err = sample_cursor_number((struct sample_cursor *)base, &number);

	*ret = number;
	return cursor_result(base, err);
}

const sqlite3_module sample_table_module = {
	.xCreate = table_connect, .xConnect = table_connect,
	.xBestIndex = table_best_index, .xDisconnect = table_disconnect,
	.xDestroy = table_disconnect, .xOpen = table_open, .xClose = table_close,
	.xFilter = table_filter, .xNext = table_next, .xEof = table_eof,
	.xColumn = table_column, .xRowid = table_rowid,
};

/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The parts of the output sqlite: a file that SQLite writes (sqlite_file), rows for its tables
 * (sqlite_rows), the tables of perf's export-to-sqlite.py (sqlite_tables), and a table for each
 * tracepoint (sqlite_events).
 */
#ifndef KTRACE_OUTPUT_SQLITE_SQLITE_H
#define KTRACE_OUTPUT_SQLITE_SQLITE_H

#include <stddef.h>
#include <stdint.h>

#include "lib/cleanup.h"
#include "lib/error.h"
#include "session/session.h"
#include "table/samples/export.h"

struct sqlite;

/*
 * Open @path, which is empty or new, and begin the only transaction.  There is no journal: a caller
 * that gives up deletes the file.  Errors call it @name; one reports that ktrace was built without
 * SQLite.
 */
struct error *sqlite_open(const char *path, const char *name, struct sqlite **ret);

/* End the transaction; all rows must have been flushed. */
struct error *sqlite_commit(struct sqlite *db);
void sqlite_close(struct sqlite *db);

/* Run a statement without values, or several separated by ';'. */
struct error *sqlite_exec(struct sqlite *db, const char *sql);

/*
 * Rows for one table, given value by value.  One statement of SQLite inserts many of them, reading
 * them as a virtual table.  A statement for each row would take three times as long.
 */
struct sqlite_rows;

/* @table is the name in SQL, with its quotes; it has @nr_columns.  @db is borrowed. */
struct error *sqlite_rows_create(struct sqlite *db, const char *table, size_t nr_columns,
				 struct sqlite_rows **ret);
/* Rows that were not flushed are lost. */
void sqlite_rows_destroy(struct sqlite_rows *rows);

/* Give the next value of a row; bytes are copied. */
void sqlite_rows_add_null(struct sqlite_rows *rows);
void sqlite_rows_add_number(struct sqlite_rows *rows, int64_t value);
void sqlite_rows_add_text(struct sqlite_rows *rows, const char *text, size_t len);
void sqlite_rows_add_bytes(struct sqlite_rows *rows, const void *bytes, size_t len);

/* Call this when a row has all its values.  An error may be one of an earlier row. */
struct error *sqlite_rows_end_row(struct sqlite_rows *rows);

/* Insert the rows that SQLite does not have yet. */
struct error *sqlite_rows_flush(struct sqlite_rows *rows);

/*
 * The tables of samples and the objects that they refer to, and the views that join them.  Names,
 * columns and types are those of perf's export-to-sqlite.py.
 */
struct sqlite_tables;

/* Create the tables in @db, which is borrowed.  @callchains: also call_paths. */
struct error *sqlite_tables_create(struct sqlite *db, bool callchains,
				   struct sqlite_tables **ret);
void sqlite_tables_destroy(struct sqlite_tables *tables);

/* The sink for the rows of the tables. */
struct export_sink *sqlite_tables_sink(struct sqlite_tables *tables);

/* Call this after all rows.  As with perf, context_switches is removed if it is empty. */
struct error *sqlite_tables_finish(struct sqlite_tables *tables);

/*
 * A table for each tracepoint: SYSTEM__NAME, with the id of the sample and the fields of the event.
 * The view SYSTEM__NAME_view has _time, _cpu, _pid, _tid and _comm of the sample before them.
 */
struct sqlite_events;

/* @db is borrowed. */
struct error *sqlite_events_create(struct sqlite *db, struct sqlite_events **ret);
void sqlite_events_destroy(struct sqlite_events *events);

/* Call this after all rows. */
struct error *sqlite_events_finish(struct sqlite_events *events);

/* Add the row of sample @id; an event without a format gets none. */
struct error *sqlite_events_add(struct sqlite_events *events, uint64_t id,
				const struct session_record *r);

#endif

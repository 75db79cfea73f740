/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The parts of the output sqlite: a file that SQLite writes (sqlite_file), the tables of perf's
 * export-to-sqlite.py (sqlite_tables), and a table for each tracepoint (sqlite_events).
 */
#ifndef KTRACE_OUTPUT_SQLITE_H
#define KTRACE_OUTPUT_SQLITE_H

#include <stddef.h>
#include <stdint.h>

#include "analysis/export.h"
#include "lib/cleanup.h"
#include "lib/error.h"
#include "session/session.h"

struct sqlite;
struct sqlite_statement;

/*
 * Open @path, which is empty or new, and begin the only transaction.  There is no journal: a
 * caller that gives up deletes the file.  Errors call it @name; one says so if ktrace was built
 * without SQLite.
 */
struct error *sqlite_open(const char *path, const char *name, struct sqlite **ret);

/* End the transaction; all statements must have been destroyed. */
struct error *sqlite_commit(struct sqlite *db);
void sqlite_close(struct sqlite *db);
DEFINE_CLEANUP_PTR(sqlite, struct sqlite, sqlite_close)

/* Run a statement without values, or several separated by ';'. */
struct error *sqlite_exec(struct sqlite *db, const char *sql);

/* Prepare a statement that is run often, with a value for each '?'. */
struct error *sqlite_prepare(struct sqlite *db, const char *sql, struct sqlite_statement **ret);
void sqlite_statement_destroy(struct sqlite_statement *statement);

/* Set values, by the number of the '?' from 1; bytes are borrowed until sqlite_run(). */
void sqlite_bind_number(struct sqlite_statement *statement, int at, int64_t value);
void sqlite_bind_text(struct sqlite_statement *statement, int at, const char *text, size_t len);
void sqlite_bind_bytes(struct sqlite_statement *statement, int at, const void *bytes, size_t len);

/* Run the statement; values that were not bound are NULL. */
struct error *sqlite_run(struct sqlite_statement *statement);

/*
 * The tables of samples and what they refer to, and the views that join them: names, columns
 * and types are those of perf's export-to-sqlite.py.
 */
struct sqlite_tables;

/* Create the tables in @db, which is borrowed.  @callchains: also call_paths. */
struct error *sqlite_tables_create(struct sqlite *db, bool callchains,
				   struct sqlite_tables **ret);
void sqlite_tables_destroy(struct sqlite_tables *tables);

/* The sink for the rows of the tables. */
struct export_sink *sqlite_tables_sink(struct sqlite_tables *tables);

/*
 * Call this when all rows are there.  As with perf, context_switches is removed if it is
 * empty.
 */
struct error *sqlite_tables_finish(struct sqlite_tables *tables);

/*
 * A table for each tracepoint: SYSTEM__NAME, with the id of the sample and the fields of the
 * event.  The view SYSTEM__NAME_view has _time, _cpu, _pid, _tid and _comm of the sample before
 * them.
 */
struct sqlite_events;

/* @db is borrowed. */
struct error *sqlite_events_create(struct sqlite *db, struct sqlite_events **ret);
void sqlite_events_destroy(struct sqlite_events *events);

/* Add the row of sample @id; an event without a format gets none. */
struct error *sqlite_events_add(struct sqlite_events *events, uint64_t id,
				const struct session_record *r);

#endif

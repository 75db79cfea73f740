/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Writes a database file with SQLite.  If ktrace was built without it, opening a database
 * fails with an error that says so.
 */
#ifndef KTRACE_OUTPUT_SQLITE_H
#define KTRACE_OUTPUT_SQLITE_H

#include <stddef.h>
#include <stdint.h>

#include "lib/cleanup.h"
#include "lib/error.h"

struct sqlite;
struct sqlite_statement;

/*
 * Open @path, which is empty or new, and begin the only transaction.  There is no journal: a
 * caller that gives up deletes the file.  Errors call it @name.
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

#endif

/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The function of SQL that makes the tables of a recording, and gives the name of their schema:
 *
 *	SELECT ktrace_open('perf.data')			in the schema temp
 *	SELECT ktrace_open('perf.data', 'before')	in a new schema, which is in memory
 *
 * After an error, the connection has the tables and schemas that it had.
 */
#ifndef KTRACE_SQL_OPEN_FUNCTION_H
#define KTRACE_SQL_OPEN_FUNCTION_H

#include "lib/error.h"
#include "sql/recordings.h"
#include "sql/sqlite_api.h"

/* Make the function known to @db. */
struct error *open_function_register(sqlite3 *db, struct sql_recordings *recordings);

#endif

/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The tables of table/tables.def as virtual tables of SQLite, which are made of the whole recording
 * when the first query asks for them, and kept as long as the connection has them.
 *
 *	CREATE VIRTUAL TABLE lock_contention USING ktrace_table(R)
 *
 * R is the number of the recording.  Columns are those of CSV.  Two more are hidden, so that "*"
 * leaves them out: _lost is how many records were lost, and _exact is 1 if nothing is missing from
 * the numbers.
 */
#ifndef KTRACE_SQL_TOPIC_TABLE_H
#define KTRACE_SQL_TOPIC_TABLE_H

#include "lib/error.h"
#include "sql/sample_table.h"

#define TOPIC_TABLE_MODULE "ktrace_table"

/* Make the module known to @db. */
struct error *topic_table_register(sqlite3 *db, struct sql_recordings *recordings);

#endif

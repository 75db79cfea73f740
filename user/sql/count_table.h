/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The number of samples of each event as a virtual table of SQLite, which is counted when a query
 * asks for it: SQLite would take longer to be given the rows one by one.
 *
 *	CREATE VIRTUAL TABLE counts USING ktrace_counts(R)	columns: event, samples
 *
 * R is the number of the recording.
 */
#ifndef KTRACE_SQL_COUNT_TABLE_H
#define KTRACE_SQL_COUNT_TABLE_H

#include "lib/error.h"
#include "sql/sample_table.h"

#define COUNT_TABLE_MODULE "ktrace_counts"

/* Make the module known to @db. */
struct error *count_table_register(sqlite3 *db, struct sql_recordings *recordings);

#endif

/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The tables of table/tables.def as virtual tables of SQLite.  Each is computed from the whole
 * recording by the first query that uses it, and kept as long as the connection.
 *
 *	CREATE VIRTUAL TABLE lock_contention USING ktrace_table(R)
 *
 * R is the number of the recording.  Columns are those of CSV.  Two more are hidden, so that "*"
 * leaves them out: _lost is the number of lost records, and _exact is 1 if the numbers are
 * complete.
 */
#ifndef KTRACE_SQL_TOPIC_TABLE_H
#define KTRACE_SQL_TOPIC_TABLE_H

#include "lib/error.h"
#include "sql/sample_table.h"

#define TOPIC_TABLE_MODULE "ktrace_table"

extern const sqlite3_module topic_table_module;

#endif

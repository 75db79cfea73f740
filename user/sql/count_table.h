/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The number of samples of each event as a virtual table of SQLite.  It is counted when a query
 * reads it: passing the rows to SQLite one by one would take longer.
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

extern const sqlite3_module count_table_module;

#endif

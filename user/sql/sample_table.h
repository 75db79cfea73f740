/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The samples of a recording as a virtual table of SQLite: rows are read from the file when a query
 * needs them.  Comparisons of _time and _cpu with constants limit the part that is read, if the
 * recording has an index.
 *
 *	CREATE VIRTUAL TABLE t USING ktrace_samples(R)		all events, with their names
 *	CREATE VIRTUAL TABLE "name" USING ktrace_samples(R, N)	the event with the index N
 *
 * R is the number of the recording.  The name of the table is that of the event.
 */
#ifndef KTRACE_SQL_SAMPLE_TABLE_H
#define KTRACE_SQL_SAMPLE_TABLE_H

#include "lib/error.h"
#include "perfdata/reader.h"
#include "sql/recordings.h"
#include "sql/sqlite_api.h"

#define SAMPLE_TABLE_MODULE "ktrace_samples"

/* Store the message of @err, which is freed, for SQLite, and return its code. */
int sample_table_failed(char **message, struct error *err);

/* A prefix for the name of a table, because SQLite reserves names that begin with sqlite_. */
const char *sample_table_prefix(const struct event *event);

extern const sqlite3_module sample_table_module;

#endif

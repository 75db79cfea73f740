/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The samples of a recording as a virtual table of SQLite: rows are read from the file when a
 * query asks for them.  Comparisons of _time and _cpu with constants narrow what is read, as
 * far as the recording has an index.
 *
 *	CREATE VIRTUAL TABLE t USING ktrace_samples		all events, with their names
 *	CREATE VIRTUAL TABLE t USING ktrace_samples(N)		the event with the index N
 */
#ifndef KTRACE_SQL_SAMPLE_TABLE_H
#define KTRACE_SQL_SAMPLE_TABLE_H

#include <sqlite3.h>

#include "lib/error.h"
#include "perfdata/reader.h"

#define SAMPLE_TABLE_MODULE "ktrace_samples"

/* What the tables of one recording have in common; borrowed by them. */
struct sample_tables {
	const char *path;	/* each scan of a table opens the file anew */
	struct reader *reader;	/* its header is read; gives events and formats */
};

/* Make the module known to @db; @tables must live as long as that. */
struct error *sample_table_register(sqlite3 *db, struct sample_tables *tables);

#endif

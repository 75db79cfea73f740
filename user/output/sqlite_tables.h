/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The tables of a database of samples, and the views that join them: names,
 * columns and types are those of perf's export-to-sqlite.py.
 */
#ifndef KTRACE_OUTPUT_SQLITE_TABLES_H
#define KTRACE_OUTPUT_SQLITE_TABLES_H

#include "analysis/export.h"
#include "output/sqlite.h"

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

#endif

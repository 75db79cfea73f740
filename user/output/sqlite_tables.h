/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The tables of a database of samples, and the views that join them: names,
 * columns and types are those of perf's export-to-sqlite.py.
 */
#ifndef KTRACE_OUTPUT_SQLITE_TABLES_H
#define KTRACE_OUTPUT_SQLITE_TABLES_H

#include "output/sqlite.h"
#include "session/export.h"

struct sqlite_tables;

/* Make them in @db, which is borrowed.  @callchains: call_paths, too. */
struct error *sqlite_tables_create(struct sqlite *db, bool callchains,
				   struct sqlite_tables **ret);
void sqlite_tables_destroy(struct sqlite_tables *tables);

/* Takes their rows. */
struct export_sink *sqlite_tables_sink(struct sqlite_tables *tables);

/* When all rows are there: as perf, context_switches goes when it has none. */
struct error *sqlite_tables_finish(struct sqlite_tables *tables);

#endif

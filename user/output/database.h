/* SPDX-License-Identifier: GPL-2.0 */
/*
 * A recording as a database: the tables of perf's export-to-sqlite.py, in which
 * samples of tracepoints are, too, and a table for each tracepoint.
 */
#ifndef KTRACE_OUTPUT_DATABASE_H
#define KTRACE_OUTPUT_DATABASE_H

#include "lib/cleanup.h"
#include "session/session.h"

struct database;

/* In the file @path; errors call it @name.  @callchains: with call paths. */
struct error *database_create(const char *path, const char *name, bool callchains,
			      struct database **ret);
void database_destroy(struct database *database);
DEFINE_CLEANUP_PTR(database, struct database, database_destroy)

struct session_consumer *database_consumer(struct database *database);

/* Everything is there: the file is complete. */
struct error *database_finish(struct database *database);

#endif

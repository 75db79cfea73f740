/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Writes a recording as a database: the tables of perf's export-to-sqlite.py, which include
 * the samples of tracepoints, and a table for each tracepoint.
 */
#ifndef KTRACE_OUTPUT_DATABASE_H
#define KTRACE_OUTPUT_DATABASE_H

#include "lib/cleanup.h"
#include "session/session.h"

struct database;

/* Create the file @path; errors call it @name.  @callchains: with call paths. */
struct error *database_create(const char *path, const char *name, bool callchains,
			      struct database **ret);
void database_destroy(struct database *database);
DEFINE_CLEANUP_PTR(database, struct database, database_destroy)

struct session_consumer *database_consumer(struct database *database);

/* Complete the file when everything has been added. */
struct error *database_finish(struct database *database);

#endif

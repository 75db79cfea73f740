/* SPDX-License-Identifier: GPL-2.0 */
/*
 * A database in memory whose tables are those of a recording:
 *
 *	samples			the samples of all events, with the name of each event
 *	"sched:sched_switch"	one for each event, with its fields; also sched__sched_switch_view,
 *				the name that the database of `ktrace export --to sqlite` has
 *	events			name, type, config and sampling period of each event
 *	loss			the ledger: what became of the firings of each event
 *
 * Queries read the file; nothing is copied into memory before.
 */
#ifndef KTRACE_SQL_RECORDING_DB_H
#define KTRACE_SQL_RECORDING_DB_H

#include <sqlite3.h>

#include "lib/cleanup.h"
#include "lib/error.h"
#include "sql/sample_table.h"

struct recording_db {
	sqlite3 *handle;
	struct sample_tables tables;
};

/* @path is borrowed, and must be a file that can be read again and again. */
struct error *recording_db_open(const char *path, struct recording_db **ret);
void recording_db_close(struct recording_db *db);
DEFINE_CLEANUP_PTR(recording_db, struct recording_db, recording_db_close)

#endif

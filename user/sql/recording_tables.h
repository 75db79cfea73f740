/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The tables of a recording in a schema of a connection to SQLite:
 *
 *	samples			the samples of all events, with the name of each event
 *	"sched:sched_switch"	one for each event, with its fields; also sched__sched_switch_view,
 *				its name in the database of `ktrace export --to sqlite`
 *	counts			the number of samples of each event
 *	events			name, type, config and sampling period of each event
 *	loss			the ledger: the outcome of the firings of each event
 *	lock_contention ...	one for each row of table/tables.def, computed from the recording
 *
 * If several recordings are read as one, samples, the tables of the events and loss have a column
 * _origin, which is that of columns.h.  Queries read the files; nothing is copied into memory
 * before.
 */
#ifndef KTRACE_SQL_RECORDING_TABLES_H
#define KTRACE_SQL_RECORDING_TABLES_H

#include "lib/error.h"
#include "sql/recordings.h"
#include "sql/sqlite_api.h"

/*
 * Create the tables of the recording that has this number in the schema, which has no table of
 * these names.  After an error, some tables may exist.
 */
struct error *recording_tables_create(sqlite3 *db, const char *schema, size_t number,
				      const struct sample_tables *tables);

#endif

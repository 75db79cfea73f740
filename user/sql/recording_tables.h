/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The tables of a recording in a schema of a connection to SQLite:
 *
 *	samples			the samples of all events, with the name of each event
 *	"sched:sched_switch"	one for each event, with its fields; also sched__sched_switch_view,
 *				the name that the database of `ktrace export --to sqlite` has
 *	counts			the number of samples of each event
 *	events			name, type, config and sampling period of each event
 *	loss			the ledger: what became of the firings of each event
 *	lock_contention ...	one for each row of table/tables.def, which is made of the recording
 *
 * Of several recordings that are read as one, samples, the tables of the events and loss have a
 * column _origin, which is that of columns.h.  Queries read the files; nothing is copied into
 * memory before.
 */
#ifndef KTRACE_SQL_RECORDING_TABLES_H
#define KTRACE_SQL_RECORDING_TABLES_H

#include "lib/error.h"
#include "sql/recordings.h"
#include "sql/sqlite_api.h"

/*
 * Make the tables of the recording that has this number in the schema, which has none of their
 * names.  After an error, some are there.
 */
struct error *recording_tables_create(sqlite3 *db, const char *schema, size_t number,
				      const struct sample_tables *tables);

#endif

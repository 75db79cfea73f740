/* SPDX-License-Identifier: GPL-2.0 */
/*
 * A database in memory whose tables are those of recordings (recording_tables.h).
 */
#ifndef KTRACE_SQL_RECORDING_DB_H
#define KTRACE_SQL_RECORDING_DB_H

#include "lib/error.h"
#include "sql/sqlite_api.h"

/*
 * Open one recording, or several as one.  To be closed with sqlite3_close().  Each path must be a
 * file that can be read again and again.
 */
struct error *recording_db_open(const char *const *paths, size_t nr, sqlite3 **ret);

#endif

/* SPDX-License-Identifier: GPL-2.0 */
/*
 * A database in memory whose tables are those of a recording (recording_tables.h).
 */
#ifndef KTRACE_SQL_RECORDING_DB_H
#define KTRACE_SQL_RECORDING_DB_H

#include "lib/error.h"
#include "sql/sqlite_api.h"

/* To be closed with sqlite3_close().  @path must be a file that can be read again and again. */
struct error *recording_db_open(const char *path, sqlite3 **ret);

#endif

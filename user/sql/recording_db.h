/* SPDX-License-Identifier: GPL-2.0 */
/* A database in memory whose tables are those of recordings (recording_tables.h). */
#ifndef KTRACE_SQL_RECORDING_DB_H
#define KTRACE_SQL_RECORDING_DB_H

#include "lib/error.h"
#include "sql/sqlite_api.h"

struct traffic_rules;

/*
 * Open one recording, or several as one.  To be closed with sqlite3_close().  Each path must be a
 * file that can be read repeatedly.  @rules defines the messages by which the clocks of the hosts
 * are compared (NULL: the known ones); it lives as long as the database.  No statement writes a
 * file: other attached databases can only be read.
 */
struct error *recording_db_open(const char *const *paths, size_t nr,
				const struct traffic_rules *rules, sqlite3 **ret);

#endif

/* SPDX-License-Identifier: GPL-2.0 */
/* Prepares a connection of SQLite for the tables of recordings. */
#ifndef KTRACE_SQL_REGISTER_H
#define KTRACE_SQL_REGISTER_H

#include "lib/error.h"
#include "sql/recordings.h"
#include "sql/sqlite_api.h"

/*
 * Register the modules of the tables and the function ktrace_open() in @db, which then has its own
 * references of @recordings.
 */
struct error *sql_register(sqlite3 *db, struct sql_recordings *recordings);

#endif

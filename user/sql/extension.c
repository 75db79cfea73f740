// SPDX-License-Identifier: GPL-2.0
/*
 * SQLite calls this when it loads the extension.  The Makefile compiles this folder once more for
 * the extension; this file is not part of the tool.
 */
#include "sql/sqlite_api.h"

SQLITE_EXTENSION_INIT1

#include "sql/register.h"
#include "sql/recordings.h"
#include "sql/sample_table.h"

__attribute__((visibility("default")))
int sqlite3_extension_init(sqlite3 *db, char **message, const sqlite3_api_routines *api);

int sqlite3_extension_init(sqlite3 *db, char **message, const sqlite3_api_routines *api)
{
	struct sql_recordings *recordings;
	struct error *err;

	SQLITE_EXTENSION_INIT2(api);
	recordings = sql_recordings_create();
	err = recordings ? sql_register(db, recordings) : &error_no_memory;
	sql_recordings_put(recordings);
	return err ? sample_table_failed(message, err) : SQLITE_OK;
}

// SPDX-License-Identifier: GPL-2.0
#include "sql/recording_db.h"

#include <errno.h>

#include "sql/recording_tables.h"

static struct error *fill_db(sqlite3 *db, struct sql_recordings *recordings,
			     const char *const *paths, size_t nr)
{
	_cleanup_(sample_tables) struct sample_tables *tables = NULL;
	struct error *err;
	size_t number;

	err = sql_recordings_open(recordings, paths, nr, &number, &tables);
	if (!err)
		err = recording_tables_register(db, recordings);
	return err ? err : recording_tables_create(db, "main", number, tables);
}

struct error *recording_db_open(const char *const *paths, size_t nr,
				const struct traffic_rules *rules, sqlite3 **ret)
{
	struct sql_recordings *recordings;
	struct error *err;
	sqlite3 *db;

	if (sqlite3_open(":memory:", &db)) {
		err = db ? error_new(EIO, "SQLite does not start: %s", sqlite3_errmsg(db)) :
			   &error_no_memory;
		sqlite3_close(db);
		return err;
	}
	recordings = sql_recordings_create();
	if (recordings)
		recordings->rules = rules;
	err = recordings ? fill_db(db, recordings, paths, nr) : &error_no_memory;
	sql_recordings_put(recordings);
	if (err)
		sqlite3_close(db);
	else
		*ret = db;
	return err;
}

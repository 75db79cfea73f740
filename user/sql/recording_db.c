// SPDX-License-Identifier: GPL-2.0
#include "sql/recording_db.h"

#include <errno.h>
#include <stdbool.h>

#include "sql/recording_tables.h"
#include "sql/register.h"

static struct error *fill_db(sqlite3 *db, struct sql_recordings *recordings,
			     const char *const *paths, size_t nr)
{
	_cleanup_(sample_tables) struct sample_tables *tables = NULL;
	struct error *err;
	size_t number;

	err = sql_recordings_open(recordings, paths, nr, &number, &tables);
	if (!err)
		err = sql_register(db, recordings);
	return err ? err : recording_tables_create(db, "main", number, tables);
}

static const sqlite3_vfs *whole_vfs;

/* Other databases are only read; SQLite may write its own temporary files. */
static int open_readonly(sqlite3_vfs *vfs, const char *path, sqlite3_file *file, int flags,
			 int *ret)
{
	if (flags & SQLITE_OPEN_MAIN_DB) {
		flags &= ~(SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE);
		flags |= SQLITE_OPEN_READONLY;
	}
	return whole_vfs->xOpen(vfs, path, file, flags, ret);
}

/* The name of a way to files by which no statement writes one; NULL: SQLite does not start. */
static const char *readonly_vfs(void)
{
	static sqlite3_vfs vfs;

	if (!whole_vfs) {
		/* An address of a file could name another way. */
		sqlite3_config(SQLITE_CONFIG_URI, 0);
		whole_vfs = sqlite3_vfs_find(NULL);
		if (!whole_vfs)
			return NULL;
		vfs = *whole_vfs;
		vfs.zName = "ktrace-readonly";
		vfs.xOpen = open_readonly;
		sqlite3_vfs_register(&vfs, false);
	}
	return vfs.zName;
}

struct error *recording_db_open(const char *const *paths, size_t nr,
				const struct traffic_rules *rules, sqlite3 **ret)
{
	struct sql_recordings *recordings;
	struct error *err;
	sqlite3 *db;

	if (sqlite3_open_v2(":memory:", &db, SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE,
			    readonly_vfs())) {
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

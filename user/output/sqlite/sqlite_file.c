// SPDX-License-Identifier: GPL-2.0
#include "output/sqlite/sqlite.h"

#include <errno.h>
#include <stdlib.h>

#include "output/sqlite/sqlite_state.h"

/* Rows of samples fill larger pages faster, but each small table also needs a page. */
#define PAGE_SIZE	"16384"

struct error *sqlite_failed(const struct sqlite *db)
{
	int code = sqlite3_system_errno(db->handle);

	return error_new(code ? code : EIO, "Cannot write %s: %s", db->name,
			 sqlite3_errmsg(db->handle));
}

struct error *sqlite_open(const char *path, const char *name, struct sqlite **ret)
{
	struct sqlite *db = calloc(1, sizeof(*db));
	struct error *err;

	if (!db)
		return &error_no_memory;
	db->name = name;
	if (sqlite3_open_v2(path, &db->handle, SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE |
			    SQLITE_OPEN_NOMUTEX, NULL))
		err = db->handle ? sqlite_failed(db) : &error_no_memory;
	else
		err = sqlite_exec(db, "PRAGMA page_size = " PAGE_SIZE "; "
				  "PRAGMA journal_mode = OFF; PRAGMA synchronous = OFF; BEGIN");
	if (err) {
		sqlite_close(db);
		return err;
	}
	*ret = db;
	return NULL;
}

struct error *sqlite_commit(struct sqlite *db)
{
	return sqlite_exec(db, "COMMIT");
}

void sqlite_close(struct sqlite *db)
{
	if (!db)
		return;
	sqlite3_close(db->handle);
	free(db);
}

struct error *sqlite_exec(struct sqlite *db, const char *sql)
{
	return sqlite3_exec(db->handle, sql, NULL, NULL, NULL) ? sqlite_failed(db) : NULL;
}

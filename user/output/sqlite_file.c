// SPDX-License-Identifier: GPL-2.0
#include "output/sqlite.h"

#include <errno.h>
#include <stdlib.h>

#ifdef HAVE_SQLITE3
#include <sqlite3.h>

struct sqlite {
	sqlite3 *handle;
	const char *name;	/* borrowed */
};

struct sqlite_statement {
	struct sqlite *db;
	sqlite3_stmt *handle;
};

static struct error *failed(const struct sqlite *db)
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
		err = db->handle ? failed(db) : &error_no_memory;
	else
		err = sqlite_exec(db, "PRAGMA journal_mode = OFF; PRAGMA synchronous = OFF; BEGIN");
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
	return sqlite3_exec(db->handle, sql, NULL, NULL, NULL) ? failed(db) : NULL;
}

struct error *sqlite_prepare(struct sqlite *db, const char *sql, struct sqlite_statement **ret)
{
	struct sqlite_statement *statement = calloc(1, sizeof(*statement));

	if (!statement)
		return &error_no_memory;
	statement->db = db;
	if (sqlite3_prepare_v3(db->handle, sql, -1, SQLITE_PREPARE_PERSISTENT, &statement->handle,
			       NULL)) {
		free(statement);
		return failed(db);
	}
	*ret = statement;
	return NULL;
}

void sqlite_statement_destroy(struct sqlite_statement *statement)
{
	if (!statement)
		return;
	sqlite3_finalize(statement->handle);
	free(statement);
}

void sqlite_bind_number(struct sqlite_statement *statement, int at, int64_t value)
{
	sqlite3_bind_int64(statement->handle, at, value);
}

void sqlite_bind_text(struct sqlite_statement *statement, int at, const char *text, size_t len)
{
	sqlite3_bind_text64(statement->handle, at, text, len, SQLITE_STATIC, SQLITE_UTF8);
}

void sqlite_bind_bytes(struct sqlite_statement *statement, int at, const void *bytes, size_t len)
{
	sqlite3_bind_blob64(statement->handle, at, len ? bytes : "", len, SQLITE_STATIC);
}

struct error *sqlite_run(struct sqlite_statement *statement)
{
	struct error *err = NULL;

	if (sqlite3_step(statement->handle) != SQLITE_DONE)
		err = failed(statement->db);
	sqlite3_reset(statement->handle);
	sqlite3_clear_bindings(statement->handle);
	return err;
}

#else /* !HAVE_SQLITE3: nothing but sqlite_open() is ever called */

struct error *sqlite_open(const char *path, const char *name, struct sqlite **ret)
{
	return error_hint(error_new(ENOTSUP, "Cannot write %s: ktrace was built without SQLite",
				    name),
			  "Build it again with Debian's libsqlite3-dev installed");
}

struct error *sqlite_commit(struct sqlite *db)
{
	return NULL;
}

void sqlite_close(struct sqlite *db)
{
}

struct error *sqlite_exec(struct sqlite *db, const char *sql)
{
	return NULL;
}

struct error *sqlite_prepare(struct sqlite *db, const char *sql, struct sqlite_statement **ret)
{
	return NULL;
}

void sqlite_statement_destroy(struct sqlite_statement *statement)
{
}

void sqlite_bind_number(struct sqlite_statement *statement, int at, int64_t value)
{
}

void sqlite_bind_text(struct sqlite_statement *statement, int at, const char *text, size_t len)
{
}

void sqlite_bind_bytes(struct sqlite_statement *statement, int at, const void *bytes, size_t len)
{
}

struct error *sqlite_run(struct sqlite_statement *statement)
{
	return NULL;
}

#endif

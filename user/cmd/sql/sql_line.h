/* SPDX-License-Identifier: GPL-2.0 */
/* Reads lines from the terminal.  Builds with libedit have a history and completion. */
#ifndef KTRACE_CMD_SQL_SQL_LINE_H
#define KTRACE_CMD_SQL_SQL_LINE_H

#include <stdbool.h>

#include "lib/cleanup.h"
#include "lib/error.h"
#include "sql/sqlite_api.h"

struct sql_line_editor;

enum sql_line_status {
	SQL_LINE_READ,
	SQL_LINE_ABANDONED,	/* sql_interrupted was set meanwhile */
	SQL_LINE_END,		/* Ctrl-D, or the terminal is gone */
};

/* Whether lines can be edited. */
bool sql_line_can_edit(void);

/*
 * Names of @db are completed, and those of @commands (see sql_completion_find()).  Both are
 * borrowed.
 */
struct error *sql_line_editor_create(sqlite3 *db, const char *const *commands,
				     struct sql_line_editor **ret);

/*
 * Restore the terminal, and save the history for the next time.  A notice reports a history that
 * cannot be saved.
 */
void sql_line_editor_destroy(struct sql_line_editor *editor);
DEFINE_CLEANUP_PTR(sql_line_editor, struct sql_line_editor, sql_line_editor_destroy)

/* *ret is valid until the next call. */
enum sql_line_status sql_line_read(struct sql_line_editor *editor, const char *prompt,
				   const char **ret);

#endif

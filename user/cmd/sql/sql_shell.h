/* SPDX-License-Identifier: GPL-2.0 */
/* Runs statements of SQL from a text, from a script on standard input, or from a user who types. */
#ifndef KTRACE_CMD_SQL_SQL_SHELL_H
#define KTRACE_CMD_SQL_SQL_SHELL_H

#include "lib/error.h"
#include "sql/result_text.h"
#include "sql/sqlite_api.h"

/* Run one command, or all statements of @text up to the first one that fails. */
struct error *sql_shell_query(sqlite3 *db, const char *text, enum result_format format);

/*
 * Read statements and commands from standard input.  On a terminal an error is printed and the next
 * line is read.  In a script an error is the end.
 */
struct error *sql_shell_run(sqlite3 *db, enum result_format format);

#endif

/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The words by which the end of a line of SQL can be completed: keywords, tables, columns, and the
 * commands of the shell.
 */
#ifndef KTRACE_CMD_SQL_SQL_COMPLETION_H
#define KTRACE_CMD_SQL_SQL_COMPLETION_H

#include <stddef.h>

#include "lib/cleanup.h"
#include "lib/error.h"
#include "sql/sqlite_api.h"

struct sql_completion {
	char **items;	/* for the place of the word, in quotes where SQL needs them; owned */
	size_t nr, alloc;
	size_t start;	/* where the word begins in the line, in bytes */
	size_t common;	/* so many bytes are the same in all items */
};

void sql_completion_deinit(struct sql_completion *completion);
DEFINE_CLEANUP(sql_completion, struct sql_completion, sql_completion_deinit)

/*
 * @line ends where the cursor is.  @commands are the names of the shell's commands, which begin
 * with a dot; a list that ends with NULL.  *ret is empty before; without items, there is nothing.
 */
struct error *sql_completion_find(sqlite3 *db, const char *const *commands, const char *line,
				  struct sql_completion *ret);

#endif

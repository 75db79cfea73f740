/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The database of the output sqlite, for the files that call SQLite themselves.
 */
#ifndef KTRACE_OUTPUT_SQLITE_SQLITE_STATE_H
#define KTRACE_OUTPUT_SQLITE_SQLITE_STATE_H

#include <sqlite3.h>

#include "lib/error.h"

struct sqlite {
	sqlite3 *handle;
	const char *name;	/* of the file, for errors; borrowed */
	unsigned int nr_rows;	/* struct sqlite_rows that were created; each has a number */
};

/* The error of the last call of SQLite, as a sentence. */
struct error *sqlite_failed(const struct sqlite *db);

#endif

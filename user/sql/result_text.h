/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Prints the rows of a query on standard output.
 */
#ifndef KTRACE_SQL_RESULT_TEXT_H
#define KTRACE_SQL_RESULT_TEXT_H

#include <sqlite3.h>

#include "lib/error.h"

enum result_format {
	RESULT_TABLE,	/* aligned columns below their names */
	RESULT_CSV,	/* RFC 4180, with a line of names */
	RESULT_JSON,	/* a list of objects */
};

/*
 * Run @statement to its end and print its rows; one without rows, such as CREATE, prints
 * nothing.
 */
struct error *result_text_print(sqlite3_stmt *statement, enum result_format format);

#endif

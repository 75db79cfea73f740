/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Values of columns for SQLite.
 */
#ifndef KTRACE_SQL_COLUMN_VALUE_H
#define KTRACE_SQL_COLUMN_VALUE_H

#include <stddef.h>
#include <stdint.h>

#include "columns/columns.h"
#include "sql/sqlite_api.h"

/* The value of a row of COLUMN_INTEGER or COLUMN_TIME. */
int64_t column_integer(const struct column *column, size_t row);

/* Set the value of a row as the result of a function of SQLite. */
void column_result(const struct column *column, size_t row, sqlite3_context *context);

#endif

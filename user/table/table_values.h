/* SPDX-License-Identifier: GPL-2.0 */
/*
 * A table as columns of values, for Python and SQL.
 */
#ifndef KTRACE_TABLE_TABLE_VALUES_H
#define KTRACE_TABLE_TABLE_VALUES_H

#include <stdbool.h>
#include <stddef.h>

#include "columns/columns.h"
#include "lib/cleanup.h"
#include "table/print/table_provider.h"

/* Integers have 64 bits with a sign.  Unknown values are -1, NaN or an empty text. */
struct table_values {
	struct batch batch;
	bool *missing;		/* by row and column; owned */
};

/* Get the table of @maker when its session has ended, or its columns alone without a session. */
struct error *table_values_take(struct table_maker *maker, struct table_values *ret);
void table_values_deinit(struct table_values *values);
DEFINE_CLEANUP(table_values, struct table_values, table_values_deinit)

static inline bool table_value_is_missing(const struct table_values *values, size_t row, size_t at)
{
	return values->missing[row * values->batch.nr_columns + at];
}

#endif

/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Prints a hierarchy, in which each key has a level of its own, as perf report --hierarchy does.
 */
#ifndef KTRACE_TABLE_PROFILE_HISTOGRAM_HIERARCHY_H
#define KTRACE_TABLE_PROFILE_HISTOGRAM_HIERARCHY_H

#include "table/profile/histogram_table.h"

void histogram_hierarchy_add_head(const struct histogram_table *table, struct strbuf *ret);

/* Append the row at a position, and a line below it if none of its own rows is large enough. */
void histogram_hierarchy_add_row(const struct histogram_table *table, size_t position,
				 struct strbuf *ret);

#endif

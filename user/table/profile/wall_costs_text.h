/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Where the time of threads went: as a table, and the largest costs as sentences.
 */
#ifndef KTRACE_TABLE_PROFILE_WALL_COSTS_TEXT_H
#define KTRACE_TABLE_PROFILE_WALL_COSTS_TEXT_H

#include "lib/strbuf.h"
#include "profile/wall_costs.h"
#include "record/header.h"
#include "table/print/table_print.h"

/* Append the table: all costs, the largest first. */
void wall_costs_add_table(const struct wall_summary *summary, const struct table_output *output,
			  struct strbuf *out);

/*
 * Append lines: the three largest costs, for each its share, how sure that is and the command that
 * shows more; then how much of the time threads waited as their program asked for it.  @lost:
 * records that were lost.  The header tells the command that was recorded.  Nothing is appended
 * if there are no costs.
 */
void wall_costs_add_words(const struct wall_summary *summary, uint64_t lost,
			  const struct header *header, struct strbuf *out);

#endif

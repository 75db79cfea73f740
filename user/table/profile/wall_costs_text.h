/* SPDX-License-Identifier: GPL-2.0 */
/* Where the time of threads went: as a table, and the largest costs as sentences. */
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
 * Append lines: the three largest costs, each with its share, its certainty and the command that
 * shows more.  Another line has the time for which threads waited because their program requested
 * it.  @lost is the number of lost records.  The header has the recorded command.  Nothing is
 * appended if there are no costs.
 */
void wall_costs_add_words(const struct wall_summary *summary, uint64_t lost,
			  const struct header *header, struct strbuf *out);

#endif

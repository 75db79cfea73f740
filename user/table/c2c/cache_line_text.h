/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The tables of `ktrace c2c report`, which are perf's.
 */
#ifndef KTRACE_TABLE_C2C_CACHE_LINE_TEXT_H
#define KTRACE_TABLE_C2C_CACHE_LINE_TEXT_H

#include <stdbool.h>

#include "lib/strbuf.h"
#include "record/event.h"
#include "table/c2c/cache_lines.h"
#include "table/print/table_print.h"

/* How nodes of CPUs are shown: numbers; with shares of accesses; with CPUs. */
enum node_details { NODE_NUMBERS, NODE_SHARES, NODE_CPUS };

/* The data of the tables; all is borrowed. */
struct cache_line_text {
	const struct cache_lines *lines;	/* sorted */
	const struct event_list *events;
	enum node_details nodes;
	bool full_symbols;	/* symbols and source lines are not cut to 30 characters */
};

/* The counts of all samples; in text also those of shared lines. */
void access_totals_add(const struct cache_line_text *text, const struct table_output *output,
		       struct strbuf *out);
/* The lines that are shared. */
void cache_lines_add(const struct cache_line_text *text, const struct table_output *output,
		     struct strbuf *out);
/* The accesses to each of these lines. */
void line_accesses_add(const struct cache_line_text *text, const struct table_output *output,
		       struct strbuf *out);

#endif

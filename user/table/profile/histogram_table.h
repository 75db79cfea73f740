/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The table of a histogram, or of those of a group of events: its rows, its columns and their
 * widths.
 */
#ifndef KTRACE_TABLE_PROFILE_HISTOGRAM_TABLE_H
#define KTRACE_TABLE_PROFILE_HISTOGRAM_TABLE_H

#include "profile/histogram/histogram_rows.h"
#include "table/profile/histogram_key_text.h"
#include "table/profile/histogram_text.h"

struct histogram_table {
	const struct report_events *events;
	const struct histogram *first;		/* the first one with samples */
	const struct report_options *report;
	struct histogram_options options;	/* with all columns */
	uint8_t columns[MAX_COLUMNS];		/* that fit; ends with 0 */
	struct histogram_cell cells[MAX_COLUMNS];	/* of columns */
	uint8_t levels[MAX_KEYS];		/* of the hierarchy: positions of keys */
	size_t nr_levels;			/* 0: it is a list */
	struct histogram_rows rows;
};

/* @events and @report are borrowed.  The only error is a lack of memory. */
struct error *histogram_table_init(struct histogram_table *table,
				   const struct report_events *events,
				   const struct report_options *report);
void histogram_table_deinit(struct histogram_table *table);

/* Make columns narrower until a line has at most @columns.  Returns whether any was narrowed. */
bool histogram_table_fit(struct histogram_table *table, size_t columns);

/* Whether a column has values of a key, and the position of that key in the options. */
bool histogram_table_is_key(const struct histogram_table *table, size_t column,
			    size_t *position);

const char *histogram_table_title(const struct histogram_table *table, size_t column);

/* Append a row's values in a column of sums: one for each event. */
void histogram_table_add_sums(const struct histogram_table *table, size_t column,
			      const struct histogram_row *row, struct strbuf *ret);

/* The percentage by which a row of the first event is left out, or not. */
double histogram_table_percent(const struct histogram_table *table,
			       const struct histogram_row *row);

/* The only name that a key can have, so that it needs no column; NULL: there are several. */
const char *histogram_table_only_name(const struct histogram_options *options,
				      enum histogram_key key);

#endif

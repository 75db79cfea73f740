/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Prints tables of counts as perf stat does: as text, as CSV (-x) and as JSON (-j), one object
 * a line.
 */
#ifndef KTRACE_TABLE_STAT_STAT_TEXT_H
#define KTRACE_TABLE_STAT_STAT_TEXT_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/resource.h>

#include "counts/stat_table.h"
#include "lib/strbuf.h"

enum stat_form { STAT_FORM_TEXT, STAT_FORM_CSV, STAT_FORM_JSON, STAT_FORM_FOLDED };

/* How the table is printed. */
struct stat_layout {
	enum stat_form form;
	const char *separator;	/* between the fields of CSV */
	bool plain_digits;	/* no separators between thousands in any locale */
	bool metric_only;	/* only derived values, a line for each set */
	bool busy_only;		/* leave out the lines of threads that counted nothing */
	bool runs;		/* the table has several runs: show how much they differ */
};

/* The line above the first interval of several; nothing for CSV and JSON. */
void stat_text_add_heading(const struct stat_layout *layout, const struct stat_table *table,
			   struct strbuf *out);

/*
 * A line for each event and set.  @time is the end of the interval, in ns since the counting began;
 * NULL: no intervals.
 */
void stat_text_add_rows(const struct stat_layout *layout, const struct stat_table *table,
			const uint64_t *time, struct strbuf *out);

/* The names of the columns of --metric-only. */
void stat_text_add_metric_names(const struct stat_layout *layout, const struct stat_table *table,
				bool intervals, struct strbuf *out);

/* The part of the text below the rows. */
struct stat_footer {
	const struct stat_series *elapsed;	/* ns */
	const double *runs;			/* each of them, ns; NULL: no table of them */
	const struct rusage *usage;		/* of the command; NULL: not shown */
	bool nothing_above;			/* there were no rows */
};

void stat_text_add_footer(const struct stat_footer *footer, struct strbuf *out);

#endif

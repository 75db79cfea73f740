/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Prints histograms as perf report --stdio does.
 */
#ifndef KTRACE_TABLE_PROFILE_HISTOGRAM_TEXT_H
#define KTRACE_TABLE_PROFILE_HISTOGRAM_TEXT_H

#include "lib/strbuf.h"
#include "profile/histogram/histogram.h"

#define REPORT_DEFAULT_KEYS	"comm,dso,sym"

/* The options of `ktrace report`. */
struct report_options {
	struct histogram_options histogram;
	double limit;		/* entries below this percentage are left out */
	bool after_header;	/* the recording's header is printed above, with perf's --header */
	unsigned int columns;	/* that a line may have; 0: nothing is cut */
	uint16_t widths[MAX_COLUMNS];	/* of columns, in their order; 0: as wide as needed */
	bool threads, raw_threads;	/* -T: counts of threads, in perf's style raw */
	bool group, no_group;	/* show all events side by side; or not even those of groups */
	unsigned int sort_event;	/* position in the group of the first event to sort by */
	bool hierarchy;		/* each key has a level of its own */
	bool task_maps;		/* the tree of tasks also has their mapped files */
	const char *times;	/* the value of --time, borrowed; NULL: all */
	bool quiet;		/* rows alone, without lines of '#' */
	char separator;		/* between columns, as in perf report -t; 0: blanks */
};

/* The events of one table, side by side. */
struct report_events {
	const struct histogram *const *items;	/* an event without samples is NULL */
	const char *const *names;
	size_t nr;
	const char *title;	/* of the group; empty: not a recorded group */
	bool of_group;		/* a single event leads a group that is not shown as one */
};

/*
 * Append the table of one or several events with its head.  At least one has samples.  The only
 * error is a lack of memory.
 */
struct error *histogram_text_add(const struct report_events *events,
				 const struct report_options *report, struct strbuf *ret);

/*
 * Append lines like "# comm: ls" for keys that have no column, because the options select a single
 * value.
 */
void histogram_text_add_only(const struct histogram_options *options, struct strbuf *ret);

#endif

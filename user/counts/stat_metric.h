/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Numbers derived from two counts: instructions per cycle, events per second.  They are perf's.
 * Unlike perf, we derive them only from counts of the same time.  Events of -M have their own
 * metrics instead.
 */
#ifndef KTRACE_COUNTS_STAT_METRIC_H
#define KTRACE_COUNTS_STAT_METRIC_H

#include <stdbool.h>
#include <stddef.h>

#include "counts/stat_table.h"

struct stat_metric {
	/* NULL: the event has no such number.  The text is static, or the formula's. */
	const char *unit;
	const char *format;	/* of the value, "%8.3f"; NULL: the value is unknown */
	double value;
	/* The other event, if the value is unknown because the two did not count together. */
	const struct event *apart;
	const struct stat_formula *formula;	/* the formula of -M; NULL: a built-in number */
};

/* The most numbers of one event. */
#define STAT_METRICS_MAX 32

/* Find the numbers for an event in a set.  Returns how many there are. */
size_t stat_metrics_find(const struct stat_table *table, size_t event, size_t set,
			 struct stat_metric ret[STAT_METRICS_MAX]);

#endif

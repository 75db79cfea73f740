/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Numbers that are derived of two counts: instructions per cycle, events per second.  They are
 * perf's.  Unlike perf, we derive them only of counts that were made at the same time.  Events of
 * -M have the metrics instead for which they are counted.
 */
#ifndef KTRACE_COUNTS_STAT_METRIC_H
#define KTRACE_COUNTS_STAT_METRIC_H

#include <stdbool.h>
#include <stddef.h>

#include "counts/stat_table.h"

struct stat_metric {
	/* NULL: the event has no such number.  The text is static, or its formula's. */
	const char *unit;
	const char *format;	/* of the value, "%8.3f"; NULL: the value is not known */
	double value;
	/* The other event, if the value is not known because they did not count together. */
	const struct event *apart;
	const struct stat_formula *formula;	/* it is one of -M; NULL: it is one of ours */
};

/* The most numbers that one event has. */
#define STAT_METRICS_MAX 32

/* Find the numbers for an event in a set.  Returns how many there are. */
size_t stat_metrics_find(const struct stat_table *table, size_t event, size_t set,
			 struct stat_metric ret[STAT_METRICS_MAX]);

#endif

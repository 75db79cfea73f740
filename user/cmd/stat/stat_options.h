/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The options of `ktrace stat` and `ktrace stat record`.
 */
#ifndef KTRACE_CMD_STAT_STAT_OPTIONS_H
#define KTRACE_CMD_STAT_STAT_OPTIONS_H

#include <stdbool.h>

#include "cmd/stat_metrics.h"
#include "counts/stat_table.h"
#include "lib/cleanup.h"
#include "lib/error.h"
#include "recorder/counters.h"
#include "spec/event_spec.h"
#include "table/stat/stat_text.h"

/* Counting by fields, which the module does. */
struct stat_key_options {
	const char *by, *hist, *value, *latency;	/* NULL: not given; borrowed */
	unsigned int top, max_keys;	/* 0: not given */

	/* Of --latency: */
	char *latency_words;	/* owned; what the others point into */
	const char *pair;	/* the fields that start and end have in common */
	size_t start, end;	/* the events, by their position in the specs */
};

struct stat_options {
	struct event_specs specs;
	struct counters_options counters;	/* points to specs, and into argv */
	enum stat_by by;
	struct stat_layout layout;
	struct stat_key_options keys;
	struct stat_metrics metrics;
	const char *cgroups;	/* --for-each-cgroup; NULL: not given */
	const char *output;	/* -o; NULL: standard error, or for record perf.data */
	const char *pre, *post;
	int details;		/* how often -d was given */
	unsigned int runs;	/* -r; 0: until a signal comes */
	unsigned int interval_ms, nr_intervals, timeout_ms, delay_ms;
	unsigned int log_fd;	/* 0: not given */
	bool begin_disabled;	/* -D -1 */
	struct control control;
	bool raw;		/* --no-scale */
	bool table, nothing, sync, append, clear, summary, no_summary_mark, quiet;
	bool record;		/* `stat record` */
	char **command;		/* ended by NULL; NULL: none */
	int argc;		/* of the command */
	char **versus;		/* the command to compare it with, likewise; NULL: none */
};

/*
 * Parse the command line, and find the events to count.  *ret_index is below 0 if there is
 * nothing left to do, as after --help; it is that of "report" in argv for `stat report`, and
 * argc otherwise.  @ret must not move afterwards; on error it has to be released, too.
 */
struct error *stat_options_parse(int argc, char **argv, struct stat_options *ret,
				 int *ret_index);
void stat_options_deinit(struct stat_options *options);
DEFINE_CLEANUP(stat_options, struct stat_options, stat_options_deinit)

#endif

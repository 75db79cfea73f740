/* SPDX-License-Identifier: GPL-2.0 */
/* Shared code of the parts of `ktrace stat`. */
#ifndef KTRACE_CMD_STAT_STAT_COMMAND_H
#define KTRACE_CMD_STAT_STAT_COMMAND_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <sys/resource.h>

#include "cmd/stat/stat_record.h"
#include "cmd/stat_metrics.h"
#include "counts/stat_table.h"
#include "lib/array.h"
#include "lib/cleanup.h"
#include "lib/error.h"
#include "lib/strbuf.h"
#include "recorder/counters.h"
#include "spec/event_spec.h"
#include "table/stat/stat_text.h"

/*
 * The options of `ktrace stat` and `ktrace stat record`.
 */

/* Counting by fields, which the module does. */
struct stat_key_options {
	const char *by, *hist, *value, *latency;	/* NULL: not given; borrowed */
	unsigned int top, max_keys;	/* 0: not given */
	bool stacks;		/* the keys have call chains */

	/* Of --latency: */
	char *latency_words;	/* owned; pair points into it */
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
 * Parse the command line, and find the events to count.  *ret_index is below 0 if nothing is left
 * to do, as after --help.  For `stat report` it is the index of "report" in argv, and argc
 * otherwise.  @ret must not move afterwards.  On error it has to be released, too.
 */
struct error *stat_options_parse(int argc, char **argv, struct stat_options *ret,
				 int *ret_index);
void stat_options_deinit(struct stat_options *options);
DEFINE_CLEANUP(stat_options, struct stat_options, stat_options_deinit)

/* One execution of `ktrace stat`. */
struct stat_command {
	struct stat_options *options;
	struct counters counters;
	struct counters_run run;
	struct stat_table table;
	struct stat_recording recording;	/* of `stat record` */
	FILE *out;
	bool close_out;
	ARRAY_OF(double) elapsed;	/* ns, of each run */
	unsigned int nr_intervals;
	int status;
};

void stat_command_deinit(struct stat_command *command);
DEFINE_CLEANUP(stat_command, struct stat_command, stat_command_deinit)

/* Open the output that the options name.  *command has options; all else is zero. */
struct error *stat_command_open(struct stat_command *command);

/* Create the table for the counters, which are open. */
struct error *stat_command_init(struct stat_command *command);

/* Count as often as -r requests and print the table, or one for each interval. */
struct error *stat_command_run(struct stat_command *command);

/* Print notes about the counts: shared counters, events that were counted apart. */
void stat_command_tell(const struct stat_command *command);

struct error *stat_command_write(struct stat_command *command, const struct strbuf *text);

/* Append "Performance counter stats for ...". */
void stat_command_add_title(const struct stat_command *command, struct strbuf *out);

/*
 * Read all counters into the table, @elapsed ns after they began.  @usage is the resource usage of
 * the command; NULL: it has not ended, or there is no command.
 */
struct error *stat_command_read(struct stat_command *command, uint64_t elapsed,
				const struct rusage *usage);

/* The resource usage of the last run's command; NULL: unknown. */
const struct rusage *stat_command_usage(const struct stat_command *command);

/*
 * Count once, between the commands of --pre and --post, until the command ends or the time is over.
 * @count counts; NULL: counters_run() for the command's counters.
 */
struct error *stat_command_count(struct stat_command *c, struct error *(*count)(void *data),
				 void *data);

/*
 * `ktrace stat report` prints recordings of counts, ours and perf's.
 */

/* Run it; @argv[0] is "report", and the options before it gave @layout. */
struct error *stat_report(const struct stat_layout *layout, int argc, char **argv);

/* `ktrace stat -r N -- A --versus -- B`: runs two commands in turns, and compares them. */

/* Run both commands as often as -r requests, and print their differences. */
struct error *stat_versus_run(struct stat_command *command);

#endif

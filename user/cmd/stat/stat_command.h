/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What the parts of `ktrace stat` share.
 */
#ifndef KTRACE_CMD_STAT_STAT_COMMAND_H
#define KTRACE_CMD_STAT_STAT_COMMAND_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <sys/resource.h>

#include "cmd/stat/stat_options.h"
#include "cmd/stat/stat_record.h"
#include "counts/stat_table.h"
#include "lib/cleanup.h"
#include "lib/strbuf.h"
#include "recorder/counters.h"

/* One execution of `ktrace stat`. */
struct stat_command {
	struct stat_options *options;
	struct counters counters;
	struct counters_run run;
	struct stat_table table;
	struct stat_recording recording;	/* of `stat record` */
	FILE *out;
	bool close_out;
	struct {
		double *items;
		size_t nr, alloc;
	} elapsed;		/* ns, of each run */
	unsigned int nr_intervals;
	int status;
};

void stat_command_deinit(struct stat_command *command);
DEFINE_CLEANUP(stat_command, struct stat_command, stat_command_deinit)

/* Open the output as the options say.  *command has options; all else is zero. */
struct error *stat_command_open(struct stat_command *command);

/* Make the table for the counters, which are open. */
struct error *stat_command_init(struct stat_command *command);

/* Count as often as -r says and print the table, or one for each interval. */
struct error *stat_command_run(struct stat_command *command);

/* Tell what the counts do not say: shared counters, events that were counted apart. */
void stat_command_tell(const struct stat_command *command);

struct error *stat_command_write(struct stat_command *command, const struct strbuf *text);

/* Append "Performance counter stats for ...". */
void stat_command_add_title(const struct stat_command *command, struct strbuf *out);

/*
 * Read all counters into the table, @elapsed ns after they began.  @usage is that of the command;
 * NULL: it has not ended, or there is none.
 */
struct error *stat_command_read(struct stat_command *command, uint64_t elapsed,
				const struct rusage *usage);

/* What the command of the last run has used; NULL: it is not known. */
const struct rusage *stat_command_usage(const struct stat_command *command);

/*
 * Count once, until the command ends or the time is over, between what --pre and --post run.
 * @count does it; NULL: counters_run() for the command's counters.
 */
struct error *stat_command_count(struct stat_command *c, struct error *(*count)(void *data),
				 void *data);

#endif

/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Counts of `ktrace stat --by` that need a recording.  Where the module is missing, perf_event
 * records, and the samples are read as they come, counted, and dropped.  Where the module counts by
 * call chains, tasks and their maps alone are recorded, which give addresses their names.
 */
#ifndef KTRACE_CMD_STAT_STAT_RECORDED_H
#define KTRACE_CMD_STAT_STAT_RECORDED_H

#include "cmd/live_run.h"
#include "cmd/stat/stat_command.h"

struct stat_recorded {
	struct stat_command *command;
	bool by_module;
	/* Called for each sample, in the order of time, and when an interval has ended. */
	struct error *(*sample)(void *data, const struct session_record *r);
	struct error *(*interval)(void *data, uint64_t elapsed);
	/* By the module: before records are taken, and for those that change maps at @time. */
	struct error *(*read)(void *data);
	struct error *(*before)(void *data, uint64_t time);
	void *data;

	struct live_run run;		/* its plan has the events, and those that report tasks */
	struct session_consumer consumer;
	uint64_t begin, next;		/* ns of the monotonic clock; next: end of the interval */
	unsigned int nr_intervals;
};

/* Whether events have to be recorded to be counted by fields: the module is not loaded. */
bool stat_recorded_is_needed(void);

/*
 * Find out what is to be recorded; nothing is opened yet.  By the module: the events of the plan
 * are to be given their count_keys then.  @ret must not move.  On error it has
 * to be released, too.
 */
struct error *stat_recorded_init(struct stat_command *command, bool by_module,
				 struct stat_recorded *ret);
void stat_recorded_deinit(struct stat_recorded *recorded);
DEFINE_CLEANUP(stat_recorded, struct stat_recorded, stat_recorded_deinit)

/*
 * Do what counters_run() does: record until the command has ended, the time is over, or a signal
 * has come.  command->run has then the elapsed time and the command.
 */
struct error *stat_recorded_run(struct stat_recorded *recorded);

/*
 * How many samples of the first @nr events were lost, as far as it is known; *ret_unknown: some
 * more may be.
 */
uint64_t stat_recorded_lost(const struct stat_recorded *recorded, size_t nr, bool *ret_unknown);

#endif

/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Counts of `ktrace stat --by` that need a recording.  Without the module, perf_event records, and
 * the samples are read, counted and dropped as they arrive.  If the module counts by call chains,
 * only tasks and their maps are recorded, to name addresses.
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
	/*
	 * By the module: called before records are taken, and before records that change maps at
	 * @time.
	 */
	struct error *(*read)(void *data);
	struct error *(*before)(void *data, uint64_t time);
	void *data;

	struct live_run run;		/* its plan has the events, and events that report tasks */
	struct session_consumer consumer;
	uint64_t begin, next;		/* ns of the monotonic clock; next: end of the interval */
	unsigned int nr_intervals;
};

/* Whether events have to be recorded to be counted by fields: the module is not loaded. */
bool stat_recorded_is_needed(void);

/*
 * Prepare the recording without opening anything.  By the module: the caller then gives the events
 * of the plan their count_keys.  @ret must not move.  On error it has to be released, too.
 */
struct error *stat_recorded_init(struct stat_command *command, bool by_module,
				 struct stat_recorded *ret);
void stat_recorded_deinit(struct stat_recorded *recorded);
DEFINE_CLEANUP(stat_recorded, struct stat_recorded, stat_recorded_deinit)

/*
 * Record until the command has ended, the time is over, or a signal has arrived, as counters_run()
 * does. command->run then has the elapsed time and the command.
 */
struct error *stat_recorded_run(struct stat_recorded *recorded);

/* The known number of lost samples of the first @nr events.  *ret_unknown: more may be lost. */
uint64_t stat_recorded_lost(const struct stat_recorded *recorded, size_t nr, bool *ret_unknown);

#endif

/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Counts events without recording them: once, in intervals, or in each of several executions of a
 * command.
 */
#ifndef KTRACE_RECORDER_COUNTERS_H
#define KTRACE_RECORDER_COUNTERS_H

#include <stdbool.h>
#include <stdint.h>

#include "capture/backend.h"
#include "capture/event_filter.h"
#include "lib/cleanup.h"
#include "lib/error.h"
#include "record/event.h"
#include "recorder/control.h"
#include "recorder/target.h"
#include "recorder/workload.h"
#include "spec/event_spec.h"

/* All pointers are borrowed and not needed after counters_init(). */
struct counters_options {
	const struct event_specs *specs;
	struct target_options target;
	bool only_user, only_kernel;
	bool by_keys;	/* by event->count, which the caller sets before counters_run() */
	bool user_strings;	/* with the strings of system calls, which the module can store */
	bool late;	/* counting begins after the command */
};

struct counters {
	struct event_list events;
	struct event_filters filters;	/* the events point into them */
	struct record_target target;
	struct capture_target places;	/* points into the target */
	size_t nr_places;
	const struct counting_ops *ops;
	bool user_strings;		/* as in struct counters_options */
	struct counting *counting;	/* during a run, and until the next one */
};

/*
 * Determine the events and places to count.  Nothing is opened yet.  @ret must not move afterwards.
 * On error, it has to be released, too.
 */
struct error *counters_init(const struct counters_options *options, struct counters *ret);
void counters_deinit(struct counters *counters);

/* Returns an error unless the event has fields for keys. */
struct error *counters_check_fields(const struct event_spec *spec);

/* One execution of the command, or one period of counting. */
struct counters_run {
	struct workload_options command;	/* argv NULL: none, count until a signal comes */
	unsigned int delay_ms;		/* from the start of the command to that of counting */
	bool begin_disabled;		/* only a command of `control` starts counting */
	struct control *control;	/* NULL: no commands */
	unsigned int interval_ms;	/* 0: no intervals */
	unsigned int nr_intervals;	/* end after this number; 0: no limit */
	unsigned int timeout_ms;	/* end after this time; 0: never */
	/* Called when all counters are open, before anything runs; NULL: none. */
	struct error *(*opened)(void *data);
	/* An interval has ended, @elapsed ns after the start of counting. */
	struct error *(*interval)(void *data, uint64_t elapsed);
	void *data;

	/* Filled in by counters_run(): */
	uint64_t elapsed;	/* ns from the start to the end of counting */
	struct workload workload;	/* reaped */
	bool limited;			/* we ended it: by the timeout, or by "stop" */
};

/*
 * Open the counters, count until the command or the observed tasks have ended, the timeout is over
 * or a signal has come, and stop them.  They can be read until the next run begins.  Signals are
 * blocked by interrupt_block() from the opening on.
 */
struct error *counters_run(struct counters *counters, struct counters_run *run);

/* Read the event's count in a place since the run began. */
struct error *counters_read(const struct counters *counters, const struct event *event,
			    size_t place, struct capture_count *ret);

#endif

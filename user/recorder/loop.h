/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Moves records from the rings to a consumer until it is time to stop.
 */
#ifndef KTRACE_RECORDER_LOOP_H
#define KTRACE_RECORDER_LOOP_H

#include <stdbool.h>
#include <stdint.h>

#include "lib/error.h"
#include "record/record.h"
#include "recorder/captures.h"
#include "recorder/control.h"
#include "recorder/workload.h"

/* The consumer of a loop's records.  All functions are called in the thread that runs the loop. */
struct loop_consumer {
	/* Takes the records.  If it has a round(), it gets the marks, twice a second. */
	struct record_sink *sink;
	/* Called at the beginning, every few seconds and at the end.  Optional: NULL. */
	struct error *(*clock)(struct loop_consumer *consumer, struct captures *captures);
	/*
	 * A trigger event has fired, or SIGUSR2 came: take a snapshot if these are enabled.
	 * Optional: NULL.
	 */
	struct error *(*requested)(struct loop_consumer *consumer);
	bool deaf;	/* ignore trigger events for now, but not SIGUSR2 */
	/*
	 * Called after the rings were drained, several times a second, and when the descriptor
	 * @input (0: none) is readable.  *ret_end ends the recording.  Optional: NULL.
	 */
	struct error *(*turn)(struct loop_consumer *consumer, bool *ret_end);
	int input;
};

struct loop {
	struct captures *captures;
	struct workload *workload;	/* recording ends with it; pid 0: there is none */
	bool has_tasks;			/* without a command: ends with the last of its tasks */
	unsigned int latency_ms;	/* between two marks; 0: default */
	struct control *control;	/* gives commands to pause and end; NULL: none; borrowed */
	unsigned int duration_ms;	/* ends after this time; 0: no limit */
	unsigned long wakeups;		/* number of waits for records */
	bool told_own_work;
};

/*
 * Record until the workload or all tasks have ended, INT, TERM or HUP comes (lib/interrupt.h), or
 * the duration is over.  When it returns without an error, the captures are stopped and the rings
 * are drained; captures_ledger() gives the remaining data.
 */
struct error *loop_run(struct loop *loop, struct loop_consumer *consumer);

/*
 * Print a notice, once, if most samples are of the recorder itself and their number is @at_least.
 */
void loop_tell_own_work(struct loop *loop, uint64_t at_least);

#endif

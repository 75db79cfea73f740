/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Records in this process.  A command that records calls
 *
 *	interrupt_begin()			before anything else
 *	plan_init()				the plan, from parsed options
 *	recorder_open()				the command waits, everything is open
 *	perf_file_create(), snapshots_init() or a consumer of its own
 *	recorder_delay()			optional: the command runs, nothing is recorded
 *	recorder_start()			records, and lets the command run
 *	recorder_run()				until the end
 *	recorder_ledger()			the last data of the captures, and the sums
 *	workload_finish()			the command's exit status is known
 *	recorder_close()
 *
 * recorder/child.h runs `ktrace record` in a process of its own instead.
 */
#ifndef KTRACE_RECORDER_RECORDER_H
#define KTRACE_RECORDER_RECORDER_H

#include <limits.h>

#include "lib/cleanup.h"
#include "lib/error.h"
#include "record/ledger.h"
#include "recorder/captures.h"
#include "recorder/loop.h"
#include "recorder/plan.h"
#include "recorder/workload.h"

struct recorder {
	struct plan *plan;
	struct workload workload;
	struct captures captures;
	struct loop loop;	/* its latency and duration may be set before recorder_run() */
	struct ledger ledger;
	bool delayed;		/* recorder_delay() has let the command run */
	bool started;		/* --control has started the captures during recorder_delay() */
	bool told_end;		/* --control has ended it, so recorder_run() records nothing */
};

/*
 * Fork the command, if there is one, and open all events of @plan, which must outlive @ret.  From
 * then on, also on error, signals are blocked as by interrupt_block().  @ret must not move; on
 * error, it has to be closed, too.
 */
struct error *recorder_open(struct plan *plan, const struct workload_options *command,
			    struct recorder *ret);

#define RECORDER_UNTIL_TOLD	UINT_MAX

/*
 * Let the command run without recording it, for @ms.  The delay also ends when the command ends,
 * when a signal comes, or when a command of loop.control begins or ends the recording.  With
 * RECORDER_UNTIL_TOLD there is no time limit.  The plan must have been created with
 * plan_options.delayed.
 */
struct error *recorder_delay(struct recorder *recorder, unsigned int ms);

/* Start recording, and then the command, unless it runs already. */
struct error *recorder_start(struct recorder *recorder);

/* Pass the records to @consumer until the end, as loop_run() does.  The command may still run. */
struct error *recorder_run(struct recorder *recorder, struct loop_consumer *consumer);

/* After recorder_run(), write the last data to the consumer, and sum up recorder->ledger. */
struct error *recorder_ledger(struct recorder *recorder, struct loop_consumer *consumer);

/* End the command if it still runs, and release all resources. */
void recorder_close(struct recorder *recorder);
DEFINE_CLEANUP(recorder, struct recorder, recorder_close)

#endif

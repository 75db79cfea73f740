/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Reads its own recording, for commands that show or count events while they happen.  All is done
 * in one thread, in the turns of the recorder's loop.  A command makes the plan, opens the
 * recorder, and then calls
 *
 *	live_run_add_formats()		optional: for events whose fields are read
 *	recorder_delay()		optional
 *	live_run_begin()
 *	recorder_start()
 *	live_run_loop()			live.consumer.turn calls live_run_take()
 *	live_run_take()			the last records
 */
#ifndef KTRACE_CMD_LIVE_RUN_H
#define KTRACE_CMD_LIVE_RUN_H

#include "lib/error.h"
#include "record/header.h"
#include "recorder/live_records.h"
#include "recorder/recorder.h"
#include "session/machine.h"
#include "session/session.h"

/* Begin with zeroes, and the command line in info. */
struct live_run {
	struct writer_info info;
	struct plan plan;
	struct recorder recorder;	/* records arrive each loop.latency_ms, with a mark */
	struct live_records live;	/* its consumer's functions are the caller's */
	struct header header;		/* only with a machine */
	struct machine *machine;	/* NULL: none */
	struct formats *formats;	/* NULL: the formats that the plan's filters loaded */
	struct session session;
};

/* Add the formats of tracepoints, as in "kvm:*", except for existing ones. */
struct error *live_run_add_formats(struct live_run *run, const char *glob);

/* Begin a session for the recorder, which is open; @symbols NULL: no machine. */
struct error *live_run_begin(struct live_run *run, const struct symbol_options *symbols);

/* Pass @consumer the records whose order is known.  A nonzero *@stop (may be NULL) ends it. */
struct error *live_run_take(struct live_run *run, struct session_consumer *consumer,
			    const volatile int *stop);

/* Record until the end, and sum up the ledger. live_run_take() then gives the remaining records. */
struct error *live_run_loop(struct live_run *run);

/* Warn about lost @what, such as "events"; @advice ends the sentence "a larger ring (-m) ". */
void live_run_tell_lost(const struct live_run *run, const char *what, const char *advice);

void live_run_deinit(struct live_run *run);

#endif

/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Events that are not recorded but have the effect of SIGUSR2: a thread waits for them, and sends
 * this process the signal.
 */
#ifndef KTRACE_RECORDER_SWITCH_EVENTS_H
#define KTRACE_RECORDER_SWITCH_EVENTS_H

#include <pthread.h>
#include <stdbool.h>

#include "lib/cleanup.h"
#include "lib/error.h"
#include "recorder/plan.h"

/* Initialize it to zeros: no events.  It must not move once it is open. */
struct switch_events {
	struct plan plan;
	struct capture *capture;	/* NULL: not open */
	bool asks_once;		/* set by the caller: once until switch_events_take() */
	/* For switch_events_take(): `pending` is set last, and reset by the taker. */
	bool pending;
	const char *name;		/* of the first event, borrowed */
	uint64_t time;
	uint64_t count;			/* of all events so far, a lower bound */
	uint64_t hold_until;		/* ms of CLOCK_MONOTONIC */
	int end;			/* an eventfd that ends the thread */
	bool running;
	pthread_t thread;
};

/*
 * Open the events of @specs for the tasks and CPUs of @target; @command is the task if that is a
 * command.  Times are those of @clockid (-1: perf's clock).  On error, it has to be closed, too.
 */
struct error *switch_events_open(struct switch_events *events, const struct event_specs *specs,
				 const struct target_options *target, int32_t clockid,
				 pid_t command);

/* Begin to wait.  Signals have to be blocked (interrupt_block()). */
struct error *switch_events_start(struct switch_events *events);

/*
 * Returns the name of the event that has requested a file since the last call, and its time in ns;
 * NULL: none.
 */
const char *switch_events_take(struct switch_events *events, uint64_t *ret_time);

/* Until this time (monotonic_ms()), events are only counted. */
void switch_events_hold(struct switch_events *events, uint64_t until_ms);

/* A lower bound of the number of events so far. */
uint64_t switch_events_count(const struct switch_events *events);

/* End the thread; switch_events_count() is then final. */
struct error *switch_events_stop(struct switch_events *events);

/* End the thread and release all resources. */
void switch_events_close(struct switch_events *events);

#endif

/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Events that are not recorded, but ask for what SIGUSR2 asks for: a thread waits for them, and
 * sends this process the signal.
 */
#ifndef KTRACE_RECORDER_SWITCH_EVENTS_H
#define KTRACE_RECORDER_SWITCH_EVENTS_H

#include <pthread.h>
#include <stdbool.h>

#include "lib/cleanup.h"
#include "lib/error.h"
#include "recorder/plan.h"

/* All zero: there are none.  It must not move once it is open. */
struct switch_events {
	struct plan plan;
	struct capture *capture;	/* NULL: not open */
	int end;			/* an eventfd that ends the thread */
	bool running;
	pthread_t thread;
};

/*
 * Open the events of @specs for the tasks and CPUs of @target; @command is the task if that is a
 * command.  On error it has to be closed, too.
 */
struct error *switch_events_open(struct switch_events *events, const struct event_specs *specs,
				 const struct target_options *target, pid_t command);

/* Begin to wait.  Signals have to be blocked (interrupt_block()). */
struct error *switch_events_start(struct switch_events *events);

/* End the thread and release everything. */
void switch_events_close(struct switch_events *events);

#endif

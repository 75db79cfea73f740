/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Turns the samples of a clock or of cycles, and the scheduler's tracepoints, into samples of one
 * event whose periods are nanoseconds and add up to the time that each thread was there:
 *
 *	running		the sample of the clock, with how long the thread has run since its last
 *			one; and the last one again, with how long it ran then
 *	runnable	the switch at which it was preempted, or had gone to sleep before it was
 *			woken, with how long it waited for a CPU; at first, who made it, and where
 *	blocked		the switch at which it stopped, with how long until it was woken
 *
 * Nobody knows where threads that were there before the recording were off the CPU at first; how
 * long that was is in struct wall_rest, so nothing is missing.  The event
 * sched:sched_switch is renamed to WALL_TIME_EVENT; samples of other events go on.
 */
#ifndef KTRACE_STATES_WALL_TIME_H
#define KTRACE_STATES_WALL_TIME_H

#include <stdint.h>

#include "lib/cleanup.h"
#include "lib/strbuf.h"
#include "states/task_states.h"

#define WALL_TIME_EVENT	"wall-time"

struct wall_time;

/* When the session has ended: ns of all threads that samples are of. */
struct wall_rest {
	uint64_t running, runnable, blocked;	/* of which there are samples */
	uint64_t before;	/* that others were off the CPU before their first switch */
	uint64_t lost;		/* in which records were lost */
};

/* ENODATA: the recording has no such samples, or no switches; the hint records both. */
struct error *wall_time_check(const struct event_list *events);

/* Rename the event that wall_time_create() gives to samples. */
struct error *wall_time_rename_event(struct event_list *events);

/* @next and @events are borrowed. */
struct error *wall_time_create(const struct event_list *events, struct session_consumer *next,
			       struct wall_time **ret);
void wall_time_destroy(struct wall_time *wall);
DEFINE_CLEANUP_PTR(wall_time, struct wall_time, wall_time_destroy)

struct session_consumer *wall_time_consumer(struct wall_time *wall);

/* Append sentences about time that is in no sample; nothing if all is. */
void wall_time_add_missing(const struct wall_time *wall, struct strbuf *out);

void wall_time_rest(const struct wall_time *wall, struct wall_rest *ret);

#endif

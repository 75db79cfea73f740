/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Converts samples of a clock or of cycles, and of the scheduler's tracepoints, to samples of one
 * event.  Their periods are nanoseconds and add up to the lifetime of each thread:
 *
 *	running		the sample of the clock, with the time that the thread ran since the
 *			previous one; and the last one again, with the time that it ran after it
 *	runnable	the switch at which it was preempted, or at which it went to sleep before
 *			it was woken, with the wait for a CPU; at first, the event of its creation
 *	blocked		the switch at which it stopped, with the time until it was woken
 *
 * For threads that existed before the recording, the first place off the CPU is unknown; that time
 * is in struct wall_rest, so none is missing.  The event sched:sched_switch is renamed to
 * WALL_TIME_EVENT; samples of other events pass.
 */
#ifndef KTRACE_STATES_WALL_TIME_H
#define KTRACE_STATES_WALL_TIME_H

#include <stdint.h>

#include "lib/cleanup.h"
#include "lib/strbuf.h"
#include "states/task_states.h"

#define WALL_TIME_EVENT	"wall-time"

struct wall_time;

/* After the end of the session: ns of all threads with samples. */
struct wall_rest {
	uint64_t running, runnable, blocked;	/* time that is in samples */
	uint64_t before;	/* time off the CPU of threads before their first switch */
	uint64_t lost;		/* time with lost records */
};

/* ENODATA: the recording has no such samples, or no switches; the hint shows how to record them. */
struct error *wall_time_check(const struct event_list *events);

/* Rename the event that wall_time_create() uses for samples. */
struct error *wall_time_rename_event(struct event_list *events);

/* @next and @events are borrowed. */
struct error *wall_time_create(const struct event_list *events, struct session_consumer *next,
			       struct wall_time **ret);
void wall_time_destroy(struct wall_time *wall);
DEFINE_CLEANUP_PTR(wall_time, struct wall_time, wall_time_destroy)

struct session_consumer *wall_time_consumer(struct wall_time *wall);

/* Append sentences about time that is in no sample; nothing if there is none. */
void wall_time_add_missing(const struct wall_time *wall, struct strbuf *out);

void wall_time_rest(const struct wall_time *wall, struct wall_rest *ret);

#endif

/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The data of a sample of the scheduler's tracepoints, independent of the recorded kernel.
 */
#ifndef KTRACE_STATES_SCHED_EVENT_H
#define KTRACE_STATES_SCHED_EVENT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "lib/array.h"
#include "session/session.h"

enum sched_event_kind {
	SCHED_EVENT_OTHER = 0,	/* any other event; only @again is set */
	SCHED_EVENT_SWITCH,	/* @cpu stops running @tid and runs @next_tid */
	SCHED_EVENT_WAKING,	/* the sample's task begins to wake @tid */
	SCHED_EVENT_WAKEUP,	/* @tid has been woken */
	SCHED_EVENT_WAKEUP_NEW,	/* @tid may run for the first time */
	SCHED_EVENT_MIGRATE,	/* @tid moves from @cpu_from to @cpu_to */
	SCHED_EVENT_RUNTIME,	/* @tid has run for @runtime more */
};

#define SCHED_EVENT_KINDS	(SCHED_EVENT_RUNTIME + 1)

/* The reason why a task stopped running. */
struct sched_leave {
	uint64_t bits;		/* prev_state */
	char letter;		/* the kernel's letter: R, S, D ... */
	bool runnable;		/* it was preempted, or has yielded */
	bool dead;		/* it will not run again */
};

struct sched_event {
	enum sched_event_kind kind;
	bool again;		/* an event of these kinds that the recording has twice */
	int32_t tid, next_tid;	/* 0: a CPU's idle task */
	int32_t cpu;		/* location; -1: not sampled */
	int32_t cpu_from, cpu_to;
	uint64_t time, runtime;	/* ns */
	struct sched_leave leave;	/* of a switch */
	bool in_interrupt;		/* an interrupt woke @tid, not the sample's task */
	const struct session_record *sample;
};

/* The event formats of one recording. */
struct sched_events {
	ARRAY_OF(struct sched_event_fields) fields;	/* by event->index */
	uint64_t found;		/* a bit 1 << kind for each kind with samples */
};

void sched_events_deinit(struct sched_events *events);

/* Read a sample.  The only possible error is lack of memory. */
struct error *sched_event_read(struct sched_events *events, const struct session_record *r,
			       struct sched_event *ret);

/* Whether a LOST record may concern switches or wakeups. */
bool sched_event_is_lost(const struct session_record *r);

/*
 * The kernel's priority of e->tid, which stops, is woken or moves: 0 to 99 are real-time, 120 is
 * nice 0; -1: the event does not have it.
 */
int32_t sched_event_prio(const struct sched_event *e);

/*
 * Whether the samples of an event contain the numbers of their tasks as 32-bit words at multiples
 * of 4 in the raw data.  Then bytes without these words have no sample of the tasks.
 */
bool sched_event_has_words(const struct event_format *format);

#endif

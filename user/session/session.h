/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Delivers the data of a recording to consumers: records in time order, with the event's format and
 * the task's comm.  A session is between a source (file, pipe or live rings) and a consumer of
 * samples (text, Python).
 */
#ifndef KTRACE_SESSION_SESSION_H
#define KTRACE_SESSION_SESSION_H

#include <stdbool.h>
#include <stdint.h>

#include "format/event_format.h"
#include "record/event.h"
#include "record/record.h"
#include "record/sample.h"
#include "session/machine.h"
#include "session/process.h"

/* The time of a loss, known from a LOST record, ns. */
struct session_loss {
	uint64_t since;	/* the last stored record, or the first lost one; 0: unknown */
	uint64_t until;	/* the next stored record, or the last lost one */
	bool of_event;	/* only samples of the record's event were lost, else any */
};

/*
 * The time of the last sample of each ring that the session has read, ns; 0: none so far.  The ring
 * of perf_event is at twice the number of its CPU, the device's behind it.
 */
struct session_rings {
	uint64_t *items;
	size_t nr, alloc;
};

/* One record with its context; all members are valid during the call only. */
struct session_record {
	struct record record;
	struct sample sample;		/* SAMPLE: decoded; others: their sample_id */
	const struct event *event;	/* NULL: unknown */
	const struct event_list *events; /* the known ones of the recording */
	const struct event_format *format; /* SAMPLE, LOST; NULL: no tracepoint, or no format */
	struct session_loss loss;	/* LOST only */
	const struct session_rings *rings; /* they go on, and are valid until finish() returns */
	int32_t pid, tid;		/* the record's task: as in COMM, FORK; or sample's */
	const char *comm;		/* of tid at that instant; see processes_comm() */
	const char *origin;		/* of several recordings; NULL: there is only one */
	const char *task_state;		/* of the time that a sample represents; or NULL */
	const char *waker;		/* the task that ended the sleep of a sample; or NULL */
	struct processes *processes;	/* the tasks at that instant */
	struct machine *machine;	/* names addresses; NULL: the session has none */
	const struct maps *maps;	/* of a sample's process, for machine_find(); or NULL */
};

/* Plain samples (record/event.h) in any order.  Their tasks did not change during that time. */
struct session_span {
	struct sample_span samples;
	const struct event_list *events;
	struct processes *processes;
};

/*
 * The callbacks for records; members may be NULL.  A consumer with span() does not depend on the
 * order of samples: it may get some in bulk, and others through sample(). finish() is called last,
 * even if an error has ended the session; comms still exist then.
 */
struct session_consumer {
	/* A record other than a sample comes at @time, and has not changed tasks and maps yet. */
	struct error *(*before)(struct session_consumer *consumer, uint64_t time);
	struct error *(*sample)(struct session_consumer *consumer, const struct session_record *r);
	struct error *(*other)(struct session_consumer *consumer, const struct session_record *r);
	struct error *(*span)(struct session_consumer *consumer, const struct session_span *span);
	struct error *(*finish)(struct session_consumer *consumer);
};

struct session {
	struct record_source *source;	/* borrowed */
	struct event_list *events;	/* borrowed; may grow while a pipe is read */
	struct formats *formats;	/* borrowed */
	struct processes *processes;	/* session_run()'s own when NULL */
	struct machine *machine;	/* borrowed; NULL: addresses stay numbers */
	volatile int *stop;		/* borrowed, may be NULL; nonzero ends session_run() */
	bool in_file_order;		/* records come in the source's order, rounds included */

	/* Counted by session_run(). */
	uint64_t samples, lost, inversions, corrupt;
	uint64_t guests;	/* samples in guests, which are not delivered */
	uint64_t counts;	/* records of `perf stat record` */
	uint64_t aux_bytes;	/* of hardware traces, which are not decoded */
	uint32_t aux_type;	/* type in AUXTRACE_INFO; 0: there was none */

	struct session_steps *steps;	/* between session_start() and session_finish() */
};

/*
 * Pass all records from the source to the consumer in time order.  Returns the source's or the
 * consumer's error.
 */
struct error *session_run(struct session *session, struct session_consumer *consumer);

/*
 * session_run() in steps, for callers that pull records: start once, step until *ret_more is false,
 * and finish in any case.  A step takes one record from the source and may give the consumer none,
 * one, or the several of a group.  If the source only has no record yet (RECORD_LATER), *ret_more
 * is false, too, and further steps may follow later.
 */
struct error *session_start(struct session *session);
struct error *session_step(struct session *session, struct session_consumer *consumer,
			   bool *ret_more);
void session_finish(struct session *session);

#endif

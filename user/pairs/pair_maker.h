/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Creates samples of pairs of events: of a start and the next end with the same key, on any CPU.
 * If a start comes again before its end, the pair begins with the last one.  The number 0 in a
 * field of the type pid_t stands for the idle task of the record's CPU.
 *
 * There is no pair if an event may have been lost between its ends, because the end may then belong
 * to another start.  There is none either if a value has no result, because of a division by 0.
 *
 * The samples are of a tracepoint, "synthetic:NAME", and have the time, task and CPU of the end.
 * Their fields are `lat`, the ns from start to end, and the values of the specification.
 */
#ifndef KTRACE_PAIRS_PAIR_MAKER_H
#define KTRACE_PAIRS_PAIR_MAKER_H

#include <stdint.h>

#include "lib/cleanup.h"
#include "lib/error.h"
#include "session/session.h"
#include "spec/pair_spec.h"

#define PAIR_SYSTEM	"synthetic"

struct pair_maker;

/* The outcome of starts and ends. */
struct pair_counts {
	uint64_t made;
	uint64_t shorter;	/* than the limit of the specification */
	uint64_t unknown;	/* an event may have been lost between the two */
	uint64_t no_result;	/* a value has no result */
	uint64_t without_start;	/* ends */
	uint64_t again;		/* starts that came again before their end */
	uint64_t open;		/* starts without an end at the end of the recording */
};

/* A new event. */
struct pair_event {
	const char *name;		/* "synthetic:NAME" */
	struct perf_event_attr attr;
	uint64_t id;			/* of its samples */
	const char *format;		/* the text of its format file */
	const struct event *ends[2];	/* its start and end, in the recording */
	struct pair_counts counts;	/* after all records */
};

struct error *pair_maker_create(struct pair_maker **ret);
void pair_maker_destroy(struct pair_maker *maker);
DEFINE_CLEANUP_PTR(pair_maker, struct pair_maker, pair_maker_destroy)

/*
 * Add pairs of a recording's events.  These, @formats and @spec must outlive the maker.  Errors
 * show the specification, with a caret at the mistake.  It is also an error if the recording
 * certainly lacks firings that would end other pairs.
 */
struct error *pair_maker_add(struct pair_maker *maker, const struct pair_spec *spec,
			     const struct event_list *events, const struct formats *formats);

/* Reads the records of the recording. */
struct session_consumer *pair_maker_consumer(struct pair_maker *maker);

/* The events in the order of pair_maker_add(); NULL: no more.  The maker owns them. */
const struct pair_event *pair_maker_event(const struct pair_maker *maker, size_t index);

/* After all records: the next sample that is not later than @time, ns; NULL: none. */
const struct perf_event_header *pair_maker_next(struct pair_maker *maker, uint64_t time);

#endif

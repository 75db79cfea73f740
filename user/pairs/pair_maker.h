/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Makes samples of pairs of events: of a start and the next end that has the same key, on whatever
 * CPU.  If a start comes again before its end, the pair begins with the last one.  The number 0 in
 * a field of the type pid_t stands for the idle task of the record's CPU.
 *
 * A pair is not made if one of its events may have been lost between its ends: then the end may be
 * that of another start.  Nor is one whose values have no result, because of a division by 0.
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

/* What became of the ends of a pair. */
struct pair_counts {
	uint64_t made;
	uint64_t shorter;	/* than the specification wants */
	uint64_t unknown;	/* something may have been lost between the two */
	uint64_t no_result;	/* a value has none */
	uint64_t without_start;	/* ends */
	uint64_t again;		/* starts that came again before their end */
	uint64_t open;		/* starts without an end at the end of the recording */
};

/* An event that was made. */
struct pair_event {
	const char *name;		/* "synthetic:NAME" */
	struct perf_event_attr attr;
	uint64_t id;			/* of its samples */
	const char *format;		/* the text of its format file */
	const struct event *ends[2];	/* what begins and ends it, in the recording */
	struct pair_counts counts;	/* after all records */
};

struct error *pair_maker_create(struct pair_maker **ret);
void pair_maker_destroy(struct pair_maker *maker);
DEFINE_CLEANUP_PTR(pair_maker, struct pair_maker, pair_maker_destroy)

/*
 * Have pairs made of a recording's events, which like @formats and @spec must outlive the maker.
 * Errors show the specification, with a caret where it does not fit; it is one, too, if the
 * recording surely lacks firings that would end other pairs.
 */
struct error *pair_maker_add(struct pair_maker *maker, const struct pair_spec *spec,
			     const struct event_list *events, const struct formats *formats);

/* Takes the records of the recording. */
struct session_consumer *pair_maker_consumer(struct pair_maker *maker);

/* The events in the order of pair_maker_add(); NULL: there are no more.  They are the maker's. */
const struct pair_event *pair_maker_event(const struct pair_maker *maker, size_t index);

/* After all records: the next sample that is not later than @time, ns; NULL: there is none. */
const struct perf_event_header *pair_maker_next(struct pair_maker *maker, uint64_t time);

#endif

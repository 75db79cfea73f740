/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Finds, while a recording goes on, the pairs that take longer than their limits, also if their
 * ends have not come.  pairs/pair_match.h defines a pair.  A pair whose ends are of one task is
 * over when that task ends.
 */
#ifndef KTRACE_PAIRS_SLOW_PAIRS_H
#define KTRACE_PAIRS_SLOW_PAIRS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "lib/cleanup.h"
#include "lib/error.h"
#include "session/session.h"
#include "spec/pair_spec.h"

#define SLOW_OPEN	UINT64_MAX

/* The time of a slow pair, ns of the recording's clock. */
struct slow_window {
	uint64_t begin, end;	/* SLOW_OPEN: the end has not come so far */
	size_t pair;		/* number of its specification */
	bool replaced;		/* `end` is the time of another start, which came before the end */
	bool of_ended;		/* `end` is the time at which the task of the pair ended */
	bool uncertain;		/* an event was lost meanwhile, so it may have been shorter */
	uint64_t missing;	/* for the caller: ns of it that are not stored */
};

/* The outcome of starts and ends of one specification, without the slow ones. */
struct slow_counts {
	uint64_t shorter;	/* pairs that did not exceed the limit */
	uint64_t again;		/* starts that came again before their end */
	uint64_t without_start;	/* ends */
};

/* In the order in which they were found.  They may overlap. */
struct slow_windows {
	struct slow_window *items;
	size_t nr, alloc;
};

struct slow_pairs;

struct error *slow_pairs_create(struct slow_pairs **ret);
void slow_pairs_destroy(struct slow_pairs *slow);
DEFINE_CLEANUP_PTR(slow_pairs, struct slow_pairs, slow_pairs_destroy)

/*
 * Add a specification, which has a limit.  @spec, @events and @formats must outlive @slow.
 * @of_tasks: not all tasks are recorded, so both events must be of the same task.  Errors are those
 * of pair_match_init().
 */
struct error *slow_pairs_add(struct slow_pairs *slow, const struct pair_spec *spec,
			     const struct event_list *events, const struct formats *formats,
			     bool of_tasks);

/* Take the next record, in the order of time. */
struct error *slow_pairs_sample(struct slow_pairs *slow, const struct session_record *r);
struct error *slow_pairs_other(struct slow_pairs *slow, const struct session_record *r);

/*
 * All records before @mark were taken.  Find the pairs that are open for longer than their limits.
 * *ret: no window that is found later begins before this time.
 */
struct error *slow_pairs_look(struct slow_pairs *slow, uint64_t mark, uint64_t *ret);

/* The windows; valid until the next call. */
struct slow_windows *slow_pairs_windows(struct slow_pairs *slow);

const struct slow_counts *slow_pairs_counts(const struct slow_pairs *slow, size_t pair);

/* The number of events that were lost, which may have been starts or ends. */
uint64_t slow_pairs_lost(const struct slow_pairs *slow);

#endif

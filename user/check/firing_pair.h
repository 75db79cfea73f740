/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Finds the records that two methods of capture stored of the same firings.
 */
#ifndef KTRACE_CHECK_FIRING_PAIR_H
#define KTRACE_CHECK_FIRING_PAIR_H

#include <stdbool.h>
#include <stddef.h>

#include "check/captured.h"

/* Records of one event, task and context, of both sides. */
struct firing_pair {
	const struct event_format *format;	/* NULL: the event is not compared */
	const struct captured *from, *to;
	const struct captured_record *a, *b;	/* the first of each side */
	size_t nr_a, nr_b;
	bool to_tracefs;			/* see compare_captured() */
};

/*
 * Set the next pair from *@i and *@j on, which are advanced.  Both start at 0 and are used for all
 * events in turn.  Returns false if @event has no more pairs.
 */
bool firing_pair_next(struct firing_pair *pair, size_t event, size_t *i, size_t *j);

/*
 * For a task that existed before and after the capture, one side may have an extra firing at the
 * beginning and at the end, which was in progress when that side began or ended.  Leave these out
 * if both sides are then equal.
 */
void firing_pair_trim(struct firing_pair *pair);

/* Whether a field has the same value in these records, one of each side. */
bool firing_pair_same_value(const struct firing_pair *pair, const struct field *field,
			    const struct captured_record *a, const struct captured_record *b);

/* The same for all fields. */
bool firing_pair_same(const struct firing_pair *pair, const struct captured_record *a,
		      const struct captured_record *b);

/* Whether a field has the same value in two records of any methods. */
bool firing_same_value(const struct field *field, const void *raw_a, size_t size_a,
		       const void *raw_b, size_t size_b);

#endif

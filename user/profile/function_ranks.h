/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The events that a listing shows side by side, and the functions with the most samples of them.
 */
#ifndef KTRACE_PROFILE_FUNCTION_RANKS_H
#define KTRACE_PROFILE_FUNCTION_RANKS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "lib/cleanup.h"
#include "lib/strbuf.h"
#include "profile/function_counts.h"
#include "record/event.h"

/* Events that are shown side by side: those of a group, or a single one. */
struct event_columns {
	size_t *events;			/* their indexes in the recording */
	const char **names;		/* borrowed */
	struct sample_count *totals;	/* all samples of each */
	size_t nr;
	struct strbuf name;		/* of all of them together */
};

/*
 * The first column is the event @first.  The other columns are the events of its group or, with
 * @all, all events with samples.  The only possible error is lack of memory.
 */
struct error *event_columns_make(const struct event_list *events,
				 const struct function_counts *counts, size_t first, bool all,
				 struct event_columns *ret);
void event_columns_deinit(struct event_columns *columns);
DEFINE_CLEANUP(event_columns, struct event_columns, event_columns_deinit)

/* A function, with the sums of its samples' periods. */
struct ranked_function {
	const struct counted_function *function;
	uint64_t period;	/* of the first column */
	uint64_t all;		/* of all columns */
};

struct function_ranks {
	struct ranked_function *items;	/* in the order of the first column's period */
	size_t nr;
};

/*
 * Rank the functions with samples in the columns; @name: only those of this name; NULL: all.  The
 * only possible error is lack of memory.
 */
struct error *function_ranks_make(const struct function_counts *counts,
				  const struct event_columns *columns, const char *name,
				  struct function_ranks *ret);
void function_ranks_deinit(struct function_ranks *ranks);
DEFINE_CLEANUP(function_ranks, struct function_ranks, function_ranks_deinit)

#endif

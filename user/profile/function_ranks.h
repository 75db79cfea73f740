/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Which events a listing shows side by side, and which functions have the most of their samples.
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

/* Events that are shown side by side: those of a group, or one alone. */
struct event_columns {
	size_t *events;			/* their indexes in the recording */
	const char **names;		/* borrowed */
	struct sample_count *totals;	/* all samples of each */
	size_t nr;
	struct strbuf name;		/* of all of them together */
};

/*
 * The first column is the event @first.  Beside it are those of its group or, with @all, all that
 * have samples.  The only error is to be out of memory.
 */
struct error *event_columns_make(const struct event_list *events,
				 const struct function_counts *counts, size_t first, bool all,
				 struct event_columns *ret);
void event_columns_deinit(struct event_columns *columns);
DEFINE_CLEANUP(event_columns, struct event_columns, event_columns_deinit)

/* A function with the samples that it has in the columns. */
struct ranked_function {
	const struct counted_function *function;
	uint64_t period;	/* of the first column */
	uint64_t all;		/* of all of them */
};

struct function_ranks {
	struct ranked_function *items;	/* the most of the first column first */
	size_t nr;
};

/*
 * Rank the functions that have samples in the columns; @name: only those of this name; NULL: all.
 * The only error is to be out of memory.
 */
struct error *function_ranks_make(const struct function_counts *counts,
				  const struct event_columns *columns, const char *name,
				  struct function_ranks *ret);
void function_ranks_deinit(struct function_ranks *ranks);
DEFINE_CLEANUP(function_ranks, struct function_ranks, function_ranks_deinit)

#endif

/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The rows of a browser: the entries of one event, and below the expanded ones their call
 * chains.  Nothing here knows about terminals.
 */
#ifndef KTRACE_BROWSER_ROWS_H
#define KTRACE_BROWSER_ROWS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "browser/expansions.h"
#include "lib/cleanup.h"
#include "profile/histogram/histogram.h"

/* Where somebody is in a list. */
struct browser_place {
	size_t cursor, top;	/* lines of the list: the one that is chosen, the first on screen */
	size_t left;		/* cells that are not seen, as the list is scrolled sideways */
};

struct browser_row {
	const struct histogram_entry *entry;
	const struct call_node *node;	/* of the entry's chains; NULL: the entry itself */
	uint64_t id;			/* the same after the rows were built again */
	unsigned int depth;		/* of a node: 1 for the first level; else 0 */
	char fold;			/* '+': there is more below; '-': it is shown; ' ' */
	bool begins;			/* a node that begins a piece, so that it has a share */
	double percent;			/* of such a node */
	uint64_t children, period, samples;	/* of the entry, when the row was built */
};

/* How entries are shown; which ones exist at all, histograms_set_filter() says. */
struct rows_view {
	const struct histogram_options *options;	/* borrowed */
	double limit;		/* entries below this percentage are left out */
	bool relative;		/* percentages are of what the filter lets through */
	bool samples;		/* a column tells how many samples an entry has */
	struct expansions expansions;
};

struct rows {
	struct browser_row *items;
	size_t nr, alloc;
	size_t nr_entries;	/* the rows that are entries */
	uint64_t whole;		/* 100 percent of the entries */
	struct {
		struct rows_graph *items;
		size_t nr, alloc;
	} graphs;		/* of entries that were expanded */
	struct hash_table graph_table;
};

/* When there are so many rows, no further entry is expanded. */
#define ROWS_EXPANDED_MAX	100000

/*
 * Build the rows.  @histogram NULL: there are none.  @changed: the histogram was sorted since
 * they were built last, so that old graphs no longer hold.  The only error is to be out of
 * memory.
 */
struct error *rows_build(struct rows *rows, const struct histogram *histogram,
			 const struct rows_view *view, bool changed);
void rows_deinit(struct rows *rows);

/* The row with this id, at or near @guess; or SIZE_MAX. */
size_t rows_find(const struct rows *rows, uint64_t id, size_t guess);

#endif

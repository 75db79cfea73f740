/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The rows of a browser: the entries of one event, and below the expanded ones their call chains.
 * In a hierarchy, each key has rows of its own, below which are those of the next key.  Nothing
 * here depends on terminals.
 */
#ifndef KTRACE_BROWSER_ROWS_H
#define KTRACE_BROWSER_ROWS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "lib/array.h"
#include "lib/cleanup.h"
#include "lib/hash_table.h"
#include "profile/histogram/histogram.h"
#include "profile/histogram/histogram_rows.h"

/* Which rows are expanded.  Rows have numbers that do not change when they are built again. */
struct expansions {
	ARRAY_OF(struct expansion) changed;	/* rows that differ from the rest */
	struct hash_table table;	/* positions in changed */
	uint64_t changes;		/* their number so far */
	bool all;			/* every row is expanded unless it was changed */
};

void expansions_deinit(struct expansions *expansions);

/* Expand or collapse a row.  Returns false if memory is out. */
bool expansions_set(struct expansions *expansions, uint64_t id, bool open);

/* Expand a row with everything below it, or collapse it.  Returns false if memory is out. */
bool expansions_set_whole(struct expansions *expansions, uint64_t id, bool whole);

/* Expand or collapse everything. */
void expansions_set_all(struct expansions *expansions, bool all);

/* The user's position in a list. */
struct browser_place {
	size_t cursor, top;	/* lines of the list: the selected one, the first on the screen */
	size_t left;		/* hidden cells on the left, when scrolled sideways */
};

struct browser_row {
	/* In a hierarchy, any entry that has the row's keys up to @level. */
	const struct histogram_entry *entry;
	const struct call_node *node;	/* of the entry's chains; NULL: the entry itself */
	unsigned int level;		/* in a hierarchy: position of the key; else 0 */
	bool inner;			/* in a hierarchy: rows of the next key are below */
	uint64_t id;			/* unchanged when the rows are built again */
	unsigned int depth;		/* of a node: 1 for the first level; else 0 */
	char fold;			/* '+': there is more below; '-': it is shown; ' ' */
	bool begins;			/* a node that begins a piece, so that it has a share */
	double percent;			/* of such a node */
	uint64_t children, period, samples;	/* of the entry, when the row was built */
};

/* How entries are shown; histograms_set_filter() selects the entries. */
struct rows_view {
	const struct histogram_options *options;	/* borrowed */
	double limit;		/* entries below this percentage are left out */
	bool relative;		/* percentages of the sum that the filter lets through */
	bool samples;		/* a column has the number of samples of an entry */
	bool hierarchy;		/* each key has rows of its own */
	struct expansions expansions;
};

struct rows {
	struct browser_row *items;
	size_t nr, alloc;
	size_t nr_entries;	/* the rows that are entries */
	uint64_t whole;		/* 100 percent of the entries */
	ARRAY_OF(struct rows_graph) graphs;	/* of entries that were expanded */
	struct histogram_rows tree;	/* of a hierarchy */
	struct hash_table graph_table;
};

/* With this number of rows, no further entry is expanded. */
#define ROWS_EXPANDED_MAX	100000

/*
 * Build the rows.  @histogram NULL: there are none.  @changed: the histogram was sorted after the
 * last call, so that old graphs are invalid.  The only error is a lack of memory.
 */
struct error *rows_build(struct rows *rows, const struct histogram *histogram,
			 const struct rows_view *view, bool changed);
void rows_deinit(struct rows *rows);

/* Whether all samples of the row have the value of its entry for this key. */
bool rows_has_key(const struct rows_view *view, const struct browser_row *row,
		  enum histogram_key key);

/* The row with this id, at or near @guess; or SIZE_MAX. */
size_t rows_find(const struct rows *rows, uint64_t id, size_t guess);

#endif

/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The call chains of samples as a tree.  As in perf report, chains that begin with the same frames
 * share nodes.
 */
#ifndef KTRACE_PROFILE_HISTOGRAM_CALL_GRAPH_H
#define KTRACE_PROFILE_HISTOGRAM_CALL_GRAPH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "lib/array.h"
#include "lib/cleanup.h"
#include "lib/error.h"
#include "profile/histogram/branch_counts.h"
#include "symbol/symbols.h"
#include "terminal/word_list.h"

enum call_graph_mode {
	CALL_GRAPH_NONE = 0,
	CALL_GRAPH_ABSOLUTE,	/* "graph": percentages of everything */
	CALL_GRAPH_RELATIVE,	/* "fractal": percentages of the level above */
	CALL_GRAPH_FOLDED,	/* a line for each chain, its functions joined by ';' */
	CALL_GRAPH_FLAT,	/* each chain, with a line for each of its functions */
};

enum call_graph_order {
	CALL_GRAPH_ORDER_DEFAULT = 0,	/* callers first if children are counted */
	CALL_GRAPH_CALLER,		/* from the outermost function on */
	CALL_GRAPH_CALLEE,		/* from the function of the sample on */
};

enum call_graph_value { CALL_GRAPH_PERCENT = 0, CALL_GRAPH_PERIOD, CALL_GRAPH_COUNT };

/* By address: locations in a function are distinguished, and have their source lines. */
enum call_graph_by { CALL_GRAPH_BY_FUNCTION = 0, CALL_GRAPH_BY_ADDRESS };

struct call_graph_options {
	enum call_graph_mode mode;
	enum call_graph_order order;
	enum call_graph_value value;
	enum call_graph_by by;
	double min_percent;	/* smaller nodes are left out */
	unsigned int limit;	/* number of lines in a level; 0: none */
};

/*
 * Parse "graph,0.5,caller": mode, minimum percentage, limit, order, value; NULL: perf's
 * defaults.
 */
struct error *call_graph_options_parse(struct call_graph_options *options, const char *text);
extern const struct word_table call_graph_words;

/* Whether chains are listed one by one, without a graph. */
static inline bool call_graph_lists_chains(const struct call_graph_options *options)
{
	return options->mode == CALL_GRAPH_FOLDED || options->mode == CALL_GRAPH_FLAT;
}

/* One frame of a chain.  Two frames are the same if their binaries and functions are. */
struct call_frame {
	const void *dso;	/* identifies the binary; NULL: in none */
	const struct symbol *symbol;	/* NULL: unknown, and ip decides */
	uint64_t ip;
	/* Not NULL: ip always decides, and gives the source line of @address. */
	struct dso *code;
	uint64_t address;	/* in its binary */
};

/*
 * The order of frames with equal sums, as in perf: the highest address first.  0: they are equal.
 */
int call_frame_compare(const struct call_frame *a, const struct call_frame *b);

/* One frame of the tree, with the sums of its chains. */
struct call_node {
	struct call_frame frame;
	/* hit: period of chains that end here; cumulated: of chains that pass through, too. */
	uint64_t hit, cumulated;
	uint64_t count;			/* number of chains that pass through here */
	struct branch_counts branches;	/* branches of these chains that begin or end here */
	struct call_node *parent;
	ARRAY_OF(struct call_node *) children;
};

/*
 * The end of the piece that begins with @node.  A piece is a node and its descendants, as long as
 * each is an only child and no chain ends above it.
 */
const struct call_node *call_node_end_of_piece(const struct call_node *node);

/* The nodes that are drawn below another one. */
struct call_level {
	struct call_node **items;	/* the array is owned */
	size_t nr, alloc;
};

/*
 * Collect the children of @parent with at least @least, the largest first; false: out of memory.
 * Initialize @ret to zeros.
 */
bool call_level_collect(const struct call_node *parent, uint64_t least, struct call_level *ret);

/* The smallest drawn sum: @percent of @period, which is rarely an integer. */
uint64_t call_level_least(uint64_t period, double percent);

struct call_graph;

/* NULL: out of memory. */
struct call_graph *call_graph_create(void);
void call_graph_destroy(struct call_graph *graph);
DEFINE_CLEANUP_PTR(call_graph, struct call_graph, call_graph_destroy)

/*
 * Find or add the child of @parent (NULL: the root) with this frame; NULL: out of memory.  The
 * caller adds to its counts.
 */
struct call_node *call_graph_child(struct call_graph *graph, struct call_node *parent,
				   const struct call_frame *frame);

/* Add to the counts of the root. */
void call_graph_add_all(struct call_graph *graph, uint64_t period, uint64_t count);

/* The node above all first frames, which has no frame itself. */
const struct call_node *call_graph_root(const struct call_graph *graph);

#endif

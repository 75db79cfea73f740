/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Finds the nodes of samples' call chains in a call tree.
 */
#ifndef KTRACE_CALLS_CHAIN_NODES_H
#define KTRACE_CALLS_CHAIN_NODES_H

#include <regex.h>
#include <stdbool.h>
#include <stdint.h>

#include "calls/call_tree.h"
#include "lib/cleanup.h"
#include "session/session.h"

/* The most nodes of a chain, where functions that are inlined have nodes, too. */
#define CHAIN_NODES_MAX	1024

struct chain_nodes;

/* What of a chain is looked at. */
struct chain_options {
	bool no_inline;		/* functions that are inlined get no nodes */
	bool hide_unresolved;	/* addresses that are in no function get none */
	unsigned int max_stack;	/* frames that are read of a chain */
	/* Callers to look for, and functions whose callees are left out; NULL: none; borrowed. */
	const regex_t *parents, *ignored;
	bool callers_first;	/* the outermost frame is looked at first */
	bool branch_history;	/* the branches of a sample precede its frames */
	bool innermost_first;	/* the tree begins with the innermost frames */
};

/* @tree is borrowed. */
struct error *chain_nodes_create(struct call_tree *tree, const struct chain_options *options,
				 struct chain_nodes **ret);
void chain_nodes_destroy(struct chain_nodes *chains);

/* The nodes of a chain, valid until the next one is looked for. */
struct chain_path {
	const uint32_t *nodes;	/* the outermost first, or the other way round if asked for */
	size_t nr;
	uint32_t mark;		/* of the last of them, or of the root if there are none */
	const struct branch_step *steps;	/* with branch_history; NULL: none */
	size_t nr_steps;
	const uint32_t *step_nodes;	/* of each step; CALL_TREE_NONE: it was left out */
};

/*
 * Find or add the nodes of a sample's chain below a root; there are none if it has no chain.
 * Chains mostly begin like the one before, whose nodes are known.  The only error is to be out
 * of memory.
 */
struct error *chain_nodes_find_path(struct chain_nodes *chains, const struct session_record *r,
				    uint32_t root, struct chain_path *ret);

/* The nodes of the tree have other numbers now. */
void chain_nodes_forget(struct chain_nodes *chains);

/*
 * Look for what the options name in a sample's chain: the first function that `parents`
 * matches, or NULL, and the outermost one that `ignored` matches, whose place then replaces
 * *place.  Comes before the functions that find nodes.  The only error is to be out of memory.
 */
struct error *chain_nodes_look_up(struct chain_nodes *chains, const struct session_record *r,
				  uint32_t *place, const struct symbol **ret_parent);

/*
 * Find or add the node of the innermost function of a sample's chain below the root *node, which
 * stays as it is if the sample has no chain.  The only error is to be out of memory.
 */
struct error *chain_nodes_find(struct chain_nodes *chains, const struct session_record *r,
			       uint32_t *node);

#endif

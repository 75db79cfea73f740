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

/* The most nodes of a chain; inlined functions have nodes, too. */
#define CHAIN_NODES_MAX	1024

struct chain_nodes;

/* The relevant parts of a chain. */
struct chain_options {
	bool no_inline;		/* inlined functions have no nodes */
	bool hide_unresolved;	/* addresses without a function have no nodes */
	unsigned int max_stack;	/* the most frames to read of a chain */
	/* Callers to search for, and functions whose callees are left out; NULL: none; borrowed. */
	const regex_t *parents, *ignored;
	bool callers_first;	/* the search begins with the outermost frame */
	bool branch_history;	/* the branches of a sample precede its frames */
	bool innermost_first;	/* the tree begins with the innermost frames */
};

/* @tree is borrowed. */
struct error *chain_nodes_create(struct call_tree *tree, const struct chain_options *options,
				 struct chain_nodes **ret);
void chain_nodes_destroy(struct chain_nodes *chains);

/* The nodes of a chain, valid until the next look-up. */
struct chain_path {
	const uint32_t *nodes;	/* the outermost first, or with innermost_first the reverse */
	size_t nr;
	uint32_t mark;		/* of the last node, or of the root if there are none */
	const struct branch_step *steps;	/* with branch_history; NULL: none */
	size_t nr_steps;
	const uint32_t *step_nodes;	/* of each step; CALL_TREE_NONE: it was left out */
};

/*
 * Find or add the nodes of a sample's chain below a root; there are none if it has no chain.
 * Chains mostly begin like the previous one, whose nodes are known.  The only possible error is
 * lack of memory.
 */
struct error *chain_nodes_find_path(struct chain_nodes *chains, const struct session_record *r,
				    uint32_t root, struct chain_path *ret);

/* Call it when the nodes of the tree have new numbers. */
void chain_nodes_forget(struct chain_nodes *chains);

/*
 * Search a sample's chain for the patterns of the options.  *ret_parent is the first function that
 * `parents` matches, or NULL.  The place of the outermost function that `ignored` matches replaces
 * *place.  Call it before the functions that find nodes.  The only possible error is lack of
 * memory.
 */
struct error *chain_nodes_look_up(struct chain_nodes *chains, const struct session_record *r,
				  uint32_t *place, const struct symbol **ret_parent);

/*
 * Find or add the node of the innermost function of a sample's chain below the root *node.  If the
 * sample has no chain, *node is not changed.  The only possible error is lack of memory.
 */
struct error *chain_nodes_find(struct chain_nodes *chains, const struct session_record *r,
			       uint32_t *node);

#endif

// SPDX-License-Identifier: GPL-2.0
/*
 * Builds the tree of a profile from the call tree.  Places become functions, nodes that have the
 * same function below the same node are merged, and small ones are left out.
 */
#include "profile/profiler.h"

#include <stdlib.h>

#include "lib/array.h"
#include "lib/hash.h"

/*
 * Nodes with a smaller share of their event are never kept; the share grows if there are many
 * nodes.
 */
#define SMALLEST_SHARE	1e-6

#define NO_NODE	UINT32_MAX

/* A node, with a function instead of a place.  Parents come before their children. */
struct joined_node {
	uint32_t parent, function;
	uint32_t child, sibling;	/* 0: none */
	uint32_t number;		/* in the profile; NO_NODE: too small */
	double share;			/* of the samples of an event, summed up over all events */
	bool has_rest;			/* a child is too small */
	uint32_t rest;			/* the number of the node that represents these */
};

struct joined_tree {
	struct joined_node *items;	/* 0: the root */
	size_t nr, alloc;
	uint32_t *slots;		/* open addressing: nodes by parent and function; 0: free */
	size_t mask;
};

static bool grow_joined(struct joined_tree *tree)
{
	size_t size = tree->slots ? (tree->mask + 1) * 2 : 1024;
	uint32_t *slots = calloc(size, sizeof(*slots));

	if (!slots)
		return false;
	for (size_t i = 1; i < tree->nr; i++) {
		const struct joined_node *node = &tree->items[i];
		size_t at = hash_key_number((uint64_t)node->parent << 32 | node->function) &
			    (size - 1);

		while (slots[at])
			at = (at + 1) & (size - 1);
		slots[at] = i;
	}
	free(tree->slots);
	tree->slots = slots;
	tree->mask = size - 1;
	return true;
}

static bool find_joined(struct joined_tree *tree, uint32_t parent, uint32_t function,
			uint32_t *ret)
{
	const struct joined_node added = { .parent = parent, .function = function };
	size_t at;

	if (tree->nr * 2 > tree->mask && !grow_joined(tree))
		return false;
	at = hash_key_number((uint64_t)parent << 32 | function) & tree->mask;
	for (; tree->slots[at]; at = (at + 1) & tree->mask) {
		const struct joined_node *node = &tree->items[tree->slots[at]];

		if (node->parent == parent && node->function == function) {
			*ret = tree->slots[at];
			return true;
		}
	}
	*ret = tree->slots[at] = tree->nr;
	return array_push(tree, added);
}

/* Merge the nodes of the call tree; *ret is the new node of each; free() it. */
static bool join_nodes(const struct call_tree *from, const uint32_t *functions,
		       struct joined_tree *tree, uint32_t **ret)
{
	size_t nr = call_tree_nodes(from);
	uint32_t *nodes = calloc(nr + 1, sizeof(*nodes));
	const struct joined_node root = { .parent = 0 };
	bool good = nodes && array_push(tree, root);

	for (size_t i = 1; i < nr && good; i++)
		if (!call_tree_is_root(from, i))
			good = find_joined(tree, nodes[call_tree_parent(from, i)], functions[i],
					   &nodes[i]);
	*ret = nodes;
	return good;
}

static void add_shares(const struct profiler *profiler, struct joined_tree *tree)
{
	const struct profile *profile = &profiler->profile;

	for (size_t i = 0; i < profiler->samples.nr; i++) {
		const struct profiler_sample *sample = &profiler->samples.items[i];
		uint32_t event = profile->lanes.items[sample->lane].event;
		const struct profile_event *all = &profile->events.items[event];

		tree->items[sample->node].share +=
			all->period ? (double)sample->period / all->period : 1.0 / all->samples;
	}
	for (size_t i = tree->nr; i-- > 1;) {
		struct joined_node *node = &tree->items[i], *parent = &tree->items[node->parent];

		parent->share += node->share;
		node->sibling = parent->child;
		parent->child = i;
	}
}

static double find_smallest(const struct profiler *profiler, const struct joined_tree *tree)
{
	double smallest = 0;

	for (;;) {
		size_t kept = 0;

		for (size_t i = 1; i < tree->nr; i++)
			kept += tree->items[i].share >= smallest;
		if (kept <= profiler->options.limits.nodes)
			return smallest;
		smallest = smallest ? smallest * 1.4 : SMALLEST_SHARE;
	}
}

/* Add an artificial function. */
static bool add_made_up_function(struct profile *profile, enum profile_kind kind, uint32_t *ret)
{
	const struct profile_function function = { .name = "", .binary = "", .kind = kind };

	*ret = profile->functions.nr;
	return array_push(&profile->functions, function);
}

static bool add_profile_node(struct profile *profile, uint32_t depth, uint32_t function)
{
	const struct profile_node node = { depth, function };

	return array_push(&profile->nodes, node);
}

/* The next node of a walk that does not enter nodes that are too small; 0: the end. */
static uint32_t walk_joined(const struct joined_tree *tree, uint32_t at, uint32_t *depth)
{
	if (tree->items[at].child && tree->items[at].number != NO_NODE) {
		++*depth;
		return tree->items[at].child;
	}
	while (at && !tree->items[at].sibling) {
		at = tree->items[at].parent;
		--*depth;
	}
	return tree->items[at].sibling;
}

/* Number the nodes in the order of a walk; a node's rest follows it. */
static bool number_nodes(struct profile *profile, struct joined_tree *tree, uint32_t all,
			 uint32_t rest)
{
	uint32_t depth = 0, at = 0;

	for (size_t i = 1; i < tree->nr; i++)
		if (tree->items[i].share < profile->smallest)
			tree->items[tree->items[i].parent].has_rest = true;
	do {
		struct joined_node *node = &tree->items[at];

		node->number = NO_NODE;
		if (at && node->share < profile->smallest)
			continue;
		node->number = profile->nodes.nr;
		node->rest = profile->nodes.nr + 1;
		if (!add_profile_node(profile, depth, at ? node->function : all) ||
		    (node->has_rest && !add_profile_node(profile, depth + 1, rest)))
			return false;
	} while ((at = walk_joined(tree, at, &depth)));
	return true;
}

/* Assign the samples of small nodes to a node of the profile. */
static void number_small_nodes(struct joined_tree *tree, double smallest)
{
	for (size_t i = 1; i < tree->nr; i++) {
		struct joined_node *node = &tree->items[i];
		const struct joined_node *parent = &tree->items[node->parent];

		if (node->share >= smallest)
			continue;
		node->number = node->parent && parent->share < smallest ? parent->number :
									  parent->rest;
	}
}

static struct error *make_profile_tree(struct profiler *profiler, struct joined_tree *tree,
				       const uint32_t *nodes)
{
	struct profile *profile = &profiler->profile;
	uint32_t all, rest;

	for (size_t i = 0; i < profiler->samples.nr; i++)
		profiler->samples.items[i].node = nodes[profiler->samples.items[i].node];
	add_shares(profiler, tree);
	profile->smallest = find_smallest(profiler, tree);
	if (!add_made_up_function(profile, PROFILE_ALL, &all) ||
	    !add_made_up_function(profile, PROFILE_REST, &rest) ||
	    !number_nodes(profile, tree, all, rest))
		return &error_no_memory;
	number_small_nodes(tree, profile->smallest);
	for (size_t i = 0; i < profiler->samples.nr; i++)
		profiler->samples.items[i].node =
			tree->items[profiler->samples.items[i].node].number;
	return NULL;
}

struct error *profiler_make_tree(struct profiler *profiler, const uint32_t *functions)
{
	struct joined_tree tree = { .items = NULL };
	_cleanup_free_ uint32_t *nodes = NULL;
	struct error *err = &error_no_memory;

	if (join_nodes(profiler->tree, functions, &tree, &nodes))
		err = make_profile_tree(profiler, &tree, nodes);
	free(tree.items);
	free(tree.slots);
	return err;
}

// SPDX-License-Identifier: GPL-2.0
#include "profile/histogram/histogram_state.h"

#include <stdlib.h>

void histogram_layout_deinit(struct chain_layout *layout)
{
	free(layout->nodes);
	free(layout->entry_nodes);
	free(layout->first_node);
	free(layout->chains);
	free(layout->first_chain);
	free(layout->branches);
	*layout = (struct chain_layout){ .is_valid = false };
}

/*
 * Find the node for each position, which follows the nodes at smaller positions, and the number of
 * nodes in the subtree of each node.  NULL: out of memory.
 */
static uint32_t *order_by_position(const struct call_tree *tree, size_t nr, uint32_t *sizes)
{
	_cleanup_free_ uint32_t *next = calloc(nr, sizeof(*next));
	uint32_t *nodes = calloc(nr, sizeof(*nodes));

	if (!next || !nodes) {
		free(nodes);
		return NULL;
	}
	/*
	 * Children have higher numbers than their parents, so each sum is complete when it is used.
	 */
	for (size_t i = nr; i-- > 0;) {
		sizes[i]++;
		if (i)
			sizes[call_tree_parent(tree, i)] += sizes[i];
	}
	next[0] = 1;
	for (size_t i = 1; i < nr; i++) {
		uint32_t *at = &next[call_tree_parent(tree, i)];

		nodes[*at] = i;
		next[i] = *at + 1;
		*at += sizes[i];
	}
	return nodes;
}

/* Fill in one node, without the sums of its descendants. */
static void lay_node(const struct histograms *histograms, uint32_t node, uint32_t parent,
		     uint32_t end, struct laid_node *ret)
{
	*ret = (struct laid_node){ .parent = parent, .end = end };
	if (!call_tree_is_root(histograms->tree, node))
		ret->place = call_tree_node_place(histograms->tree, node);
	ret->chain = histograms->nodes.items[node].chain;
	for (uint32_t i = ret->chain; i; i = histograms->chains.items[i - 1].next_of_node) {
		ret->period += histograms->chains.items[i - 1].period;
		ret->samples += histograms->chains.items[i - 1].samples;
	}
}

static void lay_nodes(struct histograms *histograms, const uint32_t *order, const uint32_t *sizes)
{
	struct chain_layout *layout = &histograms->layout;
	struct laid_node *nodes = layout->nodes;
	uint32_t parent = 0;

	nodes[0] = (struct laid_node){ .end = layout->nr };
	for (size_t i = 1; i < layout->nr; i++) {
		while (i >= nodes[parent].end)
			parent = nodes[parent].parent;
		lay_node(histograms, order[i], parent, i + sizes[order[i]], &nodes[i]);
		parent = i;
		if (layout->branches && order[i] < histograms->branches.nr)
			layout->branches[i] = histograms->branches.items[order[i]];
	}
	for (size_t i = layout->nr; i-- > 1;) {
		nodes[nodes[i].parent].period += nodes[i].period;
		nodes[nodes[i].parent].samples += nodes[i].samples;
	}
}

static uint32_t number_now(const struct histograms *histograms, uint32_t entry)
{
	return histogram_entry_now(histograms->entries.items[entry])->number;
}

/*
 * Convert counts, each stored behind its own position, to positions where the items of each begin.
 */
static void begin_from_counts(uint32_t *first, size_t nr)
{
	for (size_t i = 1; i < nr; i++)
		first[i] += first[i - 1];
}

/* List the nodes and the chains of each entry. */
static void list_by_entry(struct histograms *histograms, const uint32_t *order)
{
	struct chain_layout *layout = &histograms->layout;
	const struct counted_chain *chains = histograms->chains.items;
	const struct chain_node *nodes = histograms->nodes.items;
	const size_t nr = histograms->entries.nr + 2;

	/*
	 * The items of entry e are filled in from first[e + 1] on, which is their end afterwards.
	 */
	for (size_t i = 1; i < layout->nr; i++)
		if (nodes[order[i]].entry)
			layout->first_node[number_now(histograms, nodes[order[i]].entry - 1) + 2]++;
	for (size_t i = 0; i < histograms->chains.nr; i++)
		layout->first_chain[number_now(histograms, chains[i].self) + 2]++;
	begin_from_counts(layout->first_node, nr);
	begin_from_counts(layout->first_chain, nr);
	for (size_t i = 1; i < layout->nr; i++) {
		if (nodes[order[i]].entry) {
			uint32_t entry = number_now(histograms, nodes[order[i]].entry - 1);

			layout->entry_nodes[layout->first_node[entry + 1]++] = i;
		}
		for (uint32_t c = layout->nodes[i].chain; c; c = chains[c - 1].next_of_node) {
			uint32_t entry = number_now(histograms, chains[c - 1].self);

			layout->chains[layout->first_chain[entry + 1]++] =
				(struct laid_chain){ .at = i, .chain = c - 1 };
		}
	}
}

static struct error *alloc_layout(const struct histograms *histograms, struct chain_layout *layout)
{
	const size_t entries = histograms->entries.nr + 2;

	layout->nr = histograms->nodes.nr;
	layout->nodes = calloc(layout->nr, sizeof(*layout->nodes));
	layout->entry_nodes = calloc(layout->nr, sizeof(*layout->entry_nodes));
	layout->first_node = calloc(entries, sizeof(*layout->first_node));
	layout->chains = calloc(histograms->chains.nr + 1, sizeof(*layout->chains));
	layout->first_chain = calloc(entries, sizeof(*layout->first_chain));
	if (histograms->branches.nr)
		layout->branches = calloc(layout->nr, sizeof(*layout->branches));
	if (histograms->branches.nr && !layout->branches)
		return &error_no_memory;
	return layout->nodes && layout->entry_nodes && layout->first_node && layout->chains &&
	       layout->first_chain ? NULL : &error_no_memory;
}

struct error *histogram_lay_out(struct histograms *histograms)
{
	struct chain_layout *layout = &histograms->layout;
	_cleanup_free_ uint32_t *sizes = NULL, *order = NULL;
	struct error *err;

	if (layout->is_valid && layout->number == histograms->number)
		return NULL;
	histogram_count_pending(histograms);
	histogram_layout_deinit(layout);
	if (!histograms->nodes.nr)
		return NULL;
	sizes = calloc(histograms->nodes.nr, sizeof(*sizes));
	if (sizes)
		order = order_by_position(histograms->tree, histograms->nodes.nr, sizes);
	err = order ? alloc_layout(histograms, layout) : &error_no_memory;
	if (err)
		return err;
	lay_nodes(histograms, order, sizes);
	list_by_entry(histograms, order);
	layout->number = histograms->number;
	layout->is_valid = true;
	return NULL;
}

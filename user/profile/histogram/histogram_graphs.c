// SPDX-License-Identifier: GPL-2.0
/*
 * Graphs are built from the layout of the tree of chains level by level, from the first frames on.
 * Nodes that are too small to be drawn are not followed.  So the cost depends on the size of the
 * drawn graph, and not on all of its chains.
 */
#include "profile/histogram/histogram_order.h"
#include "profile/histogram/histogram_state.h"

#include <stdlib.h>

#include "lib/array.h"

struct graph_weight {
	uint64_t period, samples;
};

/* A node of the tree that belongs to a level of the graph. */
struct graph_item {
	struct call_node *parent;	/* in the graph; then its node there */
	uint32_t at;			/* its position */
	bool own;			/* only of chains that end in the entry itself */
	struct graph_weight weight;
};

struct graph_items {
	struct graph_item *items;
	size_t nr, alloc;
};

struct graph_drawing {
	struct histograms *histograms;
	const struct laid_node *nodes;
	const struct histogram_entry *entry;
	struct call_graph *graph;
	uint64_t least;		/* smallest period of a node that is followed, in absolute graphs */
	bool skip_own;		/* the entry's own chains are too small to be drawn */
	struct graph_weight skipped;	/* their sums */
	bool inward;		/* callers first */
	const struct laid_chain *own;	/* the entry's own chains */
	struct graph_weight *own_before;	/* sums of chains before each, and of all */
	size_t nr_own;
	uint32_t own_at;	/* the last looked up position, and the first of */
	size_t own_near;	/* the own chains from there on */
	struct graph_items level, next;
	struct call_node *last_parent, *last;	/* of the last placed item */
	uint32_t last_place;
};

/*
 * The first of the entry's own chains, from number @from on, that ends at or behind a position.  It
 * is usually near.
 */
static size_t first_own_from(const struct graph_drawing *d, uint32_t at, size_t from)
{
	size_t low = from, high, step = 1;

	while (low + step <= d->nr_own && d->own[low + step - 1].at < at) {
		low += step;
		step *= 2;
	}
	high = low + step - 1 < d->nr_own ? low + step - 1 : d->nr_own;
	return low + array_count_while(high - low, i, d->own[low + i].at < at);
}

/* The sums of the entry's own chains in a node. */
static struct graph_weight own_weight(struct graph_drawing *d, uint32_t at)
{
	const struct graph_weight *from, *to;

	/* Most nodes come in the order of positions. */
	if (at < d->own_at)
		d->own_near = 0;
	d->own_at = at;
	d->own_near = first_own_from(d, at, d->own_near);
	from = &d->own_before[d->own_near];
	to = &d->own_before[first_own_from(d, d->nodes[at].end, d->own_near)];
	return (struct graph_weight){ to->period - from->period, to->samples - from->samples };
}

/* The sums of a node: of the entry's own chains, or of the remaining ones. */
static struct graph_weight weigh_node(struct graph_drawing *d, uint32_t at, bool own)
{
	const struct laid_node *node = &d->nodes[at];
	struct graph_weight weight = own_weight(d, at);

	if (own)
		return weight;
	weight.period = node->period - weight.period;
	weight.samples = node->samples - weight.samples;
	return weight;
}

static bool push_item(struct graph_items *items, struct graph_item item)
{
	/* For decayed chains, only the period may be left. */
	if (!item.weight.period && !item.weight.samples)
		return true;
	return array_push(items, item);
}

/* Compute the sums before each of the entry's own chains. */
static bool sum_up_own_chains(struct graph_drawing *d)
{
	const struct chain_layout *layout = &d->histograms->layout;
	const uint32_t *first = &layout->first_chain[d->entry->number];

	d->own = &layout->chains[first[0]];
	d->nr_own = first[1] - first[0];
	d->own_before = calloc(d->nr_own + 1, sizeof(*d->own_before));
	if (!d->own_before)
		return false;
	for (size_t i = 0; i < d->nr_own; i++) {
		const struct counted_chain *chain = &d->histograms->chains.items[d->own[i].chain];

		d->own_before[i + 1].period = d->own_before[i].period + chain->period;
		d->own_before[i + 1].samples = d->own_before[i].samples + chain->samples;
	}
	return true;
}

/* The kernel and its modules count as one binary: their addresses differ anyway. */
static struct call_frame frame_of_place(const struct histograms *histograms, uint32_t number)
{
	static const char kernel;
	const struct call_place *place = call_tree_place(histograms->tree, number);

	const bool by_address = histograms->options->branch_history ||
				histograms->options->graph.by == CALL_GRAPH_BY_ADDRESS;

	return (struct call_frame){
		.dso = !place->dso ? NULL : place->dso->shared ? (const void *)&kernel : place->dso,
		.symbol = place->symbol,
		.ip = place->symbol && !by_address ? 0 : place->ip,
		.code = by_address ? (struct dso *)place->dso : NULL,
		.address = place->address,
	};
}

/* Put an item into the graph.  false: out of memory. */
static bool place_item(struct graph_drawing *d, struct graph_item *item)
{
	const struct laid_node *laid = &d->nodes[item->at];

	/* Neighbours often have the same function and the same callers. */
	if (!d->last || d->last_parent != item->parent || d->last_place != laid->place) {
		const struct call_frame frame = frame_of_place(d->histograms, laid->place);

		d->last = call_graph_child(d->graph, item->parent, &frame);
		d->last_parent = item->parent;
		d->last_place = laid->place;
	}
	if (!d->last)
		return false;
	d->last->cumulated += item->weight.period;
	d->last->count += item->weight.samples;
	if (d->histograms->layout.branches)
		branch_counts_add(&d->last->branches, &d->histograms->layout.branches[item->at]);
	if (!d->inward && !d->nodes[laid->parent].parent)
		d->last->hit += item->weight.period;
	item->parent = d->last;
	return true;
}

/* Whether the children of a node of the graph are drawn. */
static bool is_followed(const struct graph_drawing *d, const struct call_node *node)
{
	const struct call_graph_options *options = &d->histograms->options->graph;
	const struct call_node *parent = node->parent;

	if (options->mode != CALL_GRAPH_RELATIVE)
		return node->cumulated >= d->least;
	return node->cumulated >=
	       (uint64_t)((parent->cumulated - parent->hit) * (options->min_percent / 100));
}

static bool push_children(struct graph_drawing *d, struct graph_items *items,
			  struct graph_item item)
{
	const uint32_t above = item.at;

	for (item.at++; item.at < d->nodes[above].end; item.at = d->nodes[item.at].end) {
		item.weight = weigh_node(d, item.at, item.own);
		if (!push_item(items, item))
			return false;
	}
	return true;
}

static bool follow_item(struct graph_drawing *d, const struct graph_item *item)
{
	struct graph_item next = *item;

	if (d->inward) {
		const size_t before = d->next.nr;

		if (!push_children(d, &d->next, next))
			return false;
		item->parent->hit += item->weight.period;
		for (size_t i = before; i < d->next.nr; i++)
			item->parent->hit -= d->next.items[i].weight.period;
		return true;
	}
	next.at = d->nodes[item->at].parent;
	/* Roots are no frames. */
	return !d->nodes[next.at].parent || push_item(&d->next, next);
}

/* Build the graph from the first level on. */
static bool draw_levels(struct graph_drawing *d)
{
	for (size_t i = 0; i < d->level.nr; i++)
		call_graph_add_all(d->graph, d->level.items[i].weight.period,
				   d->level.items[i].weight.samples);
	while (d->level.nr) {
		struct graph_items level = d->level;

		for (size_t i = 0; i < level.nr; i++)
			if (!place_item(d, &level.items[i]))
				return false;
		d->next.nr = 0;
		for (size_t i = 0; i < level.nr; i++)
			if (is_followed(d, level.items[i].parent) &&
			    !follow_item(d, &level.items[i]))
				return false;
		d->level = d->next;
		d->next = level;
	}
	return true;
}

/* The entry's own chains begin at their roots. */
static bool begin_own_inward(struct graph_drawing *d)
{
	size_t i = 0;

	while (i < d->nr_own) {
		struct graph_item root = { .at = d->own[i].at, .own = true };

		while (d->nodes[root.at].parent)
			root.at = d->nodes[root.at].parent;
		if (!push_children(d, &d->level, root))
			return false;
		i = first_own_from(d, d->nodes[root.at].end, i);
	}
	return true;
}

/*
 * If own chains are too small to be drawn, only those without callers are followed, because they
 * begin with the same frame as the chains of callees.  The rest are still counted.
 */
static bool begin_uncalled(struct graph_drawing *d, uint32_t at)
{
	const struct graph_item item = {
		.at = at, .own = true, .weight = weigh_node(d, at, true),
	};

	if (d->nodes[d->nodes[at].parent].parent)
		return true;
	d->skipped.period -= item.weight.period;
	d->skipped.samples -= item.weight.samples;
	return push_item(&d->level, item);
}

/* Callers first: chains of the entry's callees begin at the outermost node of the entry. */
static bool begin_inward(struct graph_drawing *d)
{
	const struct chain_layout *layout = &d->histograms->layout;
	const uint32_t *first = &layout->first_node[d->entry->number];
	uint32_t end = 0;

	if (d->skip_own)
		d->skipped = d->own_before[d->nr_own];
	else if (!begin_own_inward(d))
		return false;
	for (size_t i = first[0]; i < first[1]; i++) {
		struct graph_item item = { .at = layout->entry_nodes[i] };

		if (item.at < end)
			continue;
		end = d->nodes[item.at].end;
		item.weight = weigh_node(d, item.at, false);
		if (!push_item(&d->level, item))
			return false;
		if (d->skip_own && !begin_uncalled(d, item.at))
			return false;
	}
	call_graph_add_all(d->graph, d->skipped.period, d->skipped.samples);
	return true;
}

/* Callees first: chains begin with their innermost frame, or with the entry's innermost node. */
static bool begin_outward(struct graph_drawing *d)
{
	const struct chain_layout *layout = &d->histograms->layout;
	const uint32_t *first = &layout->first_node[d->entry->number];
	struct graph_item enclosing[CHAIN_NODES_MAX];
	size_t nr = 0;

	for (size_t i = first[0]; i < first[1]; i++) {
		struct graph_item item = { .at = layout->entry_nodes[i] };

		while (nr && d->nodes[enclosing[nr - 1].at].end <= item.at)
			if (!push_item(&d->level, enclosing[--nr]))
				return false;
		item.weight = weigh_node(d, item.at, false);
		/* Chains that contain the entry again further inside begin there. */
		if (nr) {
			enclosing[nr - 1].weight.period -= item.weight.period;
			enclosing[nr - 1].weight.samples -= item.weight.samples;
		}
		enclosing[nr++] = item;
	}
	while (nr)
		if (!push_item(&d->level, enclosing[--nr]))
			return false;
	for (size_t i = 0; i < d->nr_own; i++) {
		const struct counted_chain *chain = &d->histograms->chains.items[d->own[i].chain];
		const struct graph_item item = {
			.at = d->own[i].at, .own = true,
			.weight = { chain->period, chain->samples },
		};

		if (!push_item(&d->level, item))
			return false;
	}
	return true;
}

struct error *histogram_graph(const struct histogram *histogram,
			      const struct histogram_entry *entry, struct call_graph **ret)
{
	struct histograms *histograms = histogram->owner;
	_cleanup_(call_graph) struct call_graph *graph = call_graph_create();
	struct graph_drawing d = { .histograms = histograms, .entry = entry, .graph = graph };
	uint64_t total = histogram->shown_period;
	struct error *err;
	bool ok;

	*ret = NULL;
	if (!entry->depth)
		return NULL;
	err = graph ? histogram_lay_out(histograms) : &error_no_memory;
	if (err)
		return err;
	d.nodes = histograms->layout.nodes;
	if (!total || total > histogram->period)
		total = histogram->period;
	d.least = total * (histograms->options->graph.min_percent / 100);
	/* With branches, the tree begins with the frames that are drawn first. */
	d.inward = histogram_callers_first(histograms->options) ||
		   histograms->options->branch_history;
	d.skip_own = d.inward && entry->period < d.least &&
		     histograms->options->graph.mode != CALL_GRAPH_RELATIVE;
	ok = sum_up_own_chains(&d) && (d.inward ? begin_inward(&d) : begin_outward(&d)) &&
	     draw_levels(&d);
	free(d.own_before);
	free(d.level.items);
	free(d.next.items);
	if (!ok)
		return &error_no_memory;
	*ret = take_ptr(graph);
	return NULL;
}

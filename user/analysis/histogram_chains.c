// SPDX-License-Identifier: GPL-2.0
#include "analysis/histogram_state.h"

#include <stdlib.h>

#include "lib/array.h"
#include "lib/hash.h"

void histogram_chains_deinit(struct histograms *histograms)
{
	call_tree_destroy(histograms->tree);
	callchain_deinit(&histograms->frames);
	free(histograms->chains.items);
	hash_table_deinit(&histograms->chain_table);
	free(histograms->node_entries.items);
	free(histograms->tasks.items);
	hash_table_deinit(&histograms->task_table);
	for (int i = 0; i < 2; i++) {
		free(histograms->drawn[i].nodes);
		free(histograms->drawn[i].stamps);
	}
}

/* Find the root of the chains in the task of an entry. */
static struct error *find_task_root(struct histograms *histograms,
				    const struct histogram *histogram,
				    struct histogram_entry *self)
{
	const struct histogram_task task = { histogram, self->comm, self->tid, self->cpu };
	uint64_t hash = hash_key_number((uint64_t)task.tid << 32 ^ (uint32_t)task.cpu);
	size_t at;

	hash = hash_key_join(hash, (uintptr_t)task.comm);
	hash = hash_key_join(hash, (uintptr_t)histogram);
	for (bool more = hash_table_first(&histograms->task_table, hash, &at); more;
	     more = hash_table_next(&histograms->task_table, &at)) {
		size_t number = hash_table_value(&histograms->task_table, at);
		const struct histogram_task *known = &histograms->tasks.items[number];

		if (known->histogram == histogram && known->comm == task.comm &&
		    known->tid == task.tid && known->cpu == task.cpu)
			return call_tree_add_root(histograms->tree, number, &self->root);
	}
	if (histograms->tasks.nr == UINT32_MAX ||
	    !hash_table_add(&histograms->task_table, hash, histograms->tasks.nr) ||
	    !array_push(&histograms->tasks, task))
		return &error_no_memory;
	return call_tree_add_root(histograms->tree, histograms->tasks.nr - 1, &self->root);
}

/* Find the node of a sample's chain below the root *ret, where it stays without frames. */
static struct error *find_chain_node(struct histograms *histograms,
				     const struct session_record *r, uint32_t *ret)
{
	struct error *err;
	size_t nr;

	if (!(r->event->attr.sample_type & PERF_SAMPLE_CALLCHAIN))
		return NULL;
	err = callchain_read(&histograms->frames, r, CALLCHAIN_DEPTH);
	nr = histograms->frames.nr < MAX_FRAMES ? histograms->frames.nr : MAX_FRAMES;
	for (size_t i = nr; i-- && !err;) {
		const struct frame *frame = &histograms->frames.items[i];
		uint32_t place;

		err = call_tree_find_place(histograms->tree, r->machine, r->maps, frame->mode,
					   frame->ip, &place);
		if (!err)
			err = call_tree_add(histograms->tree, *ret, place, frame->ip, ret);
	}
	return err;
}

/* The nodes of a chain in the order in which its entries are counted. */
static size_t order_nodes(const struct histograms *histograms, uint32_t node, uint32_t *nodes)
{
	size_t nr = call_tree_path(histograms->tree, node, nodes, MAX_FRAMES);

	for (size_t i = 0; !histogram_callers_first(histograms->options) && i < nr / 2; i++) {
		uint32_t other = nodes[i];

		nodes[i] = nodes[nr - 1 - i];
		nodes[nr - 1 - i] = other;
	}
	return nr;
}

/* Find or add the entry of a caller in the task of @self; NULL: out of memory. */
static struct histogram_entry *find_caller(struct histograms *histograms,
					   const struct counted_chain *chain, uint32_t node,
					   char level, int32_t tid)
{
	const struct call_place *place =
		call_tree_place(histograms->tree, call_tree_node_place(histograms->tree, node));
	const struct histogram_entry *self = chain->self;
	struct histogram_entry key, **known;

	while (histograms->node_entries.nr <= node)
		if (!array_push(&histograms->node_entries, NULL))
			return NULL;
	known = &histograms->node_entries.items[node];
	if (*known)
		return *known;
	key = histogram_make_key(histograms, place, self->comm, self->tid, self->cpu);
	key.level = level;
	key.first_tid = tid;
	/* For callers perf takes the address in memory. */
	if (!place->symbol && key.address)
		key.address = place->ip;
	*known = histogram_find_or_add(chain->histogram, &key);
	return *known;
}

/* Make the entries of a chain that comes for the first time: their order is that of arrival. */
static struct error *add_callers(struct histograms *histograms, const struct counted_chain *chain,
				 const struct session_record *r)
{
	char level = histogram_privilege(r->sample.cpumode);
	uint32_t nodes[MAX_FRAMES];
	size_t nr = order_nodes(histograms, chain->node, nodes);

	for (size_t i = 0; i < nr; i++) {
		const struct call_place *place = call_tree_place(
			histograms->tree, call_tree_node_place(histograms->tree, nodes[i]));

		/*
		 * As in perf, what lies in no binary counts as being where the previous frame
		 * was.
		 */
		if (place->dso)
			level = histogram_privilege(place->mode);
		if (!find_caller(histograms, chain, nodes[i], level, r->sample.tid))
			return &error_no_memory;
	}
	return NULL;
}

struct error *histogram_count_chain(struct histograms *histograms, struct histogram *histogram,
				    const struct session_record *r, const char *comm,
				    struct histogram_entry *self)
{
	struct counted_chain *chain = NULL, added = { .histogram = histogram, .self = self };
	struct error *err = NULL;
	uint64_t hash;
	size_t at;

	if (!self->root)
		err = find_task_root(histograms, histogram, self);
	added.node = self->root;
	if (!err)
		err = find_chain_node(histograms, r, &added.node);
	if (err || added.node == self->root)
		return err;
	hash = hash_key_join(hash_key_number((uintptr_t)self), added.node);
	for (bool more = hash_table_first(&histograms->chain_table, hash, &at); more;
	     more = hash_table_next(&histograms->chain_table, &at)) {
		chain = &histograms->chains.items[hash_table_value(&histograms->chain_table, at)];
		if (chain->self == self && chain->node == added.node)
			break;
		chain = NULL;
	}
	if (!chain) {
		if (histograms->options->children)
			err = add_callers(histograms, &added, r);
		if (err)
			return err;
		if (histograms->chains.nr == UINT32_MAX ||
		    !hash_table_add(&histograms->chain_table, hash, histograms->chains.nr) ||
		    !array_push(&histograms->chains, added))
			return &error_no_memory;
		chain = &histograms->chains.items[histograms->chains.nr - 1];
	}
	chain->period += r->sample.period;
	chain->samples++;
	chain->last = histograms->number;
	chain->comm = comm;
	return NULL;
}

/* Note that a chain adds its frames from @from on to an entry's graph; false: out of memory. */
static bool histogram_chains_add_part(const struct histograms *histograms,
				      struct histogram_entry *entry, uint32_t chain,
				      uint32_t from, size_t nr)
{
	const struct chain_part part = { chain, from };

	if (!histograms->options->graph.mode)
		return true;
	if (nr - from > entry->depth)
		entry->depth = nr - from;
	return array_push(&entry->parts, part);
}

static void add_chain_end(struct histograms *histograms, const struct counted_chain *chain,
			  const uint32_t *nodes, size_t nr)
{
	const struct call_place *places[MAX_FRAMES];

	for (size_t i = 0; i < nr; i++)
		places[i] = call_tree_place(histograms->tree,
					    call_tree_node_place(histograms->tree, nodes[i]));
	chain_ends_add(&histograms->ends, chain->histogram->event, places, nr, chain->period);
}

/* Count a chain once in each entry that it has, however often the entry occurs in it. */
static bool count_chain_callers(struct histograms *histograms, uint32_t number)
{
	const struct counted_chain *chain = &histograms->chains.items[number];
	uint32_t nodes[MAX_FRAMES];
	size_t nr = order_nodes(histograms, chain->node, nodes);

	add_chain_end(histograms, chain, nodes, nr);
	if (!histogram_chains_add_part(histograms, chain->self, number, 0, nr))
		return false;
	for (size_t i = 0; i < nr && histograms->options->children; i++) {
		struct histogram_entry *entry = find_caller(histograms, chain, nodes[i], 0, 0);

		if (!entry)
			return false;
		if (entry == chain->self || entry->seen == number + 1)
			continue;
		entry->seen = number + 1;
		entry->children += chain->period;
		if (chain->last >= entry->task_order) {
			entry->task_order = chain->last;
			entry->task = chain->comm;
		}
		if (!histogram_chains_add_part(histograms, entry, number, i, nr))
			return false;
	}
	return true;
}

struct error *histogram_count_callers(struct histograms *histograms)
{
	for (size_t i = 0; i < histograms->chains.nr; i++)
		if (!count_chain_callers(histograms, i))
			return &error_no_memory;
	return NULL;
}

/* The kernel and its modules count as one binary: their addresses differ anyway. */
static struct call_frame frame_of_node(const struct histograms *histograms, uint32_t node)
{
	static const char kernel;
	const struct call_place *place =
		call_tree_place(histograms->tree, call_tree_node_place(histograms->tree, node));

	return (struct call_frame){
		.dso = !place->dso ? NULL : place->dso->shared ? (const void *)&kernel : place->dso,
		.symbol = place->symbol,
		.ip = call_tree_node_ip(histograms->tree, node),
	};
}

static struct call_node *draw_child(struct histograms *histograms, struct call_graph *graph,
				    struct call_node *parent, uint32_t node)
{
	const struct call_frame frame = frame_of_node(histograms, node);

	return call_graph_child(graph, parent, &frame);
}

/*
 * Add a part to a graph whose chains begin with the callers, like the tree.  The upper nodes of
 * the part are there already as far as an earlier part came through the same ones.  A node of
 * the tree stands at one place of the graph for parts that begin with the first frame, and at
 * one for the others, which begin at the same node.
 */
static struct call_node *draw_down(struct histograms *histograms, struct call_graph *graph,
				   const uint32_t *nodes, size_t from, size_t nr)
{
	struct drawn_nodes *drawn = &histograms->drawn[from > 0];
	struct call_node *parent = NULL;
	size_t at = nr;

	while (at > from && drawn->stamps[nodes[at - 1]] != histograms->drawn_stamp)
		at--;
	if (at > from)
		parent = drawn->nodes[nodes[at - 1]];
	for (; at < nr; at++) {
		parent = draw_child(histograms, graph, parent, nodes[at]);
		if (!parent)
			return NULL;
		drawn->nodes[nodes[at]] = parent;
		drawn->stamps[nodes[at]] = histograms->drawn_stamp;
	}
	return parent;
}

static struct call_node *draw_up(struct histograms *histograms, struct call_graph *graph,
				 const uint32_t *nodes, size_t from, size_t nr)
{
	struct call_node *parent = NULL;

	for (size_t i = from; i < nr; i++) {
		parent = draw_child(histograms, graph, parent, nodes[i]);
		if (!parent)
			return NULL;
	}
	return parent;
}

static bool draw_parts(struct histograms *histograms, const struct histogram_entry *entry,
		       struct call_graph *graph)
{
	bool inward = histogram_callers_first(histograms->options);
	uint32_t nodes[MAX_FRAMES];

	histograms->drawn_stamp++;
	for (size_t i = 0; i < entry->parts.nr; i++) {
		const struct chain_part *part = &entry->parts.items[i];
		const struct counted_chain *chain = &histograms->chains.items[part->chain];
		struct call_node *node;
		size_t nr;

		nr = order_nodes(histograms, chain->node, nodes);
		node = inward ? draw_down(histograms, graph, nodes, part->from, nr) :
				draw_up(histograms, graph, nodes, part->from, nr);
		if (!node)
			return false;
		node->hit += chain->period;
		node->count += chain->samples;
	}
	return true;
}

static bool prepare_drawing(struct histograms *histograms)
{
	size_t nr = call_tree_nodes(histograms->tree);

	for (int i = 0; i < 2; i++) {
		struct drawn_nodes *drawn = &histograms->drawn[i];

		if (!drawn->nodes)
			drawn->nodes = calloc(nr, sizeof(*drawn->nodes));
		if (!drawn->stamps)
			drawn->stamps = calloc(nr, sizeof(*drawn->stamps));
		if (!drawn->nodes || !drawn->stamps)
			return false;
	}
	return true;
}

struct error *histogram_graph(const struct histogram *histogram,
			      const struct histogram_entry *entry, struct call_graph **ret)
{
	struct histograms *histograms = histogram->owner;
	_cleanup_(call_graph) struct call_graph *graph = NULL;

	*ret = NULL;
	if (!entry->parts.nr)
		return NULL;
	graph = call_graph_create();
	if (!graph || !prepare_drawing(histograms) ||
	    !draw_parts(histograms, entry, graph))
		return &error_no_memory;
	call_graph_sum(graph);
	*ret = take_ptr(graph);
	return NULL;
}

// SPDX-License-Identifier: GPL-2.0
#include "profile/histogram/histogram_order.h"
#include "profile/histogram/histogram_state.h"

#include <stdlib.h>

#include "lib/array.h"
#include "lib/hash.h"

struct error *histogram_chains_init(struct histograms *histograms)
{
	const struct histogram_options *options = histograms->options;
	const struct chain_options chains = {
		.no_inline = options->no_inline, .hide_unresolved = options->hide_unresolved,
		.max_stack = options->max_stack, .parents = options->parents,
		.ignored = options->ignored, .callers_first = histogram_callers_first(options),
		.branch_history = options->branch_history,
		.innermost_first = options->branch_history && !histogram_callers_first(options),
	};
	struct error *err = call_tree_create(&histograms->tree);

	if (!err && (options->verbose || options->branch_history ||
		     options->graph.by == CALL_GRAPH_BY_ADDRESS))
		call_tree_keep_addresses(histograms->tree);
	return err ? err : chain_nodes_create(histograms->tree, &chains, &histograms->chain_nodes);
}

void histogram_chains_deinit(struct histograms *histograms)
{
	chain_nodes_destroy(take_ptr(histograms->chain_nodes));
	call_tree_destroy(take_ptr(histograms->tree));
	free(take_ptr(histograms->chains.items));
	free(take_ptr(histograms->chain_selves.items));
	free(take_ptr(histograms->nodes.items));
	free(take_ptr(histograms->branches.items));
	free(take_ptr(histograms->known));
	free(take_ptr(histograms->tasks.items));
	hash_table_deinit(&histograms->task_table);
	histograms->chains.nr = histograms->chains.alloc = 0;
	histograms->chain_selves.nr = histograms->chain_selves.alloc = 0;
	histograms->pending.chain = 0;
	histograms->nodes.nr = histograms->nodes.alloc = 0;
	histograms->branches.nr = histograms->branches.alloc = 0;
	histograms->tasks.nr = histograms->tasks.alloc = 0;
	histograms->ends = (struct chain_ends){ .nr = 0 };
}

void histogram_forget_recent(struct histograms *histograms)
{
	free(take_ptr(histograms->known));
	histograms->layout.is_valid = false;
}

/* Find the root of the chains in the task of an entry. */
static struct error *find_task_root(struct histograms *histograms,
				    const struct histogram *histogram,
				    struct histogram_entry *self)
{
	const struct histogram_task task = { histogram, self->comm, self->extra, self->tid,
					     self->cpu };
	uint64_t hash = hash_key_number((uint64_t)task.tid << 32 ^ (uint32_t)task.cpu);

	/* The branch counts of a node belong to one entry. */
	if (histograms->options->branch_history)
		return call_tree_add_root(histograms->tree, self->number, &self->root);
	hash = hash_key_join(hash, (uintptr_t)task.comm);
	hash = hash_key_join(hash, (uintptr_t)histogram);
	hash = hash_key_join(hash, (uintptr_t)task.extra);
	hash_table_each(&histograms->task_table, hash, number) {
		const struct histogram_task *known = &histograms->tasks.items[number];

		if (known->histogram == histogram && known->comm == task.comm &&
		    known->extra == task.extra && known->tid == task.tid &&
		    known->cpu == task.cpu)
			return call_tree_add_root(histograms->tree, number, &self->root);
	}
	if (histograms->tasks.nr == UINT32_MAX ||
	    !hash_table_add(&histograms->task_table, hash, histograms->tasks.nr) ||
	    !array_push(&histograms->tasks, task))
		return &error_no_memory;
	return call_tree_add_root(histograms->tree, histograms->tasks.nr - 1, &self->root);
}

/* The node of a chain with this number in the order of counting. */
static size_t node_in_order(const struct histograms *histograms, const struct chain_path *path,
			    size_t number)
{
	return histogram_callers_first(histograms->options) ? number : path->nr - 1 - number;
}

/* Find or add the entry of a node in the task of @self; NULL: out of memory. */
static struct histogram_entry *find_caller(struct histograms *histograms,
					   struct histogram *histogram,
					   const struct histogram_entry *self, uint32_t node,
					   const struct entry_origin *origin)
{
	const struct histogram_task task = { histogram, self->comm, self->extra, self->tid,
					     self->cpu };
	struct chain_node *known = &histograms->nodes.items[node];
	struct histogram_entry *entry;

	if (known->entry)
		return histogram_entry_now(histograms->entries.items[known->entry - 1]);
	entry = histogram_find_or_add(histogram, call_tree_node_place(histograms->tree, node),
				      &task, origin);
	if (entry)
		known->entry = entry->number + 1;
	return entry;
}

static void deepen_entry(struct histogram_entry *entry, size_t depth)
{
	if (depth > entry->depth)
		entry->depth = depth;
}

/* Create the missing entries of a new chain: entries are ordered by their creation. */
static struct error *add_callers(struct histograms *histograms, struct histogram *histogram,
				 const struct chain_path *path,
				 const struct histogram_entry *self,
				 const struct session_record *r)
{
	struct entry_origin origin = {
		histogram_privilege(r->sample.cpumode), r->sample.tid, true,
	};

	for (size_t i = 0; i < path->nr; i++) {
		const uint32_t node = path->nodes[node_in_order(histograms, path, i)];
		const struct call_place *place = call_tree_place(
			histograms->tree, call_tree_node_place(histograms->tree, node));
		struct histogram_entry *entry;

		/*
		 * As in perf, a frame outside of all binaries has the level of the previous frame.
		 */
		if (place->dso)
			origin.level = histogram_privilege(place->mode);
		entry = find_caller(histograms, histogram, self, node, &origin);
		if (!entry)
			return &error_no_memory;
		if (histograms->options->graph.mode)
			deepen_entry(entry, path->nr - i);
	}
	return NULL;
}

/* Extend the data of nodes to all nodes of the tree. */
static bool add_chain_nodes(struct histograms *histograms)
{
	const size_t nr = call_tree_nodes(histograms->tree);

	return !nr || array_at(&histograms->nodes, nr - 1, 0);
}

/* Find the number + 1 of the chain of @self that ends at a node with this mark; 0: none. */
static uint32_t find_counted_chain(const struct histograms *histograms, uint32_t mark,
				   const struct histogram_entry *self)
{
	while (mark && histograms->chain_selves.items[mark - 1] != self->number)
		mark = histograms->chains.items[mark - 1].next_of_node;
	return mark;
}

/* Add the chain of @self that ends at a node; NULL: out of memory. */
static struct counted_chain *add_counted_chain(struct histograms *histograms, uint32_t node,
					       const struct histogram_entry *self)
{
	struct chain_node *known = &histograms->nodes.items[node];
	struct counted_chain added = {
		.node = node, .self = self->number, .next_of_node = known->chain,
	};

	if (histograms->chains.nr == UINT32_MAX - 1 ||
	    !array_push(&histograms->chain_selves, added.self) ||
	    !array_push(&histograms->chains, added))
		return NULL;
	known->chain = histograms->chains.nr;
	call_tree_set_mark(histograms->tree, node, known->chain);
	return &histograms->chains.items[histograms->chains.nr - 1];
}

static uint32_t find_chain_end(struct histograms *histograms, const struct chain_path *path,
			       const struct event *event)
{
	struct chain_end end = { .only = NULL };

	/* Branches do not depend on frame pointers. */
	if (histograms->options->branch_history)
		return CHAIN_END_NONE;
	for (size_t i = 0; i < path->nr; i++) {
		const uint32_t place = call_tree_node_place(histograms->tree, path->nodes[i]);

		chain_end_add_place(&histograms->ends, &end,
				    call_tree_place(histograms->tree, place));
	}
	return chain_ends_number(&histograms->ends, event, &end);
}

/* Add a chain, with its end, its depth and its entries. */
static struct error *begin_chain(struct histograms *histograms, struct histogram *histogram,
				 const struct session_record *r, const struct chain_path *path,
				 struct histogram_entry *self)
{
	struct counted_chain *chain = NULL;

	if (add_chain_nodes(histograms))
		chain = add_counted_chain(histograms, path->nodes[path->nr - 1], self);
	if (!chain)
		return &error_no_memory;
	chain->end = find_chain_end(histograms, path, r->event);
	if (histograms->options->graph.mode)
		deepen_entry(self, path->nr);
	if (!histograms->options->children)
		return NULL;
	return add_callers(histograms, histogram, path, self, r);
}

/* Count a chain in the entries of its nodes; the entry of the chain itself has it already. */
static void count_in_callers(struct histograms *histograms, const struct counted_chain *chain,
			     const uint32_t *nodes, size_t nr)
{
	struct histogram_entry *self =
		histogram_entry_now(histograms->entries.items[chain->self]);
	const uint64_t stamp = ++histograms->seen_stamp;

	self->seen = stamp;
	for (size_t i = 0; i < nr; i++) {
		const uint32_t number = histograms->nodes.items[nodes[i]].entry - 1;
		struct histogram_entry *entry =
			histogram_entry_now(histograms->entries.items[number]);

		if (entry->seen == stamp)
			continue;
		entry->seen = stamp;
		entry->children += chain->uncounted;
		entry->task = self->task;
	}
}

static void count_chain(struct histograms *histograms, struct counted_chain *chain,
			const uint32_t *nodes, size_t nr)
{
	if (histograms->options->children)
		count_in_callers(histograms, chain, nodes, nr);
	chain_ends_add(&histograms->ends, chain->end, chain->uncounted);
	chain->uncounted = 0;
}

void histogram_count_pending(struct histograms *histograms)
{
	struct counted_chain *chain;

	if (!histograms->pending.chain)
		return;
	chain = &histograms->chains.items[histograms->pending.chain - 1];
	chain->period += histograms->pending.period;
	chain->uncounted += histograms->pending.period;
	chain->samples++;
	histograms->pending.chain = 0;
}

void histogram_count_callers(struct histograms *histograms)
{
	uint32_t nodes[CHAIN_NODES_MAX];

	histogram_count_pending(histograms);
	for (size_t i = 0; i < histograms->chains.nr; i++) {
		struct counted_chain *chain = &histograms->chains.items[i];
		size_t nr = 0;

		if (!chain->uncounted)
			continue;
		if (histograms->options->children)
			nr = call_tree_path(histograms->tree, chain->node, nodes, CHAIN_NODES_MAX);
		count_chain(histograms, chain, nodes, nr);
	}
}

/* Count the branches of a sample in their nodes; false: out of memory. */
static bool count_steps(struct histograms *histograms, const struct chain_path *path)
{
	for (size_t i = 0; i < path->nr_steps; i++) {
		const uint32_t node = path->step_nodes[i];

		if (node == CALL_TREE_NONE)
			continue;
		if (!array_at(&histograms->branches, node, 0))
			return false;
		branch_counts_add_step(&histograms->branches.items[node], &path->steps[i]);
	}
	return true;
}

/* Count a sample in the chain of @self with these nodes. */
static struct error *count_path(struct histograms *histograms, struct histogram *histogram,
				const struct session_record *r, const struct chain_path *path,
				struct histogram_entry *self)
{
	uint32_t number = find_counted_chain(histograms, path->mark, self);
	struct error *err = NULL;

	histogram_count_pending(histograms);
	if (!number) {
		err = begin_chain(histograms, histogram, r, path, self);
		number = histograms->chains.nr;
	}
	if (err)
		return err;
	__builtin_prefetch(&histograms->chains.items[number - 1], 1);
	histograms->pending.chain = number;
	histograms->pending.period = r->sample.period;
	if (!count_steps(histograms, path))
		return &error_no_memory;
	/* The comm that an entry shows beside its tid depends on the order of the samples. */
	if (histograms->has_tid && histograms->options->children) {
		histogram_count_pending(histograms);
		count_chain(histograms, &histograms->chains.items[number - 1], path->nodes,
			    path->nr);
	}
	return NULL;
}

struct error *histogram_count_chain(struct histograms *histograms, struct histogram *histogram,
				    const struct session_record *r, struct histogram_entry *self)
{
	struct chain_path path;
	struct error *err = NULL;

	if (!self->root)
		err = find_task_root(histograms, histogram, self);
	if (!err)
		err = chain_nodes_find_path(histograms->chain_nodes, r, self->root, &path);
	if (err || !path.nr)
		return err;
	return count_path(histograms, histogram, r, &path, self);
}

/* A chain with less than this part of the total weight is invisible. */
#define NEGLIGIBLE_SHIFT	20

static bool is_negligible(const struct histograms *histograms, const struct counted_chain *chain,
			  uint64_t whole)
{
	return !chain->period || chain->period < whole >> NEGLIGIBLE_SHIFT;
}

/* Drop the negligible chains, and the nodes that only these have. */
static struct error *forget_chains(struct histograms *histograms, uint64_t whole)
{
	struct call_tree *tree = histograms->tree;
	_cleanup_free_ uint32_t *numbers = calloc(call_tree_nodes(tree), sizeof(*numbers));
	size_t nr = 0;

	if (!numbers)
		return &error_no_memory;
	for (size_t i = 0; i < histograms->chains.nr; i++) {
		const struct counted_chain *chain = &histograms->chains.items[i];

		if (is_negligible(histograms, chain, whole))
			continue;
		for (uint32_t node = chain->node; node && !numbers[node];
		     node = call_tree_parent(tree, node))
			numbers[node] = 1;
		histograms->chain_selves.items[nr] = chain->self;
		histograms->chains.items[nr++] = *chain;
	}
	histograms->chains.nr = histograms->chain_selves.nr = nr;
	call_tree_keep(tree, numbers);
	for (size_t i = 1; i < histograms->nodes.nr; i++)
		if (numbers[i])
			histograms->nodes.items[numbers[i]] = (struct chain_node){
				.entry = histograms->nodes.items[i].entry,
			};
	histograms->nodes.nr = call_tree_nodes(tree);
	for (size_t i = 0; i < nr; i++) {
		struct counted_chain *chain = &histograms->chains.items[i];
		struct chain_node *node;

		chain->node = numbers[chain->node];
		node = &histograms->nodes.items[chain->node];
		chain->next_of_node = node->chain;
		node->chain = i + 1;
		call_tree_set_mark(tree, chain->node, i + 1);
	}
	for (size_t i = 0; i < histograms->entries.nr; i++) {
		struct histogram_entry *entry = histograms->entries.items[i];

		entry->root = numbers[entry->root];
	}
	histogram_forget_recent(histograms);
	chain_nodes_forget(histograms->chain_nodes);
	return NULL;
}

struct error *histogram_decay_chains(struct histograms *histograms)
{
	size_t negligible = 0;
	uint64_t whole = 0;

	for (size_t i = 0; i < histograms->events.nr; i++)
		if (histograms->events.items[i] && histograms->events.items[i]->period > whole)
			whole = histograms->events.items[i]->period;
	for (size_t i = 0; i < histograms->chains.nr; i++) {
		struct counted_chain *chain = &histograms->chains.items[i];

		chain->period = histogram_decayed(chain->period);
		chain->samples = histogram_decayed(chain->samples);
		negligible += is_negligible(histograms, chain, whole);
	}
	chain_ends_forget_periods(&histograms->ends);
	histograms->layout.is_valid = false;
	return negligible > histograms->chains.nr / 2 ? forget_chains(histograms, whole) : NULL;
}

// SPDX-License-Identifier: GPL-2.0
#include "profile/histogram/call_graph.h"

#include <stdlib.h>
#include <string.h>

#include "lib/array.h"
#include "lib/cleanup.h"
#include "lib/hash.h"
#include "lib/hash_table.h"
#include "terminal/word_list.h"

/* Up to so many children of a node are scanned; with more, a table is used. */
#define CHILDREN_SCANNED	16

/* The number of nodes that are allocated at once. */
#define NODES_AT_ONCE	256

struct call_graph {
	struct call_node root;
	ARRAY_OF(struct call_node *) chunks;	/* NODES_AT_ONCE each; owned */
	size_t nr_nodes;		/* without the root; each comes after its parent */
	/* The children of nodes with more than CHILDREN_SCANNED: positions in nodes. */
	struct hash_table table;
	ARRAY_OF(struct call_node *) nodes;
};

#define GRAPH_WORD(name, member, value)	{ name, offsetof(struct call_graph_options, member), value }

/* Each sets a member of the options, which is an enum. */
static const struct {
	const char *name;
	size_t offset;
	unsigned int value;
} graph_words[] = {
	GRAPH_WORD("graph", mode, CALL_GRAPH_ABSOLUTE),
	GRAPH_WORD("fractal", mode, CALL_GRAPH_RELATIVE),
	GRAPH_WORD("folded", mode, CALL_GRAPH_FOLDED),
	GRAPH_WORD("flat", mode, CALL_GRAPH_FLAT),
	GRAPH_WORD("none", mode, CALL_GRAPH_NONE),
	GRAPH_WORD("caller", order, CALL_GRAPH_CALLER),
	GRAPH_WORD("callee", order, CALL_GRAPH_CALLEE),
	GRAPH_WORD("function", by, CALL_GRAPH_BY_FUNCTION),
	GRAPH_WORD("address", by, CALL_GRAPH_BY_ADDRESS),
	GRAPH_WORD("percent", value, CALL_GRAPH_PERCENT),
	GRAPH_WORD("period", value, CALL_GRAPH_PERIOD),
	GRAPH_WORD("count", value, CALL_GRAPH_COUNT),
};

const struct word_table call_graph_words = WORD_TABLE(graph_words);

static struct error *parse_graph_word(struct call_graph_options *options, const char *word,
				      unsigned int *numbers)
{
	unsigned int row = word_find(&call_graph_words, word), *enum_at;
	char *end;
	double number;

	if (row != WORD_NONE) {
		enum_at = (unsigned int *)((char *)options + graph_words[row].offset);
		*enum_at = graph_words[row].value;
		return NULL;
	}
	number = strtod(word, &end);
	if (end == word || *end || number < 0 || *numbers > 1) {
		struct error *err = word_unknown(&call_graph_words, "-g does not know", word);

		return error_hint(err, "%s; numbers are the least percentage and the most lines: "
				  "-g graph,0.5,caller", err->hint);
	}
	if ((*numbers)++)
		options->limit = number;
	else
		options->min_percent = number;
	return NULL;
}

struct error *call_graph_options_parse(struct call_graph_options *options, const char *text)
{
	_cleanup_free_ char *copy = strdup(text ? text : "");
	struct error *err = NULL;
	unsigned int numbers = 0;
	char *saved = NULL;

	*options = (struct call_graph_options){
		.mode = CALL_GRAPH_ABSOLUTE, .min_percent = 0.5,
	};
	if (!copy)
		return &error_no_memory;
	for (char *word = strtok_r(copy, ",", &saved); word && !err;
	     word = strtok_r(NULL, ",", &saved))
		err = parse_graph_word(options, word, &numbers);
	return err;
}

int call_frame_compare(const struct call_frame *a, const struct call_frame *b)
{
	bool functions = a->symbol && b->symbol && !a->code;

	/* As in perf, functions that are inlined in several other ones are compared by name. */
	if (functions && (a->symbol->inlined || b->symbol->inlined))
		return strcmp(b->symbol->name, a->symbol->name);
	if (a->dso != b->dso)
		return array_descending((uintptr_t)a->dso, (uintptr_t)b->dso);
	return functions ? array_descending(a->symbol->start, b->symbol->start) :
			   array_descending(a->ip, b->ip);
}

/* Frames that are equal for call_frame_compare() have the same hash. */
static uint64_t hash_frame(const struct call_node *parent, const struct call_frame *frame)
{
	uint64_t hash = hash_key_number((uintptr_t)parent);

	return hash_key_join(hash, frame->symbol ? hash_key_text(frame->symbol->name) : frame->ip);
}

static bool add_child_to_table(struct call_graph *graph, struct call_node *node)
{
	return hash_table_add(&graph->table, hash_frame(node->parent, &node->frame),
			      graph->nodes.nr) &&
	       array_push(&graph->nodes, node);
}

static struct call_node *node_at(const struct call_graph *graph, size_t i)
{
	return &graph->chunks.items[i / NODES_AT_ONCE][i % NODES_AT_ONCE];
}

/* NULL: out of memory. */
static struct call_node *call_graph_new_node(struct call_graph *graph)
{
	struct call_node *chunk;

	if (graph->nr_nodes == graph->chunks.nr * NODES_AT_ONCE) {
		chunk = calloc(NODES_AT_ONCE, sizeof(*chunk));
		if (!chunk || !array_push(&graph->chunks, chunk)) {
			free(chunk);
			return NULL;
		}
	}
	return node_at(graph, graph->nr_nodes++);
}

static struct call_node *find_child_in_table(const struct call_graph *graph,
					     const struct call_node *parent,
					     const struct call_frame *frame)
{
	hash_table_each(&graph->table, hash_frame(parent, frame), n) {
		struct call_node *node = graph->nodes.items[n];

		if (node->parent == parent && !call_frame_compare(&node->frame, frame))
			return node;
	}
	return NULL;
}

static struct call_node *find_child(const struct call_graph *graph, const struct call_node *parent,
				    const struct call_frame *frame)
{
	if (parent->children.nr > CHILDREN_SCANNED)
		return find_child_in_table(graph, parent, frame);
	for (size_t i = 0; i < parent->children.nr; i++)
		if (!call_frame_compare(&parent->children.items[i]->frame, frame))
			return parent->children.items[i];
	return NULL;
}

DEFINE_COMPARISON(call_node_compare, struct call_node *,
		  array_descending((*x)->cumulated, (*y)->cumulated) ?:
		  call_frame_compare(&(*x)->frame, &(*y)->frame))

uint64_t call_level_least(uint64_t period, double percent)
{
	double share = period * (percent / 100);

	return (uint64_t)share + ((double)(uint64_t)share < share);
}

bool call_level_collect(const struct call_node *parent, uint64_t least, struct call_level *ret)
{
	for (size_t i = 0; i < parent->children.nr; i++)
		if (parent->children.items[i]->cumulated >= least &&
		    !array_push(ret, parent->children.items[i]))
			return false;
	array_sort(ret, call_node_compare);
	return true;
}

const struct call_node *call_node_end_of_piece(const struct call_node *node)
{
	while (!node->hit && node->children.nr == 1)
		node = node->children.items[0];
	return node;
}

struct call_graph *call_graph_create(void)
{
	return calloc(1, sizeof(struct call_graph));
}

struct call_node *call_graph_child(struct call_graph *graph, struct call_node *parent,
				   const struct call_frame *frame)
{
	struct call_node *node;
	size_t from;

	if (!parent)
		parent = &graph->root;
	node = find_child(graph, parent, frame);
	if (node)
		return node;
	node = call_graph_new_node(graph);
	if (!node || !array_push(&parent->children, node))
		return NULL;
	node->frame = *frame;
	node->parent = parent;
	if (parent->children.nr <= CHILDREN_SCANNED)
		return node;
	/* When there are too many children for scanning, all of them are added to the table. */
	from = parent->children.nr == CHILDREN_SCANNED + 1 ? 0 : parent->children.nr - 1;
	for (size_t i = from; i < parent->children.nr; i++)
		if (!add_child_to_table(graph, parent->children.items[i]))
			return NULL;
	return node;
}

void call_graph_add_all(struct call_graph *graph, uint64_t period, uint64_t count)
{
	graph->root.cumulated += period;
	graph->root.count += count;
}

const struct call_node *call_graph_root(const struct call_graph *graph)
{
	return &graph->root;
}

void call_graph_destroy(struct call_graph *graph)
{
	if (!graph)
		return;
	free(graph->root.children.items);
	for (size_t i = 0; i < graph->nr_nodes; i++)
		free(node_at(graph, i)->children.items);
	array_free_each(&graph->chunks);
	hash_table_deinit(&graph->table);
	free(graph->nodes.items);
	free(graph);
}

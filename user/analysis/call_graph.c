// SPDX-License-Identifier: GPL-2.0
#include "analysis/call_graph.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "lib/array.h"
#include "lib/cleanup.h"
#include "lib/escape.h"
#include "lib/hash.h"
#include "lib/hash_table.h"

/* The deepest level that has a column of lines of its own. */
#define DEPTH_MAX	64

/* A node's children are scanned; if there are more than this, a table is used. */
#define CHILDREN_SCANNED	16

/*
 * One frame.  A piece of the drawing is a node and its descendants, as long as each is an only
 * child.
 */
struct node {
	struct call_frame frame;
	uint64_t hit, cumulated;	/* period of chains that end here; that come through here */
	uint64_t count;			/* number of chains that come through here */
	struct node *parent;
	struct {
		struct node **items;
		size_t nr, alloc;
	} children;
};

struct call_graph {
	struct node root;
	size_t depth;
	/* The children of nodes with more than CHILDREN_SCANNED: positions in nodes. */
	struct hash_table table;
	struct {
		struct node **items;
		size_t nr, alloc;
	} nodes;
};

static struct error *parse_word(struct call_graph_options *options, const char *word,
				unsigned int *numbers)
{
	char *end;
	double number;

	if (!strcmp(word, "graph"))
		options->mode = CALL_GRAPH_ABSOLUTE;
	else if (!strcmp(word, "fractal"))
		options->mode = CALL_GRAPH_RELATIVE;
	else if (!strcmp(word, "none"))
		options->mode = CALL_GRAPH_NONE;
	else if (!strcmp(word, "caller"))
		options->order = CALL_GRAPH_CALLER;
	else if (!strcmp(word, "callee"))
		options->order = CALL_GRAPH_CALLEE;
	else if (!strcmp(word, "percent"))
		options->value = CALL_GRAPH_PERCENT;
	else if (!strcmp(word, "period"))
		options->value = CALL_GRAPH_PERIOD;
	else if (!strcmp(word, "count"))
		options->value = CALL_GRAPH_COUNT;
	else if (strcmp(word, "function")) {
		number = strtod(word, &end);
		if (end == word || *end || number < 0 || *numbers > 1)
			return error_hint(error_new(EINVAL, "-g does not know '%s'", word),
					  "It takes graph, fractal or none, the least percentage, "
					  "the most lines, caller or callee, and percent, period "
					  "or count: -g graph,0.5,caller");
		if ((*numbers)++)
			options->limit = number;
		else
			options->min_percent = number;
	}
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
		err = parse_word(options, word, &numbers);
	return err;
}

static int compare_numbers(uint64_t a, uint64_t b)
{
	return a > b ? -1 : a < b;
}

/* perf's order of equally large frames: the highest address first. */
static int compare_frames(const struct call_frame *a, const struct call_frame *b)
{
	bool functions = a->symbol && b->symbol;

	if (a->dso != b->dso)
		return compare_numbers((uintptr_t)a->dso, (uintptr_t)b->dso);
	return functions ? compare_numbers(a->symbol->start, b->symbol->start) :
			   compare_numbers(a->ip, b->ip);
}

/* Frames that are equal for compare_frames() have the same hash. */
static uint64_t hash_frame(const struct node *parent, const struct call_frame *frame)
{
	uint64_t hash = hash_key_number((uintptr_t)parent);

	hash = hash_key_join(hash, (uintptr_t)frame->dso);
	return hash_key_join(hash, frame->symbol ? frame->symbol->start : frame->ip);
}

static bool add_to_table(struct call_graph *graph, struct node *node)
{
	return hash_table_add(&graph->table, hash_frame(node->parent, &node->frame),
			      graph->nodes.nr) &&
	       array_push(&graph->nodes, node);
}

static struct node *find_in_table(const struct call_graph *graph, const struct node *parent,
				  const struct call_frame *frame)
{
	size_t at;

	for (bool more = hash_table_first(&graph->table, hash_frame(parent, frame), &at); more;
	     more = hash_table_next(&graph->table, &at)) {
		struct node *node = graph->nodes.items[hash_table_value(&graph->table, at)];

		if (node->parent == parent && !compare_frames(&node->frame, frame))
			return node;
	}
	return NULL;
}

static struct node *find(const struct call_graph *graph, const struct node *parent,
			 const struct call_frame *frame)
{
	if (parent->children.nr > CHILDREN_SCANNED)
		return find_in_table(graph, parent, frame);
	for (size_t i = 0; i < parent->children.nr; i++)
		if (!compare_frames(&parent->children.items[i]->frame, frame))
			return parent->children.items[i];
	return NULL;
}

static struct node *find_or_add(struct call_graph *graph, struct node *parent,
				const struct call_frame *frame)
{
	struct node *node = find(graph, parent, frame);
	size_t from;

	if (node)
		return node;
	node = calloc(1, sizeof(*node));
	if (!node || !array_push(&parent->children, node)) {
		free(node);
		return NULL;
	}
	node->frame = *frame;
	node->parent = parent;
	if (parent->children.nr <= CHILDREN_SCANNED)
		return node;
	/* When there is one child too many for scanning, all of them go into the table. */
	from = parent->children.nr == CHILDREN_SCANNED + 1 ? 0 : parent->children.nr - 1;
	for (size_t i = from; i < parent->children.nr; i++)
		if (!add_to_table(graph, parent->children.items[i]))
			return NULL;
	return node;
}

bool call_graph_add(struct call_graph **graph, const struct call_frame *frames, size_t nr,
		    uint64_t period)
{
	struct node *node;

	if (!nr)
		return true;
	if (!*graph)
		*graph = calloc(1, sizeof(**graph));
	if (!*graph)
		return false;
	node = &(*graph)->root;
	node->cumulated += period;
	for (size_t i = 0; i < nr; i++) {
		node = find_or_add(*graph, node, &frames[i]);
		if (!node)
			return false;
		node->cumulated += period;
		node->count++;
	}
	node->hit += period;
	if (nr > (*graph)->depth)
		(*graph)->depth = nr;
	return true;
}

/* The recursion is as deep as the longest chain. */
static bool merge(struct call_graph *graph, struct node *into, const struct node *from)
{
	into->hit += from->hit;
	into->cumulated += from->cumulated;
	into->count += from->count;
	for (size_t i = 0; i < from->children.nr; i++) {
		const struct node *child = from->children.items[i];
		struct node *node = find_or_add(graph, into, &child->frame);

		if (!node || !merge(graph, node, child))
			return false;
	}
	return true;
}

bool call_graph_merge(struct call_graph *into, const struct call_graph *from)
{
	if (from->depth > into->depth)
		into->depth = from->depth;
	return merge(into, &into->root, &from->root);
}

size_t call_graph_depth(const struct call_graph *graph)
{
	return graph ? graph->depth : 0;
}

/* The recursion is as deep as the longest chain, which has at most 254 frames. */
static void deinit(struct node *node)
{
	for (size_t i = 0; i < node->children.nr; i++) {
		deinit(node->children.items[i]);
		free(node->children.items[i]);
	}
	free(node->children.items);
}

void call_graph_destroy(struct call_graph *graph)
{
	if (!graph)
		return;
	deinit(&graph->root);
	hash_table_deinit(&graph->table);
	free(graph->nodes.items);
	free(graph);
}

/* ---- drawing ------------------------------------------------------------- */

struct drawing {
	const struct call_graph_options *options;
	uint64_t min_hits;	/* minimum for absolute graphs */
	unsigned int margin;
	struct strbuf *out;
};

/* The nodes of a level that are drawn, largest first. */
struct level {
	struct node **items;
	size_t nr, alloc;
};

static int compare_nodes(const void *x, const void *y)
{
	const struct node *a = *(struct node *const *)x, *b = *(struct node *const *)y;
	int order = compare_numbers(a->cumulated, b->cumulated);

	return order ? order : compare_frames(&a->frame, &b->frame);
}

/* Find the last node of the piece that begins with @node. */
static const struct node *end_of_piece(const struct node *node)
{
	while (!node->hit && node->children.nr == 1)
		node = node->children.items[0];
	return node;
}

/* Collect the nodes to draw below @parent, which is the end of a piece or the root. */
static bool collect(const struct drawing *d, const struct node *parent, struct level *ret)
{
	uint64_t least = d->min_hits, below = parent->cumulated - parent->hit;
	double share = below * (d->options->min_percent / 100);

	if (d->options->mode == CALL_GRAPH_RELATIVE)
		least = (uint64_t)share + ((double)(uint64_t)share < share);
	for (size_t i = 0; i < parent->children.nr; i++)
		if (parent->children.items[i]->cumulated >= least &&
		    !array_push(ret, parent->children.items[i]))
			return false;
	if (ret->nr)
		qsort(ret->items, ret->nr, sizeof(*ret->items), compare_nodes);
	return true;
}

static void add_margin(const struct drawing *d)
{
	strbuf_addf(d->out, "%*s", 12 + d->margin, "");
}

static void add_name(const struct drawing *d, const struct call_frame *frame)
{
	size_t from = d->out->len;

	if (frame->symbol)
		strbuf_addstr(d->out, frame->symbol->name);
	else
		strbuf_addf(d->out, "%#" PRIx64, frame->ip);
	escape_line_ends(d->out, from);
	strbuf_addch(d->out, '\n');
}

static void add_value(const struct drawing *d, uint64_t period, uint64_t count, uint64_t total)
{
	if (d->options->value == CALL_GRAPH_PERIOD)
		strbuf_addf(d->out, "%" PRIu64, period);
	else if (d->options->value == CALL_GRAPH_COUNT)
		strbuf_addf(d->out, "%" PRIu64, count);
	else
		strbuf_addf(d->out, "%.2f%%", total ? 100.0 * period / total : 0);
}

static void add_pipes(const struct drawing *d, unsigned int depth, uint64_t pipes)
{
	add_margin(d);
	for (unsigned int i = 0; i < depth; i++)
		strbuf_addf(d->out, "%c          ", pipes >> i & 1 ? '|' : ' ');
}

/* Draw "|--12.34%--", with which the first line of a piece begins. */
static void add_branch(const struct drawing *d, unsigned int depth, uint64_t pipes,
		       const struct node *node, uint64_t total)
{
	add_pipes(d, depth - 1, pipes);
	strbuf_addf(d->out, "%c--", pipes >> (depth - 1) & 1 ? '|' : ' ');
	add_value(d, node->cumulated, node->count, total);
	strbuf_addstr(d->out, "--");
}

static void draw_piece(const struct drawing *d, const struct node *node, unsigned int depth,
		       uint64_t pipes, uint64_t total)
{
	const struct node *last = end_of_piece(node);

	add_branch(d, depth, pipes, node, total);
	add_name(d, &node->frame);
	while (node != last) {
		node = node->children.items[0];
		add_pipes(d, depth, pipes);
		add_name(d, &node->frame);
	}
}

/* Draw what the nodes of a relative level lack to 100 percent. */
static void draw_rest(const struct drawing *d, uint64_t rest, unsigned int depth, uint64_t pipes,
		      uint64_t total)
{
	const struct node node = { .cumulated = rest };

	add_branch(d, depth, pipes & ~(1ULL << (depth - 1)), &node, total);
	strbuf_addstr(d->out, "[...]\n");
}

/* Draw everything below @parent; false: nothing was drawn, or memory is out. */
static bool draw_level(const struct drawing *d, const struct node *parent, unsigned int depth,
		       uint64_t pipes, uint64_t total)
{
	bool relative = d->options->mode == CALL_GRAPH_RELATIVE;
	uint64_t rest = total, own = pipes;
	struct level level = { 0 };

	if (depth >= DEPTH_MAX || !collect(d, parent, &level))
		level.nr = 0;
	for (size_t i = 0; i < level.nr; i++) {
		const struct node *node = level.items[i], *last = end_of_piece(node);

		rest -= node->cumulated;
		if (i + 1 == level.nr && (!relative || !rest))
			own &= ~(1ULL << (depth - 1));
		add_pipes(d, depth, pipes);
		strbuf_addch(d->out, '\n');
		draw_piece(d, node, depth, own, total);
		draw_level(d, last, depth + 1, own | 1ULL << depth,
			   relative ? last->cumulated - last->hit : total);
		if (i + 1 == d->options->limit)
			break;
	}
	if (relative && rest && rest != total)
		draw_rest(d, rest, depth, own, total);
	free(level.items);
	return level.nr;
}

/* Draw the piece that all chains of the entry share; it needs no percentage. */
static const struct node *draw_common(struct drawing *d, const struct node *node, bool skip_first)
{
	const struct node *last = end_of_piece(node);
	unsigned int lines = 0;

	for (;; node = node->children.items[0]) {
		if (!skip_first) {
			if (!lines) {
				add_margin(d);
				strbuf_addstr(d->out, "|\n");
			}
			add_margin(d);
			if (!lines) {
				strbuf_addstr(d->out, "---");
				d->margin += 3;
			}
			add_name(d, &node->frame);
			if (++lines == d->options->limit)
				break;
		}
		skip_first = false;
		if (node == last)
			break;
	}
	return last;
}

void call_graph_text_add(const struct call_graph *graph, const struct call_graph_options *options,
			 const struct call_graph_whole *whole, struct strbuf *out)
{
	struct drawing d = {
		.options = options, .out = out,
		.min_hits = whole->total * (options->min_percent / 100),
	};
	const struct node *top = graph ? &graph->root : NULL;
	bool relative = options->mode == CALL_GRAPH_RELATIVE;
	struct level level = { 0 };
	size_t before = out->len;

	if (!top || !collect(&d, top, &level))
		return;
	if (level.nr == 1 && level.items[0]->cumulated == whole->entry)
		top = draw_common(&d, level.items[0], whole->skip_first);
	free(level.items);
	draw_level(&d, top, 1, 1, relative ? whole->entry : whole->total);
	if (out->len > before)
		strbuf_addch(out, '\n');
}

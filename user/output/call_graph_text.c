// SPDX-License-Identifier: GPL-2.0
#include "output/call_graph_text.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "lib/array.h"
#include "lib/color.h"
#include "lib/escape.h"
#include "lib/terminal.h"

/* The deepest level that has a column of lines of its own. */
#define DEPTH_MAX	64

/* perf's distance between the lines of two levels, and smaller ones for narrow terminals. */
static const unsigned int steps[] = { 11, 5, 3, 2 };

/* The room for a name that is left at the deepest level which is drawn on a terminal. */
#define NAME_COLUMNS	16

/* A piece of the drawing is a node and its descendants, as long as each is an only child. */
struct drawing {
	const struct call_graph_options *options;
	uint64_t min_hits;	/* minimum for absolute graphs */
	unsigned int margin;
	unsigned int step;
	unsigned int columns;	/* longer lines are cut; 0: none are */
	struct strbuf *out;
};

/* The nodes of a level that are drawn, largest first. */
struct level {
	struct call_node **items;
	size_t nr, alloc;
};

static int compare_drawn(const void *x, const void *y)
{
	const struct call_node *a = *(struct call_node *const *)x;
	const struct call_node *b = *(struct call_node *const *)y;

	if (a->cumulated != b->cumulated)
		return a->cumulated > b->cumulated ? -1 : 1;
	return call_frame_compare(&a->frame, &b->frame);
}

/* Find the last node of the piece that begins with @node. */
static const struct call_node *end_of_piece(const struct call_node *node)
{
	while (!node->hit && node->children.nr == 1)
		node = node->children.items[0];
	return node;
}

/* Collect the nodes to draw below @parent, which is the end of a piece or the root. */
static bool collect_level(const struct drawing *d, const struct call_node *parent,
			  struct level *ret)
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
		qsort(ret->items, ret->nr, sizeof(*ret->items), compare_drawn);
	return true;
}

static void add_margin(const struct drawing *d)
{
	strbuf_addf(d->out, "%*s", 12 + d->margin, "");
}

static void add_frame_name(const struct drawing *d, const struct call_frame *frame)
{
	size_t from = d->out->len, line = from, used;

	while (line && d->out->data[line - 1] != '\n')
		line--;
	used = d->columns ? terminal_width(strbuf_str(d->out) + line) : 0;
	if (frame->symbol && d->columns)
		terminal_add_cut(d->out, frame->symbol->name,
				 used < d->columns ? d->columns - used : 0);
	else if (frame->symbol)
		strbuf_addstr(d->out, frame->symbol->name);
	else
		strbuf_addf(d->out, "%#" PRIx64, frame->ip);
	escape_line_ends(d->out, from);
	strbuf_addch(d->out, '\n');
}

static void add_node_value(const struct drawing *d, uint64_t period, uint64_t count, uint64_t total)
{
	double percent = total ? 100.0 * period / total : 0;
	enum color_role role = color_of_percent(percent);

	if (d->options->value == CALL_GRAPH_PERIOD)
		strbuf_addf(d->out, "%" PRIu64, period);
	else if (d->options->value == CALL_GRAPH_COUNT)
		strbuf_addf(d->out, "%" PRIu64, count);
	else
		strbuf_addf(d->out, "%s%.2f%%%s", color_on(role), percent, color_off(role));
}

static void add_pipes(const struct drawing *d, unsigned int depth, uint64_t pipes)
{
	add_margin(d);
	for (unsigned int i = 0; i < depth; i++)
		strbuf_addf(d->out, "%c%*s", pipes >> i & 1 ? '|' : ' ', (int)d->step - 1, "");
}

/* Draw "|--12.34%--", with which the first line of a piece begins. */
static void add_branch(const struct drawing *d, unsigned int depth, uint64_t pipes,
		       const struct call_node *node, uint64_t total)
{
	add_pipes(d, depth - 1, pipes);
	strbuf_addf(d->out, "%c--", pipes >> (depth - 1) & 1 ? '|' : ' ');
	add_node_value(d, node->cumulated, node->count, total);
	strbuf_addstr(d->out, "--");
}

static void draw_piece(const struct drawing *d, const struct call_node *node, unsigned int depth,
		       uint64_t pipes, uint64_t total)
{
	const struct call_node *last = end_of_piece(node);

	add_branch(d, depth, pipes, node, total);
	add_frame_name(d, &node->frame);
	while (node != last) {
		node = node->children.items[0];
		add_pipes(d, depth, pipes);
		/* The name stands below the first one, which a percentage precedes. */
		strbuf_addf(d->out, "%*s", (int)(steps[0] - d->step), "");
		add_frame_name(d, &node->frame);
	}
}

/* Whether a level has no room on the terminal. */
static bool is_too_deep(const struct drawing *d, unsigned int depth)
{
	return d->columns &&
	       12 + d->margin + (depth - 1) * d->step + steps[0] + NAME_COLUMNS > d->columns;
}

/* Draw what the nodes of a relative level lack to 100 percent. */
static void draw_rest(const struct drawing *d, uint64_t rest, unsigned int depth, uint64_t pipes,
		      uint64_t total)
{
	const struct call_node node = { .cumulated = rest };

	add_branch(d, depth, pipes & ~(1ULL << (depth - 1)), &node, total);
	strbuf_addstr(d->out, "[...]\n");
}

/* Draw everything below @parent; false: nothing was drawn, or memory is out. */
static bool draw_level(const struct drawing *d, const struct call_node *parent, unsigned int depth,
		       uint64_t pipes, uint64_t total)
{
	bool relative = d->options->mode == CALL_GRAPH_RELATIVE;
	uint64_t rest = total, own = pipes;
	struct level level = { 0 };

	if (depth >= DEPTH_MAX || !collect_level(d, parent, &level))
		level.nr = 0;
	if (level.nr && is_too_deep(d, depth)) {
		add_pipes(d, depth, pipes & ~(1ULL << (depth - 1)));
		strbuf_addstr(d->out, "[... deeper]\n");
		free(level.items);
		return true;
	}
	for (size_t i = 0; i < level.nr; i++) {
		const struct call_node *node = level.items[i], *last = end_of_piece(node);

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
static const struct call_node *draw_common(struct drawing *d, const struct call_node *node,
					   bool skip_first)
{
	const struct call_node *last = end_of_piece(node);
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
			add_frame_name(d, &node->frame);
			if (++lines == d->options->limit)
				break;
		}
		skip_first = false;
		if (node == last)
			break;
	}
	return last;
}

static void draw_graph(struct drawing *d, const struct call_node *top,
		       const struct call_graph_whole *whole)
{
	bool relative = d->options->mode == CALL_GRAPH_RELATIVE;
	struct level level = { 0 };

	if (!collect_level(d, top, &level))
		return;
	if (level.nr == 1 && level.items[0]->cumulated == whole->entry)
		top = draw_common(d, level.items[0], whole->skip_first);
	free(level.items);
	draw_level(d, top, 1, 1, relative ? whole->entry : whole->total);
}

static bool has_wide_line(const char *text, size_t columns)
{
	for (size_t len; *text; text += len + (text[len] != '\0')) {
		_cleanup_free_ char *line = NULL;

		len = strcspn(text, "\n");
		line = len > columns ? strndup(text, len) : NULL;
		if (line && terminal_width(line) > columns)
			return true;
	}
	return false;
}

/* The least period of a node of an absolute graph. */
static uint64_t least_hits(const struct call_graph_options *options,
			   const struct call_graph_whole *whole)
{
	return whole->total * (options->min_percent / 100);
}

bool call_graph_text_has_lines(const struct call_graph_options *options,
			       const struct call_graph_whole *whole)
{
	return options->mode != CALL_GRAPH_ABSOLUTE || whole->entry >= least_hits(options, whole);
}

void call_graph_text_add(const struct call_graph *graph, const struct call_graph_options *options,
			 const struct call_graph_whole *whole, struct strbuf *out)
{
	const struct call_node *top = graph ? call_graph_root(graph) : NULL;
	unsigned int columns = whole->columns;
	size_t before = out->len;

	for (size_t i = 0; top && i < ARRAY_SIZE(steps); i++) {
		struct drawing d = {
			.options = options, .out = out, .step = steps[i],
			.min_hits = least_hits(options, whole),
			.columns = i + 1 == ARRAY_SIZE(steps) ? columns : 0,
		};

		out->len = before;
		draw_graph(&d, top, whole);
		if (!columns || out->failed || out->len == before ||
		    !has_wide_line(strbuf_str(out) + before, columns))
			break;
	}
	if (out->len > before)
		strbuf_addch(out, '\n');
}

// SPDX-License-Identifier: GPL-2.0
#include "table/profile/call_graph_text.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lib/array.h"
#include "lib/color.h"
#include "lib/escape.h"
#include "profile/histogram/branch_counts.h"
#include "record/branch_type.h"
#include "symbol/elf/dwarf_lines.h"
#include "terminal/terminal.h"

/* As in perf, a smaller percentage of aborts is not printed. */
#define ABORTS_MIN	0.1

static void begin_word(struct strbuf *out, unsigned int *nr)
{
	strbuf_addstr(out, (*nr)++ ? " " : " (");
}

static void add_type_word(struct strbuf *out, unsigned int *nr, bool is_there, const char *word)
{
	if (!is_there)
		return;
	begin_word(out, nr);
	strbuf_addstr(out, word);
}

static void add_branch_types(struct strbuf *out, unsigned int *nr,
			     const struct branch_counts *counts)
{
	if (!counts->types)
		return;
	add_type_word(out, nr, counts->forward, "COND_FWD");
	add_type_word(out, nr, counts->backward, "COND_BWD");
	add_type_word(out, nr, counts->far, "CROSS_2M");
	add_type_word(out, nr, counts->near, "CROSS_4K");
	for (unsigned int type = 0; type < 32; type++)
		add_type_word(out, nr, type != PERF_BR_COND && counts->types >> type & 1,
			      branch_type_name(type, false));
	for (unsigned int type = 0; type < 32; type++)
		add_type_word(out, nr, counts->new_types >> type & 1,
			      branch_type_name(type, true));
}

static void add_target_counts(struct strbuf *out, unsigned int *nr,
			      const struct branch_counts *counts)
{
	const double aborts = counts->aborts * 100.0 / counts->branches;

	add_branch_types(out, nr, counts);
	if (counts->predicted < counts->branches) {
		begin_word(out, nr);
		strbuf_addf(out, "predicted:%.1f%%",
			    counts->predicted * 100.0 / counts->branches);
	}
	if (aborts >= ABORTS_MIN) {
		begin_word(out, nr);
		strbuf_addf(out, "abort:%.1f%%", aborts);
	}
}

static void add_begin_counts(struct strbuf *out, unsigned int *nr,
			     const struct branch_counts *counts)
{
	const uint64_t cycles = counts->cycles / counts->branches;
	/* perf 6.1 does not count the branch that came first. */
	const uint64_t loops = counts->begun > 1 ? counts->loops / (counts->begun - 1) : 0;

	if (cycles) {
		begin_word(out, nr);
		strbuf_addf(out, "cycles:%" PRIu64, cycles);
	}
	if (loops) {
		begin_word(out, nr);
		strbuf_addf(out, "iter:%" PRIu64 " avg_cycles:%" PRIu64, loops,
			    counts->loop_cycles / counts->loops);
	}
}

/* Append " (cycles:3 iter:2 avg_cycles:3)" or " (CALL predicted:50.0%)"; often nothing. */
static void branch_counts_text_add(struct strbuf *out, const struct branch_counts *counts)
{
	unsigned int nr = 0;

	if (!counts->branches)
		return;
	if (counts->is_target)
		add_target_counts(out, &nr, counts);
	else
		add_begin_counts(out, &nr, counts);
	if (nr)
		strbuf_addch(out, ')');
}

/* The deepest level that has a column of lines of its own. */
#define DEPTH_MAX	64

/*
 * perf's distance between the lines of two levels.  Where a terminal is too narrow for that,
 * recursion is folded, and then the distance becomes smaller.
 */
static const struct {
	unsigned int step;
	bool folds;
} tries[] = { { 11, false }, { 11, true }, { 5, true }, { 3, true }, { 2, true } };

/* The room for a name that is left at the deepest level which is drawn on a terminal. */
#define NAME_COLUMNS	16

/* A piece of the drawing is a node and its descendants, as long as each is an only child. */
struct drawing {
	const struct call_graph_options *options;
	uint64_t min_hits;	/* minimum for absolute graphs */
	unsigned int margin;
	unsigned int step;
	bool folds;		/* recursion */
	unsigned int columns;	/* longer lines are cut; 0: none are */
	bool branch_history;
	struct strbuf *out;
};

/* Collect the nodes to draw below @parent, which is the end of a piece or the root. */
static bool collect_level(const struct drawing *d, const struct call_node *parent,
			  struct call_level *ret)
{
	uint64_t least = d->min_hits;

	if (d->options->mode == CALL_GRAPH_RELATIVE)
		least = call_level_least(parent->cumulated - parent->hit, d->options->min_percent);
	return call_level_collect(parent, least, ret);
}

static void add_margin(const struct drawing *d)
{
	strbuf_addf(d->out, "%*s", 12 + d->margin, "");
}

/* Append " program.c:17", or as in perf the offset in the function if its lines are not known. */
static void add_frame_source(struct strbuf *out, const struct call_frame *frame)
{
	struct source_place source = { .file = NULL };
	const char *slash;

	if (!frame->code || !frame->symbol)
		return;
	if (!dso_find_source(frame->code, frame->address, &source, 1) || !source.file) {
		strbuf_addf(out, " +%" PRIu64, frame->address - frame->symbol->start);
		return;
	}
	slash = strrchr(source.file, '/');
	strbuf_addf(out, " %s:%u", slash ? slash + 1 : source.file, source.line);
}

/*
 * The last frame of a recursion that begins at @node: each is of the same function, and the only
 * one that is drawn below the one before.
 */
static const struct call_node *end_of_recursion(const struct drawing *d,
						const struct call_node *node, unsigned int *times)
{
	*times = 1;
	/* Percentages of a relative graph are those of the level above, so each is drawn. */
	while (d->folds && d->options->mode != CALL_GRAPH_RELATIVE && node->frame.symbol) {
		const struct call_node *below;
		struct call_level level = { 0 };

		if (!collect_level(d, node, &level))
			level.nr = 0;
		below = level.nr == 1 ? level.items[0] : NULL;
		free(level.items);
		if (!below || below->frame.symbol != node->frame.symbol)
			break;
		node = below;
		++*times;
	}
	return node;
}

/* Add the line of a frame, or of a recursion.  Returns its last frame. */
static const struct call_node *add_frame_name(const struct drawing *d,
					      const struct call_node *node)
{
	const struct call_frame *frame = &node->frame;
	size_t from = d->out->len, line = from, used;
	const struct call_node *last;
	char more[24] = "";
	unsigned int times;

	last = end_of_recursion(d, node, &times);
	if (times > 1)
		snprintf(more, sizeof(more), " (%u times)", times);
	while (line && d->out->data[line - 1] != '\n')
		line--;
	used = d->columns ? terminal_width(strbuf_str(d->out) + line) + strlen(more) : 0;
	if (frame->symbol && frame->symbol->inlined && used + 10 < d->columns)
		used += 10;
	if (frame->symbol && d->columns)
		terminal_add_cut(d->out, frame->symbol->name,
				 used < d->columns ? d->columns - used : 0);
	else if (frame->symbol)
		strbuf_addstr(d->out, frame->symbol->name);
	else
		strbuf_addf(d->out, "%#" PRIx64, frame->ip);
	add_frame_source(d->out, frame);
	escape_line_ends(d->out, from);
	if (frame->symbol && frame->symbol->inlined)
		strbuf_addstr(d->out, " (inlined)");
	branch_counts_text_add(d->out, &node->branches);
	if (d->branch_history && !node->branches.branches)
		strbuf_addstr(d->out, " (calltrace)");
	strbuf_addf(d->out, "%s\n", more);
	return last;
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

/* Returns the node at which the piece ends. */
static const struct call_node *draw_piece(const struct drawing *d, const struct call_node *node,
					  unsigned int depth, uint64_t pipes, uint64_t total)
{
	add_branch(d, depth, pipes, node, total);
	node = add_frame_name(d, node);
	while (node != call_node_end_of_piece(node)) {
		node = node->children.items[0];
		add_pipes(d, depth, pipes);
		/* The name is printed below the first one, which follows a percentage. */
		strbuf_addf(d->out, "%*s", (int)(tries[0].step - d->step), "");
		node = add_frame_name(d, node);
	}
	return node;
}

/* Whether a level has no room on the terminal. */
static bool is_too_deep(const struct drawing *d, unsigned int depth)
{
	return d->columns &&
	       12 + d->margin + (depth - 1) * d->step + tries[0].step + NAME_COLUMNS > d->columns;
}

/* Draw the rest to 100 percent of a relative level. */
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
	struct call_level level = { 0 };

	if (depth >= DEPTH_MAX || !collect_level(d, parent, &level))
		level.nr = 0;
	if (level.nr && is_too_deep(d, depth)) {
		add_pipes(d, depth, pipes & ~(1ULL << (depth - 1)));
		strbuf_addstr(d->out, "[... deeper]\n");
		free(level.items);
		return true;
	}
	for (size_t i = 0; i < level.nr; i++) {
		const struct call_node *node = level.items[i], *last;

		rest -= node->cumulated;
		if (i + 1 == level.nr && (!relative || !rest))
			own &= ~(1ULL << (depth - 1));
		add_pipes(d, depth, pipes);
		strbuf_addch(d->out, '\n');
		last = draw_piece(d, node, depth, own, total);
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
			node = add_frame_name(d, node);
			if (++lines == d->options->limit)
				break;
		}
		skip_first = false;
		if (node == call_node_end_of_piece(node))
			break;
	}
	return call_node_end_of_piece(node);
}

static void draw_graph(struct drawing *d, const struct call_node *top,
		       const struct call_graph_whole *whole)
{
	bool relative = d->options->mode == CALL_GRAPH_RELATIVE;
	struct call_level level = { 0 };

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
	return options->mode == CALL_GRAPH_RELATIVE || whole->entry >= least_hits(options, whole);
}

/* The chains that end in a node: its samples, without those of chains that continue. */
static uint64_t own_count(const struct call_node *node)
{
	uint64_t count = node->count;

	for (size_t i = 0; i < node->children.nr; i++)
		count -= node->children.items[i]->count;
	return count;
}

DEFINE_COMPARISON(compare_hits, struct call_node *, array_descending((*x)->hit, (*y)->hit) ?:
		  call_frame_compare(&(*x)->frame, &(*y)->frame))

/* Collect the nodes in which many chains end, the most first. */
static bool collect_ends(const struct call_node *top, uint64_t least, struct call_level *ret)
{
	struct call_level open = { 0 };
	bool ok = array_push(&open, (struct call_node *)top);

	while (ok && open.nr) {
		struct call_node *node = open.items[--open.nr];

		if (node->parent && node->hit && node->hit >= least)
			ok = array_push(ret, node);
		for (size_t i = 0; i < node->children.nr && ok; i++)
			if (node->children.items[i]->cumulated >= least)
				ok = array_push(&open, node->children.items[i]);
	}
	free(open.items);
	array_sort(ret, compare_hits);
	return ok;
}

/* The frames of the chain that ends in a node, the first one first; NULL: out of memory. */
static struct call_frame *frames_up_to(const struct call_node *end, size_t *ret_nr)
{
	struct call_frame *frames;
	size_t nr = 0;

	for (const struct call_node *node = end; node->parent; node = node->parent)
		nr++;
	frames = calloc(nr, sizeof(*frames));
	*ret_nr = nr;
	if (frames)
		for (const struct call_node *node = end; node->parent; node = node->parent)
			frames[--nr] = node->frame;
	return frames;
}

static void add_whole_name(struct strbuf *out, const struct call_frame *frame)
{
	size_t from = out->len;

	if (frame->symbol)
		strbuf_addstr(out, frame->symbol->name);
	else
		strbuf_addf(out, "%#" PRIx64, frame->ip);
	add_frame_source(out, frame);
	escape_line_ends(out, from);
	if (frame->symbol && frame->symbol->inlined)
		strbuf_addstr(out, " (inlined)");
}

/* Append "2.18% main;top", or with each frame in a line, from the first frame of the chain on. */
static void add_listed_chain(const struct drawing *d, const struct call_node *end, uint64_t total)
{
	const bool flat = d->options->mode == CALL_GRAPH_FLAT;
	_cleanup_free_ struct call_frame *frames = NULL;
	size_t nr;

	frames = frames_up_to(end, &nr);
	if (!frames) {
		d->out->failed = true;
		return;
	}
	/* As in perf, a flat chain's value is that of all chains which begin with it. */
	if (flat)
		strbuf_addf(d->out, "%11s", "");
	add_node_value(d, flat ? end->cumulated : end->hit, flat ? end->count : own_count(end),
		       total);
	for (size_t i = 0; i < nr; i++) {
		strbuf_addstr(d->out, flat ? "\n                " : i ? ";" : " ");
		add_whole_name(d->out, &frames[i]);
	}
	strbuf_addstr(d->out, flat ? "\n\n" : "\n");
}

static void add_listed(const struct call_graph *graph, const struct call_graph_options *options,
		       const struct call_graph_whole *whole, struct strbuf *out)
{
	const struct drawing d = { .options = options, .out = out };
	struct call_level ends = { 0 };

	if (!collect_ends(call_graph_root(graph), least_hits(options, whole), &ends))
		out->failed = true;
	for (size_t i = 0; i < ends.nr && (!options->limit || i < options->limit); i++)
		add_listed_chain(&d, ends.items[i], whole->total);
	free(ends.items);
}

void call_graph_text_add(const struct call_graph *graph, const struct call_graph_options *options,
			 const struct call_graph_whole *whole, struct strbuf *out)
{
	const struct call_node *top = graph ? call_graph_root(graph) : NULL;
	unsigned int columns = whole->columns;
	size_t before = out->len;

	if (top && call_graph_lists_chains(options)) {
		add_listed(graph, options, whole, out);
		return;
	}
	for (size_t i = 0; top && i < ARRAY_SIZE(tries); i++) {
		struct drawing d = {
			.options = options, .out = out, .step = tries[i].step,
			.folds = tries[i].folds,
			.min_hits = least_hits(options, whole),
			.branch_history = whole->branch_history,
			.columns = i + 1 == ARRAY_SIZE(tries) ? columns : 0,
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

// SPDX-License-Identifier: GPL-2.0
#include "browser/rows.h"

#include <stdlib.h>

#include "lib/array.h"
#include "lib/hash.h"
#include "table/profile/histogram_key_text.h"

struct expansion {
	uint64_t id;
	bool open;
	uint64_t set;		/* number of the change that opened or closed it; 0: none */
	uint64_t whole;		/* of the one that expanded everything below it; 0: none */
};

void expansions_deinit(struct expansions *expansions)
{
	free(expansions->changed.items);
	hash_table_deinit(&expansions->table);
	*expansions = (struct expansions){ 0 };
}

static struct expansion *find_expansion(const struct expansions *expansions, uint64_t id)
{
	hash_table_each(&expansions->table, hash_key_number(id), n) {
		struct expansion *e = &expansions->changed.items[n];

		if (e->id == id)
			return e;
	}
	return NULL;
}

/* NULL: out of memory. */
static struct expansion *find_or_add_expansion(struct expansions *expansions, uint64_t id)
{
	struct expansion *found = find_expansion(expansions, id), added = { .id = id };
	size_t nr = expansions->changed.nr;

	if (found)
		return found;
	if (!array_push(&expansions->changed, added))
		return NULL;
	if (!hash_table_add(&expansions->table, hash_key_number(id), nr)) {
		expansions->changed.nr--;
		return NULL;
	}
	return &expansions->changed.items[nr];
}

/*
 * Whether row @id is expanded; @usual: the default.  @since: a change of this row counts only if it
 * came after that one, which expanded everything below a row above; 0: there is none.
 */
static bool expansions_has(const struct expansions *expansions, uint64_t id, uint64_t since,
			   bool usual)
{
	const struct expansion *e = find_expansion(expansions, id);

	return e && e->set > since ? e->open : expansions->all || usual;
}

bool expansions_set(struct expansions *expansions, uint64_t id, bool open)
{
	struct expansion *e = find_or_add_expansion(expansions, id);

	if (!e)
		return false;
	e->open = open;
	e->set = ++expansions->changes;
	return true;
}

/* The number of the change that expanded everything below row @id; 0: there is none. */
static uint64_t expansions_whole(const struct expansions *expansions, uint64_t id)
{
	const struct expansion *e = find_expansion(expansions, id);

	return e ? e->whole : 0;
}

bool expansions_set_whole(struct expansions *expansions, uint64_t id, bool whole)
{
	struct expansion *e = find_or_add_expansion(expansions, id);

	if (!e)
		return false;
	e->set = ++expansions->changes;
	e->open = whole;
	e->whole = whole ? e->set : 0;
	return true;
}

void expansions_set_all(struct expansions *expansions, bool all)
{
	expansions_deinit(expansions);
	expansions->all = all;
}

struct rows_graph {
	const struct histogram_entry *entry;
	struct call_graph *graph;	/* NULL: it has no chains */
};

/* The shared data for building one histogram's rows. */
struct rows_builder {
	struct rows *rows;
	const struct histogram *histogram;
	const struct rows_view *view;
	const struct histogram_entry *entry;
	uint64_t whole;		/* the change that expanded everything of the entry; or 0 */
	unsigned int level;	/* of the entry, in a hierarchy */
};

static void rows_forget_graphs(struct rows *rows)
{
	for (size_t i = 0; i < rows->graphs.nr; i++)
		call_graph_destroy(rows->graphs.items[i].graph);
	rows->graphs.nr = 0;
	hash_table_deinit(&rows->graph_table);
	rows->graph_table = (struct hash_table){ 0 };
}

void rows_deinit(struct rows *rows)
{
	rows_forget_graphs(rows);
	histogram_rows_deinit(&rows->tree);
	free(rows->graphs.items);
	free(rows->items);
	*rows = (struct rows){ 0 };
}

static struct error *rows_graph_of(struct rows_builder *b, const struct call_graph **ret)
{
	struct rows *rows = b->rows;
	uint64_t hash = hash_key_number((uintptr_t)b->entry);
	struct rows_graph made = { .entry = b->entry };
	struct error *err;

	hash_table_each(&rows->graph_table, hash, n) {
		const struct rows_graph *known = &rows->graphs.items[n];

		*ret = known->graph;
		if (known->entry == b->entry)
			return NULL;
	}
	err = histogram_graph(b->histogram, b->entry, &made.graph);
	if (err)
		return err;
	*ret = made.graph;
	if (!array_push(&rows->graphs, made)) {
		call_graph_destroy(made.graph);
		return &error_no_memory;
	}
	return hash_table_add(&rows->graph_table, hash, rows->graphs.nr - 1) ? NULL :
									     &error_no_memory;
}

/* Collect the nodes below @parent that are large enough to be shown. */
static bool rows_collect(const struct rows_builder *b, const struct call_node *parent,
			 struct call_level *ret)
{
	const struct call_graph_options *graph = &b->view->options->graph;
	uint64_t base = graph->mode == CALL_GRAPH_RELATIVE ? parent->cumulated - parent->hit :
							     b->histogram->period;

	return call_level_collect(parent, call_level_least(base, graph->min_percent), ret);
}

static uint64_t rows_node_id(uint64_t parent, const struct call_node *node)
{
	uint64_t id = hash_key_join(parent, (uintptr_t)node->frame.dso);

	if (node->frame.symbol)
		return hash_key_join(id, (uintptr_t)node->frame.symbol);
	return hash_key_join(id, node->frame.ip);
}

static double rows_share(uint64_t part, uint64_t whole)
{
	return whole ? 100.0 * part / whole : 0;
}

static bool rows_add_level(struct rows_builder *b, const struct call_node *parent,
			   unsigned int depth, uint64_t parent_id, uint64_t whole);

/* Add the rows of a piece, and of the pieces below it. */
static bool rows_add_piece(struct rows_builder *b, const struct call_node *node,
			   unsigned int depth, uint64_t parent_id, uint64_t whole, bool single)
{
	const struct call_node *last = call_node_end_of_piece(node);
	bool relative = b->view->options->graph.mode == CALL_GRAPH_RELATIVE, expanded;
	struct call_level below = { 0 };
	struct browser_row row = {
		.entry = b->entry, .node = node, .level = b->level, .depth = depth, .begins = true,
		.fold = ' ',
		.id = rows_node_id(parent_id, node),
		.percent = rows_share(node->cumulated, whole),
	};
	uint64_t id = row.id;
	bool ok = rows_collect(b, last, &below), more = node != last || below.nr;

	free(below.items);
	/* A chain that does not branch is shown to its end. */
	expanded = expansions_has(&b->view->expansions, id, b->whole, single || b->whole);
	if (more)
		row.fold = expanded ? '-' : '+';
	if (!ok || !array_push(b->rows, row))
		return false;
	if (!more || !expanded)
		return true;
	while (node != last) {
		node = node->children.items[0];
		row = (struct browser_row){
			.entry = b->entry, .node = node, .level = b->level, .depth = depth,
			.fold = ' ',
			.id = rows_node_id(row.id, node),
		};
		if (!array_push(b->rows, row))
			return false;
	}
	return rows_add_level(b, last, depth + 1, row.id,
			      relative ? last->cumulated - last->hit : whole);
}

static bool rows_add_level(struct rows_builder *b, const struct call_node *parent,
			   unsigned int depth, uint64_t parent_id, uint64_t whole)
{
	unsigned int limit = b->view->options->graph.limit;
	struct call_level level = { 0 };
	bool ok = rows_collect(b, parent, &level);

	for (size_t i = 0; i < level.nr && ok && (!limit || i < limit); i++)
		ok = rows_add_piece(b, level.items[i], depth, parent_id, whole, level.nr == 1);
	free(level.items);
	return ok;
}

/* The same for the same entry of other histograms, if these share binaries. */
static uint64_t rows_entry_id(const struct histogram_entry *entry)
{
	uint64_t id = hash_key_text(entry->comm ? entry->comm : "");

	id = hash_key_join(id, (uint64_t)entry->tid << 32 ^ (uint32_t)entry->cpu);
	id = hash_key_join(id, (uintptr_t)entry->dso);
	id = hash_key_join(id, (uintptr_t)entry->symbol);
	return hash_key_join(id, entry->address);
}

/* Add a row of b->entry, and its chains if it is expanded; b->whole is set. */
static struct error *rows_add_with_chains(struct rows_builder *b, struct browser_row *row)
{
	const struct histogram_entry *entry = b->entry;
	const struct histogram_options *options = b->view->options;
	const struct call_graph *graph = NULL;
	bool chains = options->graph.mode && entry->depth, expanded = false;
	struct error *err = NULL;
	uint64_t whole;

	if (chains && b->rows->nr < ROWS_EXPANDED_MAX)
		expanded = expansions_has(&b->view->expansions, row->id, b->whole, b->whole);
	if (expanded)
		err = rows_graph_of(b, &graph);
	if (err)
		return err;
	if (chains)
		row->fold = expanded ? '-' : '+';
	if (!array_push(b->rows, *row))
		return &error_no_memory;
	b->rows->nr_entries++;
	if (!graph)
		return NULL;
	whole = options->graph.mode == CALL_GRAPH_ABSOLUTE ? b->histogram->period :
		options->children ? entry->children : entry->period;
	return rows_add_level(b, call_graph_root(graph), 1, row->id, whole) ? NULL :
									      &error_no_memory;
}

static struct error *rows_add_entry(struct rows_builder *b)
{
	const struct histogram_entry *entry = b->entry;
	struct browser_row row = {
		.entry = entry, .fold = ' ', .id = rows_entry_id(entry),
		.children = entry->children, .period = entry->period, .samples = entry->samples,
	};

	b->whole = expansions_whole(&b->view->expansions, row.id);
	return rows_add_with_chains(b, &row);
}

/* The rows of a hierarchy have no number that stays, but the texts of their keys. */
static bool rows_tree_id(const struct rows_view *view, const struct histogram_row *row,
			 uint64_t parent, uint64_t *ret)
{
	_cleanup_(strbuf) struct strbuf text = STRBUF_INIT;

	histogram_key_text_add_whole(&text, view->options, row->level, row->entry);
	*ret = hash_key_join(parent, hash_key_text(strbuf_str(&text)));
	return !text.failed;
}

static bool rows_tree_shows(const struct rows_builder *b, const struct histogram_row *row)
{
	return rows_share(row->sums->period, b->rows->whole) >= b->view->limit;
}

static bool rows_tree_has_more(const struct rows_builder *b, size_t at)
{
	const struct histogram_row *items = b->rows->tree.items;

	for (size_t i = at + 1; i < items[at].end; i = items[i].end)
		if (rows_tree_shows(b, &items[i]))
			return true;
	return false;
}

/* The rows above the current one: their numbers, and the last change that expanded them whole. */
struct rows_path {
	uint64_t ids[MAX_KEYS + 1];
	uint64_t whole[MAX_KEYS + 1];
};

/* Add the row at a position of the hierarchy; *ret_next is the position to go on at. */
static struct error *rows_add_of_tree(struct rows_builder *b, size_t at, struct rows_path *path,
				      size_t *ret_next)
{
	const struct histogram_row *in = &b->rows->tree.items[at];
	const struct expansions *expansions = &b->view->expansions;
	size_t level = in->level;
	struct browser_row row = {
		.entry = in->entry, .fold = ' ', .level = level, .period = in->sums->period,
		.children = in->sums->period, .samples = in->sums->samples,
	};
	bool expanded;

	*ret_next = in->end;
	if (!rows_tree_shows(b, in))
		return NULL;
	if (!rows_tree_id(b->view, in, path->ids[level], &row.id))
		return &error_no_memory;
	path->ids[level + 1] = row.id;
	b->whole = expansions_whole(expansions, row.id);
	if (b->whole < path->whole[level])
		b->whole = path->whole[level];
	path->whole[level + 1] = b->whole;
	b->level = level;
	if (!b->view->options->keys[level + 1]) {
		b->entry = row.entry = in->leaf ? in->leaf : in->entry;
		return rows_add_with_chains(b, &row);
	}
	row.inner = true;
	expanded = b->rows->nr < ROWS_EXPANDED_MAX &&
		   expansions_has(expansions, row.id, path->whole[level], b->whole);
	if (rows_tree_has_more(b, at))
		row.fold = expanded ? '-' : '+';
	if (expanded)
		*ret_next = at + 1;
	b->rows->nr_entries++;
	return array_push(b->rows, row) ? NULL : &error_no_memory;
}

static struct error *rows_add_tree(struct rows_builder *b, bool changed)
{
	uint8_t levels[MAX_KEYS];
	struct histogram_group group = {
		.options = b->view->options, .events = &b->histogram, .nr = 1, .levels = levels,
	};
	struct rows_path path = { .ids = { 0 } };
	struct error *err = NULL;

	for (; b->view->options->keys[group.nr_levels]; group.nr_levels++)
		levels[group.nr_levels] = group.nr_levels;
	if (changed || !b->rows->tree.nr) {
		histogram_rows_deinit(&b->rows->tree);
		err = histogram_rows_make(&group, &b->rows->tree);
	}
	for (size_t at = 0; at < b->rows->tree.nr && !err;)
		err = rows_add_of_tree(b, at, &path, &at);
	return err;
}

bool rows_has_key(const struct rows_view *view, const struct browser_row *row,
		  enum histogram_key key)
{
	const uint8_t *keys = view->options->keys;

	for (size_t i = 0; keys[i] && i <= row->level; i++)
		if (keys[i] == key)
			return true;
	return false;
}

static uint64_t rows_part(const struct rows_view *view, const struct histogram_entry *entry)
{
	return view->options->children ? entry->children : entry->period;
}

struct error *rows_build(struct rows *rows, const struct histogram *histogram,
			 const struct rows_view *view, bool changed)
{
	struct rows_builder b = { .rows = rows, .histogram = histogram, .view = view };
	struct error *err = NULL;

	if (changed)
		rows_forget_graphs(rows);
	rows->nr = rows->nr_entries = rows->whole = 0;
	if (!histogram)
		return NULL;
	rows->whole = view->relative ? histogram->shown_period : histogram->period;
	if (view->hierarchy)
		return rows_add_tree(&b, changed);
	for (size_t i = 0; i < histogram->nr && !err; i++) {
		b.entry = histogram->items[i];
		if (rows_share(rows_part(view, b.entry), rows->whole) >= view->limit)
			err = rows_add_entry(&b);
	}
	return err;
}

size_t rows_find(const struct rows *rows, uint64_t id, size_t guess)
{
	for (size_t i = 0; i < rows->nr; i++) {
		size_t at = (guess + i) % rows->nr;

		if (rows->items[at].id == id)
			return at;
	}
	return SIZE_MAX;
}

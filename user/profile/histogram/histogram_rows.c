// SPDX-License-Identifier: GPL-2.0
#include "profile/histogram/histogram_rows.h"

#include <stdlib.h>
#include <string.h>

#include "lib/array.h"
#include "lib/hash_table.h"
#include "profile/histogram/histogram_order.h"
#include "profile/histogram/histogram_state.h"

/* Sums are allocated for this many rows at once, so that their addresses do not change. */
#define BLOCK_ROWS	1024

uint64_t histogram_sum(const struct histogram_sums *sums, enum histogram_metric metric)
{
	switch (metric) {
	case METRIC_CHILDREN:
		return sums->children;
	case METRIC_SYS:
		return sums->system;
	case METRIC_USER:
		return sums->user;
	case METRIC_SAMPLES:
		return sums->samples;
	case METRIC_LATENCY:
		return sums->latency;
	default:
		return sums->period;
	}
}

static struct histogram_sums *new_sums(const struct histogram_group *group,
				       struct histogram_rows *rows)
{
	if (!rows->left) {
		ARRAY_OF(struct histogram_sums *) blocks = { rows->blocks, rows->nr_blocks,
							     rows->alloc_blocks };
		struct histogram_sums *block = calloc(BLOCK_ROWS * group->nr, sizeof(*block));

		if (!block || !array_push(&blocks, block)) {
			free(block);
			return NULL;
		}
		rows->blocks = blocks.items;
		rows->nr_blocks = blocks.nr;
		rows->alloc_blocks = blocks.alloc;
		rows->left = BLOCK_ROWS;
	}
	return rows->blocks[rows->nr_blocks - 1] + (BLOCK_ROWS - rows->left--) * group->nr;
}

void histogram_rows_deinit(struct histogram_rows *rows)
{
	for (size_t i = 0; i < rows->nr_blocks; i++)
		free(rows->blocks[i]);
	free(rows->blocks);
	free(rows->items);
	*rows = (struct histogram_rows){ .nr = 0 };
}

/* Find the row with the keys of @entry, or add one; NULL: out of memory. */
static struct histogram_row *find_row(const struct histogram_group *group,
				      struct histogram_rows *rows, struct hash_table *table,
				      const struct histogram_entry *entry)
{
	struct histogram_row row = { .entry = entry };
	uint64_t hash = group->nr > 1 ? histogram_hash_entry(entry) : 0;

	hash_table_each(table, hash, n) {
		struct histogram_row *known = &rows->items[n];

		if (histogram_is_same_entry(known->entry, entry))
			return known;
	}
	row.sums = new_sums(group, rows);
	if (!row.sums || (group->nr > 1 && !hash_table_add(table, hash, rows->nr)) ||
	    !array_push(rows, row))
		return NULL;
	return &rows->items[rows->nr - 1];
}

/* Create a row for each combination of keys that an event has. */
static struct error *collect_rows(const struct histogram_group *group,
				  struct histogram_rows *rows)
{
	struct hash_table table = { 0 };
	bool failed = false;

	for (size_t i = 0; i < group->nr; i++) {
		const struct histogram *histogram = group->events[i];

		for (size_t k = 0; histogram && k < histogram->nr && !failed; k++) {
			const struct histogram_entry *entry = histogram->items[k];
			struct histogram_row *row = find_row(group, rows, &table, entry);

			failed = !row;
			if (failed)
				break;
			row->sums[i] = (struct histogram_sums){
				entry->children, entry->period, entry->system, entry->user,
				entry->samples, entry->latency,
			};
			if (!i)
				row->leaf = entry;
		}
	}
	hash_table_deinit(&table);
	return failed ? &error_no_memory : NULL;
}

/* As in perf, the sums of the other events decide if those of the first one are equal. */
static int compare_sums(const struct histogram_group *group, enum histogram_metric metric,
			const struct histogram_row *a, const struct histogram_row *b)
{
	size_t first = group->sort_event < group->nr ? group->sort_event : 0;
	int result = array_descending(histogram_sum(&a->sums[first], metric),
				      histogram_sum(&b->sums[first], metric));

	for (size_t i = 1; i < group->nr && !result && metric != METRIC_CHILDREN; i++)
		result = array_descending(histogram_sum(&a->sums[i], metric),
					  histogram_sum(&b->sums[i], metric));
	return result;
}

static int histogram_compare_rows(const void *x, const void *y, void *context)
{
	const struct histogram_group *group = context;
	const struct histogram_options *options = group->options;
	const struct histogram_row *a = x, *b = y;
	size_t position;
	int result = 0;

	for (const uint8_t *column = options->order; *column && !result; column++)
		result = histogram_column_is_key(*column, &position) ?
			       histogram_compare_keys(options, position, a->entry, b->entry) :
			       compare_sums(group, *column, a, b);
	if (!result && options->children)
		result = compare_sums(group, METRIC_CHILDREN, a, b);
	if (!result && options->children)
		result = histogram_compare_depths(options, a->entry, b->entry);
	if (!result)
		result = compare_sums(group, METRIC_OVERHEAD, a, b);
	return result ? result :
			histogram_compare_keys_and_rest(options, a->entry, b->entry);
}

/* The level of a hierarchy by which rows are grouped. */
struct level {
	const struct histogram_group *group;
	size_t position;	/* of its key */
};

static int compare_level(const void *x, const void *y, void *context)
{
	const struct level *level = context;
	const struct histogram_options *options = level->group->options;
	const struct histogram_entry *a = ((const struct histogram_row *)x)->entry;
	const struct histogram_entry *b = ((const struct histogram_row *)y)->entry;
	int result = histogram_compare_keys(options, level->position, a, b);

	if (result || options->keys[level->position] != KEY_SYMBOL)
		return result;
	/*
	 * Functions of the same name in different binaries or at different addresses are
	 * distinguished.
	 */
	if (a->symbol && b->symbol && a->symbol->start != b->symbol->start)
		return a->symbol->start < b->symbol->start ? -1 : 1;
	if (a->address != b->address)
		return a->address < b->address ? -1 : 1;
	return strcmp(histogram_dso_text(a->dso), histogram_dso_text(b->dso));
}

static void add_sums(const struct histogram_group *group, struct histogram_sums *to,
		     const struct histogram_sums *from)
{
	for (size_t i = 0; i < group->nr; i++) {
		to[i].children += from[i].children;
		to[i].period += from[i].period;
		to[i].system += from[i].system;
		to[i].user += from[i].user;
		to[i].samples += from[i].samples;
		to[i].latency += from[i].latency;
	}
}

/* The rows of one level below one row, and the beginnings of their leaves. */
struct siblings {
	struct histogram_row *items;
	size_t nr, alloc;
};

/* Sum up rows with equal values of a key; `end` of the sums is the beginning of their leaves. */
static bool join_rows(const struct level *level, struct histogram_row *leaves, size_t nr,
		      struct histogram_rows *rows, struct siblings *ret)
{
	struct histogram_row *last = NULL;

	qsort_r(leaves, nr, sizeof(*leaves), compare_level, (void *)level);
	for (size_t i = 0; i < nr; i++) {
		struct histogram_row row = leaves[i];

		if (last && !compare_level(last, &leaves[i], (void *)level)) {
			add_sums(level->group, last->sums, leaves[i].sums);
			continue;
		}
		row.sums = new_sums(level->group, rows);
		row.end = i;
		if (!row.sums || !array_push(ret, row))
			return false;
		last = &ret->items[ret->nr - 1];
		add_sums(level->group, last->sums, leaves[i].sums);
	}
	return true;
}

/* Append the rows of a level, each followed by those below it. */
static bool histogram_add_level(const struct histogram_group *group, size_t number,
				struct histogram_row *leaves, size_t nr,
				struct histogram_rows *rows)
{
	const struct level level = { group, group->levels[number] };
	struct siblings siblings = { .nr = 0 };
	size_t *begins = NULL;
	bool ok = join_rows(&level, leaves, nr, rows, &siblings);

	if (ok)
		begins = calloc(siblings.nr + 1, sizeof(*begins));
	ok = ok && begins;
	for (size_t i = 0; ok && i < siblings.nr; i++) {
		siblings.items[i].level = i;
		begins[i] = siblings.items[i].end;
	}
	if (ok) {
		begins[siblings.nr] = nr;
		qsort_r(siblings.items, siblings.nr, sizeof(*siblings.items),
			histogram_compare_rows, (void *)group);
	}
	for (size_t i = 0; ok && i < siblings.nr; i++) {
		struct histogram_row row = siblings.items[i];
		size_t at = row.level, begin = begins[at], shown = rows->nr;

		row.level = number;
		ok = array_push(rows, row);
		if (ok && number + 1 < group->nr_levels) {
			rows->items[shown].leaf = NULL;
			ok = histogram_add_level(group, number + 1, leaves + begin,
						 begins[at + 1] - begin, rows);
		}
		if (ok)
			rows->items[shown].end = rows->nr;
	}
	free(begins);
	free(siblings.items);
	return ok;
}

static struct error *make_hierarchy(const struct histogram_group *group,
				    struct histogram_rows *rows)
{
	struct histogram_row *leaves = rows->items;
	size_t nr = rows->nr;
	bool ok;

	rows->items = NULL;
	rows->nr = rows->alloc = 0;
	ok = histogram_add_level(group, 0, leaves, nr, rows);
	free(leaves);
	return ok ? NULL : &error_no_memory;
}

struct error *histogram_rows_make(const struct histogram_group *group,
				  struct histogram_rows *ret)
{
	struct error *err;

	*ret = (struct histogram_rows){ .nr = 0 };
	err = collect_rows(group, ret);
	if (err || !ret->nr)
		return err;
	if (group->nr_levels)
		return make_hierarchy(group, ret);
	/* The entries of a single event are sorted already. */
	if (group->nr > 1)
		qsort_r(ret->items, ret->nr, sizeof(*ret->items), histogram_compare_rows,
			(void *)group);
	return NULL;
}

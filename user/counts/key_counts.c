// SPDX-License-Identifier: GPL-2.0
#include "counts/key_counts.h"

#include <stdlib.h>
#include <string.h>

#include "lib/array.h"
#include "lib/hash.h"

void key_counts_deinit(struct key_counts *counts)
{
	for (size_t i = 0; i < counts->rows.nr; i++)
		free((char *)counts->rows.items[i].key);
	free(counts->rows.items);
	free(counts->before);
	hash_table_deinit(&counts->table);
	*counts = (struct key_counts){ 0 };
}

bool key_counts_has_steps(const struct count_keys *keys)
{
	return keys->nr > keys->nr_pair && keys->parts[keys->nr - 1].is_step;
}

static bool key_is_below(const struct key_counts *counts, uint64_t a, uint64_t b)
{
	return counts->keys->value.is_signed ? (int64_t)a < (int64_t)b : a < b;
}

static void key_row_add(const struct key_counts *counts, struct key_row *to,
			const struct key_row *row)
{
	if (!to->count || (row->count && key_is_below(counts, row->min, to->min)))
		to->min = row->min;
	if (!to->count || (row->count && key_is_below(counts, to->max, row->max)))
		to->max = row->max;
	to->count += row->count;
	to->sum += row->sum;
}

static struct key_row *key_counts_find(const struct key_counts *counts, uint64_t hash,
				       const char *key)
{
	hash_table_each(&counts->table, hash, n) {
		struct key_row *known = &counts->rows.items[n];

		if (!memcmp(known->key, key, counts->keys->key_bytes))
			return known;
	}
	return NULL;
}

bool key_counts_has(const struct key_counts *counts, const char *key)
{
	return key_counts_find(counts, hash_key_bytes(key, counts->keys->key_bytes), key);
}

struct error *key_counts_add(struct key_counts *counts, const struct key_row *row)
{
	size_t size = counts->keys->key_bytes;
	uint64_t hash = hash_key_bytes(row->key, size);
	struct key_row *known = key_counts_find(counts, hash, row->key);
	struct key_row own = { 0 };
	char *key;

	if (known) {
		key_row_add(counts, known, row);
		return NULL;
	}
	key = malloc(size + 1);
	if (!key)
		return &error_no_memory;
	memcpy(key, row->key, size);
	own.key = key;
	key_row_add(counts, &own, row);
	if (!array_push(&counts->rows, own)) {
		free(key);
		return &error_no_memory;
	}
	return hash_table_add(&counts->table, hash, counts->rows.nr - 1) ? NULL : &error_no_memory;
}

void key_counts_clear(struct key_counts *counts)
{
	for (size_t i = 0; i < counts->rows.nr; i++)
		counts->rows.items[i] = (struct key_row){ .key = counts->rows.items[i].key };
}

struct error *key_counts_begin_interval(struct key_counts *counts)
{
	size_t nr = counts->rows.nr;
	struct key_row *before = reallocarray(counts->before, nr + 1, sizeof(*before));

	if (!before)
		return &error_no_memory;
	if (nr)
		memcpy(before, counts->rows.items, nr * sizeof(*before));
	counts->before = before;
	counts->nr_before = nr;
	return NULL;
}

/* ---- sorting -------------------------------------------------------------------- */

/* qsort() has no argument for it. */
static _Thread_local const struct count_keys *key_sort_keys;

/* Compares keys part by part: texts by their bytes, numbers by their size. */
static int key_compare(const char *a, const char *b, size_t nr_parts)
{
	const struct count_keys *keys = key_sort_keys;

	for (size_t i = keys->nr_pair; i < nr_parts; i++) {
		const struct count_part *part = &keys->parts[i];
		uint64_t x, y;

		if (part->is_text) {
			int diff = memcmp(a + part->offset, b + part->offset, part->size);

			if (diff)
				return diff;
			continue;
		}
		x = count_part_number(part, a);
		y = count_part_number(part, b);
		/* The step of negative numbers is the lowest one, too. */
		if (x != y && (part->is_signed || part->is_step))
			return (int64_t)x < (int64_t)y ? -1 : 1;
		if (x != y)
			return x < y ? -1 : 1;
	}
	return 0;
}

DEFINE_COMPARISON(key_by_count, struct key_row, array_descending(x->count, y->count) ?:
		  key_compare(x->key, y->key, key_sort_keys->nr))

DEFINE_COMPARISON(key_by_sum, struct key_row, array_descending(x->sum, y->sum) ?:
		  key_by_count(x, y))

DEFINE_COMPARISON(key_by_key, struct key_row, key_compare(x->key, y->key, key_sort_keys->nr))

DEFINE_COMPARISON(key_by_group, struct key_group, array_descending(x->count, y->count) ?:
		  key_compare(x->rows->key, y->rows->key, key_sort_keys->nr - 1))

static void key_group_add(const struct key_counts *counts, struct key_group *group,
			  const struct key_row *row)
{
	struct key_row sum = { NULL, group->count, group->sum, group->min, group->max };

	key_row_add(counts, &sum, row);
	group->count = sum.count;
	group->sum = sum.sum;
	group->min = sum.min;
	group->max = sum.max;
	group->nr++;
}

/* The rows are sorted by their keys, so that those of a group are adjacent. */
static struct error *key_list_group(const struct key_counts *counts, struct key_list *list)
{
	struct key_group *group = NULL;

	list->groups = calloc(list->nr + 1, sizeof(*list->groups));
	if (!list->groups)
		return &error_no_memory;
	for (size_t i = 0; i < list->nr; i++) {
		if (!i || key_compare(list->rows[i - 1].key, list->rows[i].key,
				      counts->keys->nr - 1)) {
			group = &list->groups[list->nr_groups++];
			group->rows = &list->rows[i];
		}
		key_group_add(counts, group, &list->rows[i]);
	}
	qsort(list->groups, list->nr_groups, sizeof(*list->groups), key_by_group);
	return NULL;
}

struct error *key_counts_sort(const struct key_counts *counts, struct key_list *ret)
{
	bool steps = key_counts_has_steps(counts->keys);

	*ret = (struct key_list){ .rows = calloc(counts->rows.nr + 1, sizeof(*ret->rows)) };
	if (!ret->rows)
		return &error_no_memory;
	for (size_t i = 0; i < counts->rows.nr; i++) {
		struct key_row row = counts->rows.items[i];

		if (i < counts->nr_before) {
			/* Rows that were named since then are counted by their names now. */
			if (row.count < counts->before[i].count)
				continue;
			row.count -= counts->before[i].count;
			row.sum -= counts->before[i].sum;
		}
		if (!row.count)
			continue;
		ret->count += row.count;
		ret->rows[ret->nr++] = row;
	}
	key_sort_keys = counts->keys;
	qsort(ret->rows, ret->nr, sizeof(*ret->rows), steps ? key_by_key :
	      count_keys_have_chains(counts->keys) && counts->keys->has_value &&
	      !counts->keys->value.is_signed ? key_by_sum : key_by_count);
	return steps ? key_list_group(counts, ret) : NULL;
}

void key_list_deinit(struct key_list *list)
{
	free(list->rows);
	free(list->groups);
	*list = (struct key_list){ 0 };
}

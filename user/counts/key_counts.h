/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Counts by keys: the entries of all CPUs, added up and sorted, for the whole time or for one
 * interval.
 */
#ifndef KTRACE_COUNTS_KEY_COUNTS_H
#define KTRACE_COUNTS_KEY_COUNTS_H

#include <stddef.h>
#include <stdint.h>

#include "lib/array.h"
#include "lib/cleanup.h"
#include "lib/error.h"
#include "lib/hash_table.h"
#include "spec/count_keys.h"

/* The count of an event for one key, and the sums of values. */
struct key_row {
	const char *key;	/* keys->key_bytes bytes */
	uint64_t count, sum;
	uint64_t min, max;	/* as signed numbers if the value is signed */
};

struct key_counts {
	const struct count_keys *keys;	/* borrowed */
	ARRAY_OF(struct key_row) rows;	/* the last read values */
	struct key_row *before;	/* copies of the first rows at the start of an interval */
	size_t nr_before;
	struct hash_table table;
};

/* Add the counts of one CPU for a key, which may exist already. */
struct error *key_counts_add(struct key_counts *counts, const struct key_row *row);

/* Whether there is a row with this key. */
bool key_counts_has(const struct key_counts *counts, const char *key);

/* Set all counts to 0, before they are read again; the keys are kept. */
void key_counts_clear(struct key_counts *counts);

/* From now on, key_counts_sort() returns only counts after this call. */
struct error *key_counts_begin_interval(struct key_counts *counts);

/* The rows with equal values of all parts but the last, which is a step. */
struct key_group {
	const struct key_row *rows;	/* by their steps, the lowest first */
	size_t nr;
	uint64_t count, sum;
	uint64_t min, max;
};

struct key_list {
	struct key_row *rows;	/* with a count above 0, the largest first */
	size_t nr;
	uint64_t count;		/* of all of them */
	struct key_group *groups;	/* if the last part is a step; the largest first */
	size_t nr_groups;
};

/* Returns the counts since the interval began; the keys point into @counts. */
struct error *key_counts_sort(const struct key_counts *counts, struct key_list *ret);
void key_list_deinit(struct key_list *list);
DEFINE_CLEANUP(key_list, struct key_list, key_list_deinit)

void key_counts_deinit(struct key_counts *counts);
DEFINE_CLEANUP(key_counts, struct key_counts, key_counts_deinit)

/* Whether the counts are histograms: the last part of the keys is a step. */
bool key_counts_has_steps(const struct count_keys *keys);

#endif

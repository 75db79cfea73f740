/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Finds positions in an array by the hash of the elements there.  Several elements may
 * share a hash, so the caller compares the element at each position.
 *
 *	hash_table_each(&table, hash, n)
 *		if (!strcmp(names[n], name))
 *			return names[n];
 *	hash_table_add(&table, hash, nr_names);
 *
 * The hashes must be the unpredictable ones of lib/hash.h, hash_key_*(); otherwise a
 * crafted file could make all its keys collide.
 */
#ifndef KTRACE_LIB_HASH_TABLE_H
#define KTRACE_LIB_HASH_TABLE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct hash_slot {
	uint64_t hash;
	size_t position;	/* the position + 1; 0: free */
};

struct hash_table {
	struct hash_slot *slots;	/* NULL: nothing was added yet */
	size_t nr, mask;
};

void hash_table_deinit(struct hash_table *table);

/* Returns false if memory is out; then nothing was added. */
bool hash_table_add(struct hash_table *table, uint64_t hash, size_t position);

/* Return false if no position, or no further one, has this hash. */
bool hash_table_first(const struct hash_table *table, uint64_t hash, size_t *at);
bool hash_table_next(const struct hash_table *table, size_t *at);

static inline size_t hash_table_value(const struct hash_table *table, size_t at)
{
	return table->slots[at].position - 1;
}

#define HASH_TABLE_END SIZE_MAX

/* Run the statement behind it for each position that has @hash; @n is the position. */
#define hash_table_each(table, hash, n) \
	for (size_t n##_at, n = hash_table_first(table, hash, &n##_at) ? \
				hash_table_value(table, n##_at) : HASH_TABLE_END; \
	     n != HASH_TABLE_END; \
	     n = hash_table_next(table, &n##_at) ? hash_table_value(table, n##_at) : HASH_TABLE_END)

#endif

/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Finds positions in an array by a hash of what they hold.  Several may share a
 * hash: the caller compares what is at each.
 *
 *	size_t at;
 *
 *	for (bool more = hash_table_first(&table, hash, &at); more;
 *	     more = hash_table_next(&table, &at))
 *		if (!strcmp(names[hash_table_value(&table, at)], name))
 *			return names[hash_table_value(&table, at)];
 *	hash_table_add(&table, hash, nr_names);
 *
 * The hashes are those of lib/hash.h that nobody can foretell, hash_key_*():
 * files that were made for it could put all they hold into one place otherwise.
 */
#ifndef KTRACE_LIB_HASH_TABLE_H
#define KTRACE_LIB_HASH_TABLE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct hash_slot {
	uint64_t hash;
	size_t position;	/* + 1; 0: free */
};

struct hash_table {
	struct hash_slot *slots;	/* NULL: nothing was added yet */
	size_t nr, mask;
};

void hash_table_deinit(struct hash_table *table);

/* False: memory is out, and nothing was added. */
bool hash_table_add(struct hash_table *table, uint64_t hash, size_t position);

/* False: no position (no further one) has this hash. */
bool hash_table_first(const struct hash_table *table, uint64_t hash, size_t *at);
bool hash_table_next(const struct hash_table *table, size_t *at);

static inline size_t hash_table_value(const struct hash_table *table, size_t at)
{
	return table->slots[at].position - 1;
}

#endif

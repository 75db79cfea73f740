// SPDX-License-Identifier: GPL-2.0
#include "lib/hash_table.h"

#include <stdlib.h>

void hash_table_deinit(struct hash_table *table)
{
	free(table->slots);
	*table = (struct hash_table){ 0 };
}

static void put(struct hash_slot *slots, size_t mask, struct hash_slot slot)
{
	size_t at = slot.hash & mask;

	while (slots[at].position)
		at = (at + 1) & mask;
	slots[at] = slot;
}

static bool hash_table_grow(struct hash_table *table)
{
	size_t size = table->slots ? (table->mask + 1) * 2 : 64;
	struct hash_slot *slots = calloc(size, sizeof(*slots));

	if (!slots)
		return false;
	for (size_t i = 0; table->slots && i <= table->mask; i++)
		if (table->slots[i].position)
			put(slots, size - 1, table->slots[i]);
	free(table->slots);
	table->slots = slots;
	table->mask = size - 1;
	return true;
}

bool hash_table_add(struct hash_table *table, uint64_t hash, size_t position)
{
	if (table->nr * 2 >= table->mask && !hash_table_grow(table))
		return false;
	put(table->slots, table->mask, (struct hash_slot){ hash, position + 1 });
	table->nr++;
	return true;
}

static bool find_from(const struct hash_table *table, uint64_t hash, size_t *at)
{
	while (table->slots[*at].position && table->slots[*at].hash != hash)
		*at = (*at + 1) & table->mask;
	return table->slots[*at].position;
}

bool hash_table_first(const struct hash_table *table, uint64_t hash, size_t *at)
{
	if (!table->slots)
		return false;
	*at = hash & table->mask;
	return find_from(table, hash, at);
}

bool hash_table_next(const struct hash_table *table, size_t *at)
{
	uint64_t hash = table->slots[*at].hash;

	*at = (*at + 1) & table->mask;
	return find_from(table, hash, at);
}

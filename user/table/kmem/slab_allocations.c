// SPDX-License-Identifier: GPL-2.0
#include "table/kmem/slab_allocations.h"

#include <stdlib.h>

#include "lib/array.h"
#include "lib/hash.h"

const struct slab_keys slab_keys_default = {
	{ SLAB_BY_FRAG, SLAB_BY_HIT, SLAB_BY_BYTES }, 3,
};

#define NO_ROW	SIZE_MAX

static void slab_table_deinit(struct slab_table *table)
{
	free(table->items);
	hash_table_deinit(&table->index);
}

void slab_allocations_deinit(struct slab_allocations *slabs)
{
	slab_table_deinit(&slabs->pointers);
	slab_table_deinit(&slabs->call_sites);
	free(slabs->lives.items);
	*slabs = (struct slab_allocations){ 0 };
}

static size_t slab_table_find(const struct slab_table *table, uint64_t address)
{
	hash_table_each(&table->index, hash_key_number(address), n) {
		const struct slab_row *row = &table->items[n];

		if ((table->by_call_site ? row->call_site : row->pointer) == address)
			return n;
	}
	return NO_ROW;
}

static size_t slab_table_row(struct slab_table *table, uint64_t address)
{
	size_t found = slab_table_find(table, address);
	struct slab_row row = { 0 };

	if (found != NO_ROW)
		return found;
	*(table->by_call_site ? &row.call_site : &row.pointer) = address;
	if (!array_push(table, row))
		return NO_ROW;
	if (!hash_table_add(&table->index, hash_key_number(address), table->nr - 1)) {
		table->nr--;
		return NO_ROW;
	}
	return table->nr - 1;
}

static void slab_row_add(struct slab_row *row, const struct slab_allocation *allocation)
{
	row->call_site = allocation->call_site;
	row->requested += allocation->requested;
	row->allocated += allocation->allocated;
	row->hits++;
}

struct error *slab_allocations_add(struct slab_allocations *slabs,
				   const struct slab_allocation *a)
{
	size_t site, pointer;

	slabs->call_sites.by_call_site = true;
	site = slab_table_row(&slabs->call_sites, a->call_site);
	pointer = slab_table_row(&slabs->pointers, a->pointer);

	if (site == NO_ROW || pointer == NO_ROW)
		return &error_no_memory;
	if (!array_at(&slabs->lives, pointer, .cpu = -1))
		return &error_no_memory;
	slabs->lives.items[pointer] = (struct slab_live){ .bytes = a->allocated, .cpu = a->cpu };
	slab_row_add(&slabs->pointers.items[pointer], a);
	slab_row_add(&slabs->call_sites.items[site], a);
	slabs->totals.requested += a->requested;
	slabs->totals.allocated += a->allocated;
	slabs->totals.allocations++;
	slabs->totals.crossing += a->crosses;
	return NULL;
}

void slab_allocations_free(struct slab_allocations *slabs, uint64_t pointer, int32_t cpu)
{
	size_t found = slab_table_find(&slabs->pointers, pointer);
	struct slab_live *live;
	struct slab_row *row;

	if (found == NO_ROW)
		return;
	live = &slabs->lives.items[found];
	row = &slabs->pointers.items[found];
	slabs->totals.freed += live->bytes;
	/* As in perf, the second of two frees of one address counts as one by another CPU. */
	if (live->cpu != cpu) {
		size_t site = slab_table_find(&slabs->call_sites, row->call_site);

		row->pingpongs++;
		if (site != NO_ROW)
			slabs->call_sites.items[site].pingpongs++;
	}
	live->cpu = -1;
}

double slab_fragmentation(uint64_t requested, uint64_t allocated)
{
	return allocated ? 100.0 - 100.0 * requested / allocated : 0.0;
}

static int slab_compare_frag(const struct slab_row *a, const struct slab_row *b)
{
	double x = slab_fragmentation(a->requested, a->allocated);
	double y = slab_fragmentation(b->requested, b->allocated);

	return x > y ? -1 : x < y;
}

static int slab_compare(const struct slab_row *a, const struct slab_row *b, enum slab_key key)
{
	switch (key) {
	case SLAB_BY_FRAG:
		return slab_compare_frag(a, b);
	case SLAB_BY_HIT:
		return array_descending(a->hits, b->hits);
	case SLAB_BY_BYTES:
		return array_descending(a->allocated, b->allocated);
	case SLAB_BY_PINGPONG:
		return array_descending(a->pingpongs, b->pingpongs);
	case SLAB_BY_PTR:
		return array_descending(a->pointer, b->pointer);
	case SLAB_BY_CALLSITE:
		return array_descending(a->call_site, b->call_site);
	}
	return 0;
}

static int slab_compare_keys(const void *a, const void *b, void *data)
{
	const struct slab_row *x = a, *y = b;
	const struct slab_keys *keys = data;
	int order = 0;

	for (size_t i = 0; i < keys->nr && !order; i++)
		order = slab_compare(x, y, keys->items[i]);
	if (order)
		return order;
	return x->pointer || y->pointer ? array_descending(y->pointer, x->pointer) :
		array_descending(y->call_site, x->call_site);
}

void slab_table_sort(struct slab_table *table, const struct slab_keys *keys)
{
	hash_table_deinit(&table->index);
	table->index = (struct hash_table){ 0 };
	if (table->nr)
		qsort_r(table->items, table->nr, sizeof(*table->items), slab_compare_keys,
			(void *)keys);
}

// SPDX-License-Identifier: GPL-2.0
#include "table/kmem/page_allocations.h"

#include <stdlib.h>

#include "lib/array.h"
#include "lib/hash.h"

const struct page_keys page_keys_default = { { PAGE_BY_BYTES, PAGE_BY_HIT }, 2 };

static void page_table_deinit(struct page_table *table)
{
	free(table->items);
	hash_table_deinit(&table->index);
}

void page_allocations_deinit(struct page_allocations *pages)
{
	page_table_deinit(&pages->pages);
	page_table_deinit(&pages->call_sites);
	free(pages->held.items);
	hash_table_deinit(&pages->held_index);
	*pages = (struct page_allocations){ 0 };
}

static uint64_t page_row_hash(const struct page_row *row, bool by_page)
{
	uint64_t hash = hash_key_number(by_page ? row->page : row->call_site);

	return hash_key_join(hash_key_join(hash_key_join(hash, row->order), row->gfp_flags),
			     row->migrate_type);
}

static struct page_row *page_table_find(const struct page_table *table, const struct page_row *row,
					bool by_page)
{
	hash_table_each(&table->index, page_row_hash(row, by_page), n) {
		struct page_row *found = &table->items[n];

		if ((by_page ? found->page == row->page : found->call_site == row->call_site) &&
		    found->order == row->order && found->gfp_flags == row->gfp_flags &&
		    found->migrate_type == row->migrate_type)
			return found;
	}
	return NULL;
}

static struct error *page_table_add(struct page_table *table, const struct page_row *row,
				    bool by_page)
{
	struct page_row *found = page_table_find(table, row, by_page);

	if (found) {
		found->bytes += row->bytes;
		found->hits++;
		found->call_site = row->call_site;
		return NULL;
	}
	if (!array_push(table, *row))
		return &error_no_memory;
	if (hash_table_add(&table->index, page_row_hash(row, by_page), table->nr - 1))
		return NULL;
	table->nr--;
	return &error_no_memory;
}

static struct page_held *page_held_find(const struct page_allocations *pages, uint64_t page)
{
	hash_table_each(&pages->held_index, hash_key_number(page), n) {
		struct page_held *held = &pages->held.items[n];

		if (held->row.page == page)
			return held;
	}
	return NULL;
}

static void page_count_order(struct page_totals *totals, const struct page_row *row, int add)
{
	if (row->order < PAGE_ORDERS && row->migrate_type < PAGE_MIGRATE_TYPES)
		totals->orders[row->order][row->migrate_type] += add;
}

/* The allocation is no longer live. */
static void page_drop(struct page_allocations *pages, struct page_held *held)
{
	struct page_row *site;

	held->freed = true;
	if (!pages->live)
		return;
	page_count_order(&pages->totals, &held->row, -1);
	site = page_table_find(&pages->call_sites, &held->row, false);
	if (site) {
		site->hits--;
		site->bytes -= held->row.bytes;
	}
}

static struct error *page_hold(struct page_allocations *pages, const struct page_row *row)
{
	struct page_held *held = page_held_find(pages, row->page);

	/* A page that is allocated again was freed, which the recording does not have. */
	if (held && !held->freed)
		page_drop(pages, held);
	if (held) {
		*held = (struct page_held){ .row = *row };
		return NULL;
	}
	if (!array_push(&pages->held, ((struct page_held){ .row = *row })))
		return &error_no_memory;
	if (hash_table_add(&pages->held_index, hash_key_number(row->page), pages->held.nr - 1))
		return NULL;
	pages->held.nr--;
	return &error_no_memory;
}

struct error *page_allocations_add(struct page_allocations *pages, const struct page_allocation *a)
{
	const struct page_row row = {
		.page = a->page, .call_site = a->call_site, .order = a->order,
		.gfp_flags = a->gfp_flags, .migrate_type = a->migrate_type, .bytes = a->bytes,
		.hits = 1,
	};
	struct error *err;

	pages->totals.allocations++;
	pages->totals.allocated += a->bytes;
	if (a->failed) {
		pages->totals.failures++;
		pages->totals.failed += a->bytes;
		return NULL;
	}
	err = page_hold(pages, &row);
	if (!err && !pages->live)
		err = page_table_add(&pages->pages, &row, true);
	if (!err)
		err = page_table_add(&pages->call_sites, &row, false);
	if (!err)
		page_count_order(&pages->totals, &row, 1);
	return err;
}

void page_allocations_free(struct page_allocations *pages, uint64_t page, uint64_t bytes)
{
	struct page_held *held = page_held_find(pages, page);

	pages->totals.frees++;
	pages->totals.freed += bytes;
	if (!held || held->freed) {
		pages->totals.unmatched++;
		pages->totals.freed_unmatched += bytes;
		return;
	}
	page_drop(pages, held);
}

static int page_compare(const struct page_row *a, const struct page_row *b, enum page_key key)
{
	switch (key) {
	case PAGE_BY_BYTES:
		return array_descending(a->bytes, b->bytes);
	case PAGE_BY_HIT:
		return array_descending(a->hits, b->hits);
	case PAGE_BY_PAGE:
		return array_descending(a->page, b->page);
	case PAGE_BY_CALLSITE:
		return array_descending(a->call_site, b->call_site);
	case PAGE_BY_ORDER:
		return array_descending(a->order, b->order);
	case PAGE_BY_MIGTYPE:
		return array_descending(a->migrate_type, b->migrate_type);
	case PAGE_BY_GFP:
		return array_descending(a->gfp_flags, b->gfp_flags);
	}
	return 0;
}

struct page_order {
	const struct page_keys *keys;
	bool by_page, live;
};

/* As perf's trees have equal rows: ascending, but live pages descending. */
static int page_compare_equal(const struct page_row *a, const struct page_row *b,
			      const struct page_order *order)
{
	int diff = order->by_page ? array_descending(b->page, a->page) :
		array_descending(b->call_site, a->call_site);

	if (order->by_page && order->live)
		diff = -diff;
	if (!diff)
		diff = array_descending(b->order, a->order);
	if (!diff)
		diff = array_descending(b->migrate_type, a->migrate_type);
	return diff ? diff : array_descending(b->gfp_flags, a->gfp_flags);
}

static int page_compare_keys(const void *a, const void *b, void *data)
{
	const struct page_order *by = data;
	int order = 0;

	for (size_t i = 0; i < by->keys->nr && !order; i++)
		order = page_compare(a, b, by->keys->items[i]);
	return order ? order : page_compare_equal(a, b, by);
}

static void page_table_sort(struct page_table *table, const struct page_order *order)
{
	size_t kept = 0;

	for (size_t i = 0; i < table->nr; i++)
		if (table->items[i].hits)
			table->items[kept++] = table->items[i];
	table->nr = kept;
	hash_table_deinit(&table->index);
	table->index = (struct hash_table){ 0 };
	if (kept)
		qsort_r(table->items, kept, sizeof(*table->items), page_compare_keys,
			(void *)order);
}

struct error *page_allocations_sort(struct page_allocations *pages,
				    const struct page_keys *by_page,
				    const struct page_keys *by_call_site)
{
	for (size_t i = 0; pages->live && i < pages->held.nr; i++)
		if (!pages->held.items[i].freed &&
		    !array_push(&pages->pages, pages->held.items[i].row))
			return &error_no_memory;
	page_table_sort(&pages->pages, &(struct page_order){ by_page, true, pages->live });
	page_table_sort(&pages->call_sites, &(struct page_order){ by_call_site, false, false });
	return NULL;
}

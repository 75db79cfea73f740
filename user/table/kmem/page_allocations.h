/* SPDX-License-Identifier: GPL-2.0 */
/* Allocations of whole pages: by page, and by call site in the kernel. */
#ifndef KTRACE_TABLE_KMEM_PAGE_ALLOCATIONS_H
#define KTRACE_TABLE_KMEM_PAGE_ALLOCATIONS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "lib/error.h"
#include "lib/hash_table.h"

/* The kernel's largest order is 10, and it has fewer types of migration than these. */
#define PAGE_ORDERS	11
#define PAGE_MIGRATE_TYPES	6

struct page_row {
	uint64_t page;		/* its number, or the address of its struct page */
	uint64_t call_site;	/* of rows by page, that of the last allocation */
	uint32_t order, gfp_flags, migrate_type;
	uint64_t bytes, hits;
};

enum page_key { PAGE_BY_BYTES, PAGE_BY_HIT, PAGE_BY_PAGE, PAGE_BY_CALLSITE, PAGE_BY_ORDER,
		PAGE_BY_MIGTYPE, PAGE_BY_GFP };

#define PAGE_KEYS	7

struct page_keys {
	enum page_key items[PAGE_KEYS];	/* largest first */
	size_t nr;
};

/* As perf sorts. */
extern const struct page_keys page_keys_default;

struct page_totals {
	uint64_t allocations, frees, failures, unmatched;
	/* Bytes of these. */
	uint64_t allocated, freed, failed, freed_unmatched;
	int64_t orders[PAGE_ORDERS][PAGE_MIGRATE_TYPES];	/* live: of remaining pages */
};

struct page_table {
	struct page_row *items;
	size_t nr, alloc;
	struct hash_table index;
};

/* Begin with zeroes and @live. */
struct page_allocations {
	bool live;			/* count only pages that are not freed again */
	struct page_table pages;	/* unless live: by page and parameters of the allocation */
	struct page_table call_sites;
	struct {
		struct page_held {
			struct page_row row;	/* as it was last allocated */
			bool freed;
		} *items;
		size_t nr, alloc;
	} held;
	struct hash_table held_index;	/* by page */
	struct page_totals totals;
};

void page_allocations_deinit(struct page_allocations *pages);

struct page_allocation {
	uint64_t page, call_site, bytes;
	uint32_t order, gfp_flags, migrate_type;
	bool failed;		/* there was no free page */
};

/* The only error is a lack of memory. */
struct error *page_allocations_add(struct page_allocations *pages,
				   const struct page_allocation *allocation);
void page_allocations_free(struct page_allocations *pages, uint64_t page, uint64_t bytes);

/* Sort both tables after the last allocation: nothing can be added any more. */
struct error *page_allocations_sort(struct page_allocations *pages,
				    const struct page_keys *by_page,
				    const struct page_keys *by_call_site);

#endif

/* SPDX-License-Identifier: GPL-2.0 */
/* Allocations by kmalloc() and from slabs: by their address, and by call site in the kernel. */
#ifndef KTRACE_TABLE_KMEM_SLAB_ALLOCATIONS_H
#define KTRACE_TABLE_KMEM_SLAB_ALLOCATIONS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "lib/error.h"
#include "lib/hash_table.h"

struct slab_row {
	uint64_t pointer;	/* of rows by address */
	uint64_t call_site;	/* of rows by address, that of the last allocation */
	uint64_t requested, allocated;	/* bytes */
	uint64_t hits;		/* allocations */
	uint64_t pingpongs;	/* freed by another CPU than the allocating one */
};

enum slab_key { SLAB_BY_FRAG, SLAB_BY_HIT, SLAB_BY_BYTES, SLAB_BY_PINGPONG, SLAB_BY_PTR,
		SLAB_BY_CALLSITE };

#define SLAB_KEYS	6

struct slab_keys {
	enum slab_key items[SLAB_KEYS];	/* largest first; equal rows: lowest address first */
	size_t nr;
};

/* As perf sorts. */
extern const struct slab_keys slab_keys_default;

struct slab_totals {
	uint64_t requested, allocated, freed;	/* bytes; freed: of known allocations */
	uint64_t allocations, crossing;	/* crossing: on another memory node than the CPU's */
};

struct slab_table {
	struct slab_row *items;
	size_t nr, alloc;
	struct hash_table index;
	bool by_call_site;
};

/* Begin with zeroes. */
struct slab_allocations {
	struct slab_table pointers, call_sites;
	struct {
		struct slab_live {
			uint64_t bytes;	/* of the last allocation */
			int32_t cpu;	/* of the last allocation; -1: it was freed */
		} *items;		/* by row of pointers */
		size_t nr, alloc;
	} lives;
	struct slab_totals totals;
};

void slab_allocations_deinit(struct slab_allocations *slabs);

struct slab_allocation {
	uint64_t pointer, call_site;
	uint64_t requested, allocated;
	int32_t cpu;
	bool crosses;
};

/* The only error is a lack of memory. */
struct error *slab_allocations_add(struct slab_allocations *slabs,
				   const struct slab_allocation *allocation);
void slab_allocations_free(struct slab_allocations *slabs, uint64_t pointer, int32_t cpu);

/* Sort the rows after the last allocation: nothing can be added any more. */
void slab_table_sort(struct slab_table *table, const struct slab_keys *keys);

/* The part of @allocated that was not requested, percent. */
double slab_fragmentation(uint64_t requested, uint64_t allocated);

#endif

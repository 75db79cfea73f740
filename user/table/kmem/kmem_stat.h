/* SPDX-License-Identifier: GPL-2.0 */
/* Reads the kernel's tracepoints for memory, on kernels with and without kmalloc_node. */
#ifndef KTRACE_TABLE_KMEM_KMEM_STAT_H
#define KTRACE_TABLE_KMEM_KMEM_STAT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "format/event_format.h"
#include "lib/cleanup.h"
#include "session/session.h"
#include "table/kmem/page_allocations.h"
#include "table/kmem/slab_allocations.h"

#define KMEM_TELLS_NODES \
	"The recording is from another machine, so the memory nodes of its CPUs are those of " \
	"this one."

struct kmem_stat_options {
	bool slab, page;
	bool live;		/* only pages that are not freed again */
	bool call_sites;	/* find the functions that allocate pages; needs call chains */
	const struct formats *formats;	/* of the recording */
	/* The memory node of a CPU. */
	int (*node)(int32_t cpu);
};

/* The names of the flags that pages were allocated with. */
struct gfp_name {
	uint32_t flags;
	char *text;		/* "GFP_KERNEL|__GFP_ZERO", as in the event's text */
};

struct gfp_names {
	struct gfp_name *items;	/* ascending by flags once the session has ended */
	size_t nr, alloc;
	struct hash_table index;
};

struct kmem_stat;

/* The memory node of a CPU of this machine. */
int kmem_stat_node(int32_t cpu);

/* ENODATA: the recording has no event about slabs, or about pages. */
struct error *kmem_stat_check(bool slab, bool page, const struct event_list *events);

/* @options is borrowed. */
struct error *kmem_stat_create(const struct kmem_stat_options *options, struct kmem_stat **ret);
void kmem_stat_destroy(struct kmem_stat *stat);
DEFINE_CLEANUP_PTR(kmem_stat, struct kmem_stat, kmem_stat_destroy)

struct session_consumer *kmem_stat_consumer(struct kmem_stat *stat);

/* The allocations at the end of the session, which may be sorted.  They live as long as @stat. */
struct slab_allocations *kmem_stat_slabs(struct kmem_stat *stat);
struct page_allocations *kmem_stat_pages(struct kmem_stat *stat);
const struct gfp_names *kmem_stat_gfp_names(const struct kmem_stat *stat);

/* Whether pages have numbers, as since Linux 4.1, rather than addresses. */
bool kmem_stat_has_page_numbers(const struct kmem_stat *stat);

#endif

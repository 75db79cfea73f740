/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Reads the tracepoints of the kernel's memory, of kernels with kmalloc_node and without.
 */
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
	"The recording is of another machine: which memory node a CPU belongs to is taken from " \
	"this one."

struct kmem_stat_options {
	bool slab, page;
	bool live;		/* of pages, only what is not freed again */
	bool call_sites;	/* find out who allocates pages; needs call chains */
	const struct formats *formats;	/* of the recording */
	/* The memory node of a CPU. */
	int (*node)(int32_t cpu);
};

/* The names of the flags that pages were allocated with. */
struct gfp_name {
	uint32_t flags;
	char *text;		/* "GFP_KERNEL|__GFP_ZERO", as the event's text has it */
};

struct gfp_names {
	struct gfp_name *items;	/* ascending by flags once the session has ended */
	size_t nr, alloc;
	struct hash_table index;
};

struct kmem_stat;

/* The memory node of a CPU of this machine. */
int kmem_stat_node(int32_t cpu);

/* ENODATA: the recording has no event that tells of slabs, or of pages. */
struct error *kmem_stat_check(bool slab, bool page, const struct event_list *events);

/* @options is borrowed. */
struct error *kmem_stat_create(const struct kmem_stat_options *options, struct kmem_stat **ret);
void kmem_stat_destroy(struct kmem_stat *stat);
DEFINE_CLEANUP_PTR(kmem_stat, struct kmem_stat, kmem_stat_destroy)

struct session_consumer *kmem_stat_consumer(struct kmem_stat *stat);

/* What there is at the end of the session; it may be sorted, and lives as long as @stat. */
struct slab_allocations *kmem_stat_slabs(struct kmem_stat *stat);
struct page_allocations *kmem_stat_pages(struct kmem_stat *stat);
const struct gfp_names *kmem_stat_gfp_names(const struct kmem_stat *stat);

/* Whether pages are known by their numbers, as since Linux 4.1, rather than by addresses. */
bool kmem_stat_has_page_numbers(const struct kmem_stat *stat);

#endif

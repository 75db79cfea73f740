// SPDX-License-Identifier: GPL-2.0
#include "table/kmem/kmem_stat.h"

#include <stdlib.h>
#include <string.h>

#include "lib/array.h"
#include "lib/cpu_place.h"
#include "lib/hash.h"
#include "session/callchain.h"
#include "states/known_events.h"

/* The depth to which perf searches for the allocating function. */
#define KMEM_CALLERS	16
#define NO_NODE		(-1)

enum kmem_kind { KMEM_ALLOC = 1, KMEM_FREE, KMEM_PAGE_ALLOC, KMEM_PAGE_FREE };

enum { SLAB_CALL_SITE, SLAB_PTR, SLAB_REQUESTED, SLAB_ALLOCATED, SLAB_NODE };
enum { PAGE_NUMBER, PAGE_ORDER, PAGE_GFP_FLAGS, PAGE_MIGRATE_TYPE };

#define SLAB_FIELDS	{ "call_site", "ptr", "bytes_req", "bytes_alloc", "?node" }

static const struct known_row kmem_rows[] = {
	{ "kmem", "kmalloc", KMEM_ALLOC, SLAB_FIELDS },
	{ "kmem", "kmem_cache_alloc", KMEM_ALLOC, SLAB_FIELDS },
	{ "kmem", "kmalloc_node", KMEM_ALLOC, SLAB_FIELDS },
	{ "kmem", "kmem_cache_alloc_node", KMEM_ALLOC, SLAB_FIELDS },
	{ "kmem", "kfree", KMEM_FREE, { "call_site", "ptr" } },
	{ "kmem", "kmem_cache_free", KMEM_FREE, { "call_site", "ptr" } },
	{ "kmem", "mm_page_alloc", KMEM_PAGE_ALLOC,
	  { "pfn|page", "order", "gfp_flags", "migratetype" } },
	{ "kmem", "mm_page_free", KMEM_PAGE_FREE, { "pfn|page", "order" } },
	{ 0 },
};

/* How the functions begin that hand on pages rather than use them. */
static const char *const kmem_page_functions[] = {
	"alloc_page", "get_free_page", "get_zeroed_page", "alloc_frozen_page", "folio_alloc",
	"vma_alloc_folio",
};

struct kmem_stat {
	struct session_consumer consumer;
	const struct kmem_stat_options *options;
	struct known_events events;
	struct slab_allocations slabs;
	struct page_allocations pages;
	struct gfp_names gfp;
	struct callchain chain;
	struct {
		struct kmem_caller {
			uint64_t ip;
			bool hands_on;
		} *items;
		size_t nr, alloc;
	} callers;
	struct hash_table callers_index;
	bool by_number;
};

int kmem_stat_node(int32_t cpu)
{
	static ARRAY_OF(int) nodes;
	struct cpu_place place;

	if (cpu < 0)
		return 0;
	while (nodes.nr <= (size_t)cpu) {
		cpu_place_read(nodes.nr, &place);
		if (!array_push(&nodes, place.node))
			return 0;
	}
	return nodes.items[cpu];
}

struct error *kmem_stat_check(bool slab, bool page, const struct event_list *events)
{
	struct error *err = slab ? needed_events_check(NEEDED_SLABS, events) : NULL;

	return err || !page ? err : needed_events_check(NEEDED_PAGES, events);
}

static bool kmem_hands_on(const char *function)
{
	for (int i = 0; i < 2 && *function == '_'; i++)
		function++;
	for (size_t i = 0; i < ARRAY_SIZE(kmem_page_functions); i++)
		if (!strncmp(function, kmem_page_functions[i], strlen(kmem_page_functions[i])))
			return true;
	return false;
}

static struct error *kmem_find_caller(struct kmem_stat *stat, const struct session_record *r,
				      uint64_t ip, bool *ret_hands_on)
{
	struct place place;

	hash_table_each(&stat->callers_index, hash_key_number(ip), found) {
		if (stat->callers.items[found].ip == ip) {
			*ret_hands_on = stat->callers.items[found].hands_on;
			return NULL;
		}
	}
	machine_find(r->machine, NULL, PERF_RECORD_MISC_KERNEL, ip, &place);
	*ret_hands_on = place.symbol && kmem_hands_on(place.symbol->name);
	if (!array_push(&stat->callers, ((struct kmem_caller){ ip, *ret_hands_on })) ||
	    !hash_table_add(&stat->callers_index, hash_key_number(ip), stat->callers.nr - 1))
		return &error_no_memory;
	return NULL;
}

static struct error *kmem_find_call_site(struct kmem_stat *stat, const struct session_record *r,
					 uint64_t *ret)
{
	struct error *err = NULL;

	*ret = r->sample.ip;
	if (!stat->options->call_sites || !r->machine)
		return NULL;
	err = callchain_read(&stat->chain, r, KMEM_CALLERS);
	for (size_t i = 0; !err && i < stat->chain.nr; i++) {
		const struct frame *frame = &stat->chain.items[i];
		bool hands_on = false;

		if (frame->mode == PERF_RECORD_MISC_KERNEL)
			err = kmem_find_caller(stat, r, frame->ip, &hands_on);
		if (err || hands_on)
			continue;
		*ret = frame->ip;
		break;
	}
	return err;
}

/* Add the name of @flags: the text behind "gfp_flags=" in the event's text. */
static struct error *kmem_name_flags(struct kmem_stat *stat, const struct session_record *r,
				     uint32_t flags)
{
	_cleanup_(strbuf) struct strbuf text = STRBUF_INIT;
	const char *found;
	char *copy;

	hash_table_each(&stat->gfp.index, hash_key_number(flags), i)
		if (stat->gfp.items[i].flags == flags)
			return NULL;
	event_format_print(r->format, r->sample.raw, r->sample.raw_size, r->sample.cpu, &text);
	found = strstr(strbuf_str(&text), "gfp_flags=");
	found = found ? found + strlen("gfp_flags=") : "";
	copy = text.failed ? NULL : strndup(found, strcspn(found, " \n"));
	if (!copy || !array_push(&stat->gfp, ((struct gfp_name){ flags, copy }))) {
		free(copy);
		return &error_no_memory;
	}
	return hash_table_add(&stat->gfp.index, hash_key_number(flags), stat->gfp.nr - 1) ?
		NULL : &error_no_memory;
}

static struct error *kmem_add_slab(struct kmem_stat *stat, const struct session_record *r,
				   const struct known_event *e)
{
	const struct slab_allocation allocation = {
		.pointer = e->values[SLAB_PTR], .call_site = e->values[SLAB_CALL_SITE],
		.requested = e->values[SLAB_REQUESTED],
		.allocated = e->values[SLAB_ALLOCATED],
		.cpu = r->sample.cpu,
		.crosses = e->fields[SLAB_NODE] && (int)e->values[SLAB_NODE] != NO_NODE &&
			   (int)e->values[SLAB_NODE] != stat->options->node(r->sample.cpu),
	};

	return slab_allocations_add(&stat->slabs, &allocation);
}

static uint64_t kmem_page_bytes(const struct kmem_stat *stat, const struct known_event *e)
{
	uint64_t order = e->values[PAGE_ORDER];

	return order < 32 ? (uint64_t)formats_page_size(stat->options->formats) << order : 0;
}

static struct error *kmem_add_page(struct kmem_stat *stat, const struct session_record *r,
				   const struct known_event *e)
{
	struct page_allocation allocation = {
		.page = e->values[PAGE_NUMBER],
		.bytes = kmem_page_bytes(stat, e),
		.order = e->values[PAGE_ORDER],
		.gfp_flags = e->values[PAGE_GFP_FLAGS],
		.migrate_type = e->values[PAGE_MIGRATE_TYPE],
	};
	struct error *err = NULL;

	stat->by_number = !strcmp(e->fields[PAGE_NUMBER]->name, "pfn");
	allocation.failed = allocation.page == (stat->by_number ? UINT64_MAX : 0);
	if (!allocation.failed)
		err = kmem_name_flags(stat, r, allocation.gfp_flags);
	if (!err && !allocation.failed)
		err = kmem_find_call_site(stat, r, &allocation.call_site);
	return err ? err : page_allocations_add(&stat->pages, &allocation);
}

static struct error *kmem_sample(struct session_consumer *consumer, const struct session_record *r)
{
	struct kmem_stat *stat = container_of(consumer, struct kmem_stat, consumer);
	struct known_event e;
	struct error *err = known_event_read(&stat->events, r, &e);

	if (err)
		return err;
	switch (e.kind) {
	case KMEM_ALLOC:
		return stat->options->slab ? kmem_add_slab(stat, r, &e) : NULL;
	case KMEM_FREE:
		if (stat->options->slab)
			slab_allocations_free(&stat->slabs, e.values[SLAB_PTR], r->sample.cpu);
		return NULL;
	case KMEM_PAGE_ALLOC:
		return stat->options->page ? kmem_add_page(stat, r, &e) : NULL;
	case KMEM_PAGE_FREE:
		if (stat->options->page)
			page_allocations_free(&stat->pages, e.values[PAGE_NUMBER],
					      kmem_page_bytes(stat, &e));
		return NULL;
	}
	return NULL;
}

DEFINE_COMPARISON(kmem_compare_gfp, struct gfp_name, array_descending(y->flags, x->flags))

static struct error *kmem_finish(struct session_consumer *consumer)
{
	struct kmem_stat *stat = container_of(consumer, struct kmem_stat, consumer);

	array_sort(&stat->gfp, kmem_compare_gfp);
	return NULL;
}

struct error *kmem_stat_create(const struct kmem_stat_options *options, struct kmem_stat **ret)
{
	struct kmem_stat *stat = calloc(1, sizeof(*stat));

	if (!stat)
		return &error_no_memory;
	stat->options = options;
	stat->events.rows = kmem_rows;
	stat->pages.live = options->live;
	stat->by_number = true;
	stat->consumer = (struct session_consumer){
		.sample = kmem_sample, .finish = kmem_finish,
	};
	*ret = stat;
	return NULL;
}

void kmem_stat_destroy(struct kmem_stat *stat)
{
	if (!stat)
		return;
	known_events_deinit(&stat->events);
	slab_allocations_deinit(&stat->slabs);
	page_allocations_deinit(&stat->pages);
	array_free_each(&stat->gfp, .text);
	hash_table_deinit(&stat->gfp.index);
	callchain_deinit(&stat->chain);
	free(stat->callers.items);
	hash_table_deinit(&stat->callers_index);
	free(stat);
}

struct session_consumer *kmem_stat_consumer(struct kmem_stat *stat)
{
	return &stat->consumer;
}

struct slab_allocations *kmem_stat_slabs(struct kmem_stat *stat)
{
	return &stat->slabs;
}

struct page_allocations *kmem_stat_pages(struct kmem_stat *stat)
{
	return &stat->pages;
}

const struct gfp_names *kmem_stat_gfp_names(const struct kmem_stat *stat)
{
	return &stat->gfp;
}

bool kmem_stat_has_page_numbers(const struct kmem_stat *stat)
{
	return stat->by_number;
}

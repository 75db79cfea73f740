// SPDX-License-Identifier: GPL-2.0
/* Providers of the tables of memory (table/tables.def), without a command line. */
#include "lib/number.h"
#include "record/header.h"
#include "table/kmem/page_text.h"
#include "table/kmem/slab_text.h"
#include "table/print/table_provider.h"

enum kmem_table_kind {
	KMEM_SLAB_TOTALS, KMEM_SLAB_CALLERS, KMEM_SLAB_POINTERS,
	KMEM_PAGE_TOTALS, KMEM_PAGE_CALLERS, KMEM_PAGES,
};

struct kmem_maker {
	struct table_maker maker;
	struct machine *machine;
	const struct header *header;
	struct kmem_stat_options options;
	struct kmem_stat *stat;
};

static bool kmem_is_of_pages(const struct table_provider *provider)
{
	return provider->key >= KMEM_PAGE_TOTALS;
}

static struct error *kmem_maker_check(const struct table_provider *provider,
				      const struct event_list *events)
{
	bool page = kmem_is_of_pages(provider);

	return kmem_stat_check(!page, page, events);
}

static void kmem_add_slabs(struct kmem_maker *m, const struct table_output *output,
			   struct strbuf *out)
{
	struct slab_allocations *slabs = kmem_stat_slabs(m->stat);
	bool by_caller = m->maker.provider->key == KMEM_SLAB_CALLERS;
	struct slab_table *table = by_caller ? &slabs->call_sites : &slabs->pointers;

	if (m->maker.provider->key == KMEM_SLAB_TOTALS) {
		slab_totals_add(&slabs->totals, output, out);
		return;
	}
	table->by_call_site = by_caller;
	slab_table_sort(table, &slab_keys_default);
	slab_table_add(table, SIZE_MAX, m->machine, output, out);
}

static struct error *kmem_add_pages(struct kmem_maker *m, const struct table_output *output,
				    struct strbuf *out)
{
	struct page_allocations *pages = kmem_stat_pages(m->stat);
	_cleanup_(page_text) struct page_text text = {
		.pages = pages, .gfp = kmem_stat_gfp_names(m->stat), .machine = m->machine,
		.by_number = kmem_stat_has_page_numbers(m->stat),
	};
	struct error *err = page_allocations_sort(pages, &page_keys_default, &page_keys_default);

	if (!err)
		err = page_text_begin(&text);
	if (err)
		return err;
	if (m->maker.provider->key == KMEM_PAGE_TOTALS)
		page_totals_add(&pages->totals, output, out);
	else if (m->maker.provider->key == KMEM_PAGE_CALLERS)
		page_callers_add(&text, SIZE_MAX, output, out);
	else
		page_pages_add(&text, SIZE_MAX, output, out);
	return NULL;
}

static struct error *kmem_maker_add(struct table_maker *maker, const struct table_output *output,
				    struct strbuf *out)
{
	struct kmem_maker *m = container_of(maker, struct kmem_maker, maker);
	locale_t old, locale = number_locale_begin(output->format == TABLE_AS_TEXT, &old);
	struct error *err = NULL;

	if (kmem_is_of_pages(maker->provider))
		err = kmem_add_pages(m, output, out);
	else
		kmem_add_slabs(m, output, out);
	number_locale_end(locale, old);
	return err;
}

static void kmem_maker_tell(const struct table_maker *maker, struct strbuf *out)
{
	const struct kmem_maker *m = container_of(maker, struct kmem_maker, maker);

	if (m->options.slab && m->header && !header_is_local(m->header))
		strbuf_addstr(out, KMEM_TELLS_NODES);
}

static void kmem_maker_deinit(struct table_maker *maker)
{
	struct kmem_maker *m = container_of(maker, struct kmem_maker, maker);

	kmem_stat_destroy(m->stat);
}

static struct error *kmem_maker_init(struct table_maker *maker, const struct table_source *source)
{
	struct kmem_maker *m = container_of(maker, struct kmem_maker, maker);
	bool page = kmem_is_of_pages(maker->provider);
	struct error *err;

	m->machine = source->machine;
	m->header = source->header;
	m->options = (struct kmem_stat_options){
		.slab = !page, .page = page,
		.call_sites = maker->provider->needs_machine, .formats = source->formats,
		.node = kmem_stat_node,
	};
	err = kmem_stat_create(&m->options, &m->stat);
	if (!err)
		maker->consumer = kmem_stat_consumer(m->stat);
	return err;
}

#define KMEM_TABLE(name, kind, places) \
	const struct table_provider table_##name = { \
		.needs_machine = places, .key = kind, .size = sizeof(struct kmem_maker), \
		.check = kmem_maker_check, .init = kmem_maker_init, \
		.deinit = kmem_maker_deinit, .add = kmem_maker_add, \
		.tell = kmem_maker_tell, \
	}

KMEM_TABLE(kmem_slab_totals, KMEM_SLAB_TOTALS, false);
KMEM_TABLE(kmem_slab_callers, KMEM_SLAB_CALLERS, true);
KMEM_TABLE(kmem_slab_pointers, KMEM_SLAB_POINTERS, true);
KMEM_TABLE(kmem_page_totals, KMEM_PAGE_TOTALS, false);
KMEM_TABLE(kmem_page_callers, KMEM_PAGE_CALLERS, true);
KMEM_TABLE(kmem_pages, KMEM_PAGES, true);

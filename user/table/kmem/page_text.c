// SPDX-License-Identifier: GPL-2.0
#include "table/kmem/page_text.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "lib/array.h"
#include "lib/escape.h"
#include "table/kmem/slab_text.h"

#define RULE	105

/* The short names are perf's. */
static const struct {
	const char *name, *brief;
} page_flag_names[] = {
	{ "GFP_TRANSHUGE", "THP" }, { "GFP_TRANSHUGE_LIGHT", "THL" },
	{ "GFP_HIGHUSER_MOVABLE", "HUM" }, { "GFP_HIGHUSER", "HU" }, { "GFP_USER", "U" },
	{ "GFP_KERNEL_ACCOUNT", "KAC" }, { "GFP_KERNEL", "K" }, { "GFP_NOFS", "NF" },
	{ "GFP_ATOMIC", "A" }, { "GFP_NOIO", "NI" }, { "GFP_NOWAIT", "NW" }, { "GFP_DMA", "D" },
	{ "__GFP_HIGHMEM", "HM" }, { "GFP_DMA32", "D32" }, { "__GFP_HIGH", "H" },
	{ "__GFP_ATOMIC", "_A" }, { "__GFP_IO", "I" }, { "__GFP_FS", "F" },
	{ "__GFP_NOWARN", "NWR" }, { "__GFP_RETRY_MAYFAIL", "R" }, { "__GFP_NOFAIL", "NF" },
	{ "__GFP_NORETRY", "NR" }, { "__GFP_COMP", "C" }, { "__GFP_ZERO", "Z" },
	{ "__GFP_NOMEMALLOC", "NMA" }, { "__GFP_MEMALLOC", "MA" }, { "__GFP_HARDWALL", "HW" },
	{ "__GFP_THISNODE", "TN" }, { "__GFP_RECLAIMABLE", "RC" }, { "__GFP_MOVABLE", "M" },
	{ "__GFP_ACCOUNT", "AC" }, { "__GFP_WRITE", "WR" }, { "__GFP_RECLAIM", "R" },
	{ "__GFP_DIRECT_RECLAIM", "DR" }, { "__GFP_KSWAPD_RECLAIM", "KR" },
};

static const char *const page_migrate_names[PAGE_MIGRATE_TYPES] = {
	"UNMOVABL", "RECLAIM", "MOVABLE", "RESERVED", "CMA/ISLT", "UNKNOWN",
};

static void page_flag_add(const char *name, size_t len, struct strbuf *out)
{
	for (size_t i = 0; i < ARRAY_SIZE(page_flag_names); i++)
		if (strlen(page_flag_names[i].name) == len &&
		    !strncmp(page_flag_names[i].name, name, len)) {
			strbuf_addstr(out, page_flag_names[i].brief);
			return;
		}
	/* A flag of a newer kernel keeps its name. */
	strbuf_add(out, name, len);
}

static void page_flags_add(const char *names, struct strbuf *out)
{
	while (*names) {
		size_t len = strcspn(names, "|");

		page_flag_add(names, len, out);
		names += len;
		if (*names)
			strbuf_addch(out, *names++);
	}
}

struct error *page_text_begin(struct page_text *text)
{
	text->offsets = calloc(text->gfp->nr + 1, sizeof(*text->offsets));
	if (!text->offsets)
		return &error_no_memory;
	for (size_t i = 0; i < text->gfp->nr; i++) {
		size_t begin = text->short_names.len;

		text->offsets[i] = begin;
		page_flags_add(text->gfp->items[i].text, &text->short_names);
		escape_line_ends(&text->short_names, begin);
		if (text->short_names.len - begin > text->width)
			text->width = text->short_names.len - begin;
		strbuf_add(&text->short_names, "", 1);
	}
	return text->short_names.failed ? &error_no_memory : NULL;
}

void page_text_deinit(struct page_text *text)
{
	strbuf_deinit(&text->short_names);
	free(text->offsets);
	text->offsets = NULL;
}

static int page_compare_name(const void *key, const void *item)
{
	uint32_t flags = *(const uint32_t *)key;

	return array_descending(((const struct gfp_name *)item)->flags, flags);
}

static const char *page_flags_of(const struct page_text *text, uint32_t flags)
{
	const struct gfp_name *found = text->gfp->nr ?
		bsearch(&flags, text->gfp->items, text->gfp->nr, sizeof(*text->gfp->items),
			page_compare_name) : NULL;

	return found ? text->short_names.data + text->offsets[found - text->gfp->items] : "";
}

void page_flags_text_add(const struct page_text *text, struct strbuf *out)
{
	strbuf_addstr(out, "#\n# GFP flags\n# ---------\n");
	for (size_t i = 0; i < text->gfp->nr; i++) {
		strbuf_addf(out, "# %08" PRIx32 ": %*s: ", text->gfp->items[i].flags,
			    (int)text->width, text->short_names.data + text->offsets[i]);
		strbuf_addstr(out, text->gfp->items[i].text);
		strbuf_addch(out, '\n');
	}
}

static int page_flags_width(const struct page_text *text)
{
	size_t heading = strlen("GFP flags");

	return text->width > heading ? text->width : heading;
}

static void page_row_text_add(const struct page_text *text, const struct page_row *row,
			      struct strbuf *out)
{
	uint32_t type = row->migrate_type < PAGE_MIGRATE_TYPES ? row->migrate_type :
			PAGE_MIGRATE_TYPES - 1;
	struct place place = { 0 };
	size_t begin;

	strbuf_addf(out, " %'16" PRIu64 " | %'9" PRIu64 " | %5" PRIu32 " | %8s | %-*s | ",
		    row->bytes / 1024, row->hits, row->order, page_migrate_names[type],
		    page_flags_width(text), page_flags_of(text, row->gfp_flags));
	begin = out->len;
	if (text->machine)
		machine_find(text->machine, NULL, PERF_RECORD_MISC_KERNEL, row->call_site, &place);
	if (place.symbol)
		strbuf_addstr(out, place.symbol->name);
	else
		strbuf_addf(out, "%" PRIx64, row->call_site);
	escape_line_ends(out, begin);
	strbuf_addch(out, '\n');
}

static void page_heading_add(const struct page_text *text, const char *first, struct strbuf *out)
{
	kmem_rule_add(out, "\n", RULE, "\n");
	strbuf_addf(out, " %s%5s alloc (KB) | Hits      | Order | Mig.type | %-*s | Callsite\n",
		    first, text->pages->live ? "Live" : "Total", page_flags_width(text),
		    "GFP flags");
	kmem_rule_add(out, "", RULE, "\n");
}

static void page_more_add(const struct page_text *text, const char *first, struct strbuf *out)
{
	strbuf_addf(out, " %s...              | ...       | ...   | ...      | %-*s | ...\n", first,
		    page_flags_width(text), "...");
}

void page_callers_text_add(const struct page_text *text, size_t lines, struct strbuf *out)
{
	const struct page_table *table = &text->pages->call_sites;

	page_heading_add(text, "", out);
	for (size_t i = 0; i < table->nr && i < lines; i++)
		page_row_text_add(text, &table->items[i], out);
	if (table->nr > lines)
		page_more_add(text, "", out);
	kmem_rule_add(out, "", RULE, "\n");
}

void page_pages_text_add(const struct page_text *text, size_t lines, struct strbuf *out)
{
	const struct page_table *table = &text->pages->pages;

	page_heading_add(text, text->by_number ? "PFN              | " : "Page             | ", out);
	for (size_t i = 0; i < table->nr && i < lines; i++) {
		strbuf_addf(out, text->by_number ? " %16" PRIu64 " |" : " %016" PRIx64 " |",
			    table->items[i].page);
		page_row_text_add(text, &table->items[i], out);
	}
	if (table->nr > lines)
		page_more_add(text, "...              | ", out);
	kmem_rule_add(out, "", RULE, "\n");
}

static void page_sum_add(const char *name, uint64_t nr, uint64_t bytes, const char *end,
			 struct strbuf *out)
{
	strbuf_addf(out, "%-30s: %'16" PRIu64 "   [ %'16" PRIu64 " KB ]\n%s", name, nr,
		    bytes / 1024, end);
}

void page_summary_text_add(const struct page_totals *t, struct strbuf *out)
{
	uint64_t both = t->frees - t->unmatched, both_bytes = t->freed - t->freed_unmatched;

	strbuf_addstr(out, "\nSUMMARY (page allocator)\n========================\n");
	page_sum_add("Total allocation requests", t->allocations, t->allocated, "", out);
	page_sum_add("Total free requests", t->frees, t->freed, "\n", out);
	page_sum_add("Total alloc+freed requests", both, both_bytes, "", out);
	page_sum_add("Total alloc-only requests", t->allocations - both, t->allocated - both_bytes,
		     "", out);
	page_sum_add("Total free-only requests", t->unmatched, t->freed_unmatched, "\n", out);
	page_sum_add("Total allocation failures", t->failures, t->failed, "\n", out);
	strbuf_addf(out, "%5s  %12s  %12s  %12s  %12s  %12s\n", "Order", "Unmovable",
		    "Reclaimable", "Movable", "Reserved", "CMA/Isolated");
	kmem_rule_add(out, "", 5, "");
	for (size_t i = 0; i < PAGE_MIGRATE_TYPES - 1; i++)
		kmem_rule_add(out, "  ", 12, "");
	strbuf_addch(out, '\n');
	for (size_t order = 0; order < PAGE_ORDERS; order++) {
		strbuf_addf(out, "%5zu", order);
		for (size_t type = 0; type < PAGE_MIGRATE_TYPES - 1; type++)
			if (t->orders[order][type])
				strbuf_addf(out, "  %'12" PRId64, t->orders[order][type]);
			else
				strbuf_addf(out, "  %12c", '.');
		strbuf_addch(out, '\n');
	}
}

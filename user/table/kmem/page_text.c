// SPDX-License-Identifier: GPL-2.0
#include "table/kmem/page_text.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "lib/array.h"
#include "lib/escape.h"

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

static const struct gfp_name *page_find_flags(const struct page_text *text, uint32_t flags)
{
	return text->gfp->nr ? bsearch(&flags, text->gfp->items, text->gfp->nr,
				       sizeof(*text->gfp->items), page_compare_name) : NULL;
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

static void page_get_migrate_type(const struct table_cell *cell, struct table_value *ret)
{
	const struct page_row *page = cell->row;
	uint32_t type = page->migrate_type < PAGE_MIGRATE_TYPES ? page->migrate_type :
			PAGE_MIGRATE_TYPES - 1;

	strbuf_addstr(ret->text, page_migrate_names[type]);
}

static void page_get_flags(const struct table_cell *cell, struct table_value *ret)
{
	const struct page_row *page = cell->row;
	const struct gfp_name *found = page_find_flags(cell->table->data, page->gfp_flags);

	if (found)
		strbuf_addstr(ret->text, found->text);
	else
		ret->missing = true;
}

static void page_add_flags(const struct table_cell *cell, struct strbuf *out)
{
	const struct page_text *text = cell->table->data;
	const struct page_row *page = cell->row;
	const struct gfp_name *found = page_find_flags(text, page->gfp_flags);

	if (found)
		strbuf_addstr(out, text->short_names.data +
			      text->offsets[found - text->gfp->items]);
}

static bool page_call_site_add(const struct page_text *text, uint64_t address, struct strbuf *out)
{
	struct place place = { 0 };

	if (text->machine)
		machine_find(text->machine, NULL, PERF_RECORD_MISC_KERNEL, address, &place);
	if (place.symbol)
		strbuf_addstr(out, place.symbol->name);
	return place.symbol;
}

static void page_add_call_site(const struct table_cell *cell, struct strbuf *out)
{
	const struct page_row *page = cell->row;

	if (!page_call_site_add(cell->table->data, page->call_site, out))
		strbuf_addf(out, "%" PRIx64, page->call_site);
}

static void page_get_call_site(const struct table_cell *cell, struct table_value *ret)
{
	const struct page_row *page = cell->row;

	if (!page_call_site_add(cell->table->data, page->call_site, ret->text))
		strbuf_addf(ret->text, "%#" PRIx64, page->call_site);
}

/* Those of pages have one of the first two in front; the flags get their width later. */
enum { PAGE_NUMBER, PAGE_ADDRESS, PAGE_BYTES, PAGE_FLAGS = PAGE_BYTES + 4, PAGE_COLUMNS = 9 };

static const struct table_column page_columns[PAGE_COLUMNS] = {
	[PAGE_NUMBER] = {
		.name = "page", .type = TABLE_UNSIGNED, TABLE_MEMBER(struct page_row, page),
		.heading = "PFN", .width = -16,
	},
	[PAGE_ADDRESS] = {
		.name = "page", .value = table_get_address, .add_text = table_add_address,
		TABLE_MEMBER(struct page_row, page), .heading = "Page", .width = -16,
	},
	[PAGE_BYTES] = {
		.name = "allocated", .unit = TABLE_BYTES, .type = TABLE_UNSIGNED,
		TABLE_MEMBER(struct page_row, bytes), .divisor = 1024,
		.form = TABLE_THOUSANDS, .heading = "Total alloc (KB)", .width = 16,
	}, {
		.name = "hits", .unit = TABLE_COUNT, .type = TABLE_UNSIGNED,
		TABLE_MEMBER(struct page_row, hits), .form = TABLE_THOUSANDS,
		.heading = "Hits", .width = -9,
	}, {
		.name = "order", .type = TABLE_UNSIGNED, TABLE_MEMBER(struct page_row, order),
		.heading = "Order", .width = 5,
	}, {
		.name = "migrate_type", .value = page_get_migrate_type, .heading = "Mig.type",
		.width = 8,
	},
	[PAGE_FLAGS] = {
		.name = "gfp_flags", .value = page_get_flags, .add_text = page_add_flags,
		.heading = "GFP flags",
	}, {
		.name = "call_site_address", .value = table_get_address,
		TABLE_MEMBER(struct page_row, call_site), .data_only = true,
	}, {
		.name = "call_site", .value = page_get_call_site, .add_text = page_add_call_site,
		.heading = "Callsite",
	},
};

/* @first is the first column, that of pages or PAGE_BYTES. */
static void page_rows_add(const struct page_text *text, const struct page_table *pages,
			  size_t first, size_t lines, const struct table_output *output,
			  struct strbuf *out)
{
	struct table_column columns[PAGE_COLUMNS];
	const struct table table = {
		.name = first == PAGE_BYTES ? "kmem_page_callers" : "kmem_pages",
		.columns = columns + (first == PAGE_BYTES ? PAGE_BYTES : PAGE_ADDRESS),
		.nr = PAGE_COLUMNS - (first == PAGE_BYTES ? PAGE_BYTES : PAGE_ADDRESS),
		.data = text, .left = " ", .between = " | ",
	};
	struct table_printer printer;

	memcpy(columns, page_columns, sizeof(columns));
	if (first == PAGE_NUMBER)
		columns[PAGE_ADDRESS] = page_columns[PAGE_NUMBER];
	if (text->pages->live)
		columns[PAGE_BYTES].heading = " Live alloc (KB)";
	columns[PAGE_FLAGS].width = -page_flags_width(text);
	table_add_rule(output, "\n", RULE, out);
	table_begin(&printer, &table, output, out);
	table_add_rule(output, "", RULE, out);
	for (size_t i = 0; i < pages->nr && i < lines; i++)
		table_add_row(&printer, &pages->items[i]);
	if (pages->nr > lines)
		table_add_more(&printer);
	table_end(&printer);
	table_add_rule(output, "", RULE, out);
}

void page_callers_add(const struct page_text *text, size_t lines,
		      const struct table_output *output, struct strbuf *out)
{
	page_rows_add(text, &text->pages->call_sites, PAGE_BYTES, lines, output, out);
}

void page_pages_add(const struct page_text *text, size_t lines, const struct table_output *output,
		    struct strbuf *out)
{
	page_rows_add(text, &text->pages->pages, text->by_number ? PAGE_NUMBER : PAGE_ADDRESS,
		      lines, output, out);
}

static void page_sum_add(const char *name, uint64_t nr, uint64_t bytes, const char *end,
			 struct strbuf *out)
{
	strbuf_addf(out, "%-30s: %'16" PRIu64 "   [ %'16" PRIu64 " KB ]\n%s", name, nr,
		    bytes / 1024, end);
}

static void page_totals_text_add(const struct page_totals *t, struct strbuf *out)
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
	strbuf_pad(out, out->len + 5, '-');
	for (size_t i = 0; i < PAGE_MIGRATE_TYPES - 1; i++) {
		strbuf_add_spaces(out, 2);
		strbuf_pad(out, out->len + 12, '-');
	}
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

#define PAGE_TOTAL(member, what) \
	{ .name = #member, .unit = what, .type = TABLE_UNSIGNED, \
	  TABLE_MEMBER(struct page_totals, member), .data_only = true }

void page_totals_add(const struct page_totals *totals, const struct table_output *output,
		     struct strbuf *out)
{
	static const struct table_column columns[] = {
		PAGE_TOTAL(allocations, TABLE_COUNT), PAGE_TOTAL(allocated, TABLE_BYTES),
		PAGE_TOTAL(frees, TABLE_COUNT), PAGE_TOTAL(freed, TABLE_BYTES),
		PAGE_TOTAL(unmatched, TABLE_COUNT), PAGE_TOTAL(freed_unmatched, TABLE_BYTES),
		PAGE_TOTAL(failures, TABLE_COUNT), PAGE_TOTAL(failed, TABLE_BYTES),
	};
	const struct table table = {
		.name = "kmem_page_totals", .columns = columns, .nr = ARRAY_SIZE(columns),
	};
	struct table_printer printer;

	if (output->format == TABLE_AS_TEXT) {
		page_totals_text_add(totals, out);
		return;
	}
	table_begin(&printer, &table, output, out);
	table_add_row(&printer, totals);
	table_end(&printer);
}

// SPDX-License-Identifier: GPL-2.0
#include "table/kmem/slab_text.h"

#include <inttypes.h>

#include "lib/escape.h"

#define RULE	105
#define PLACE	34

void kmem_rule_add(struct strbuf *out, const char *before, size_t nr, const char *behind)
{
	strbuf_addstr(out, before);
	for (size_t i = 0; i < nr; i++)
		strbuf_addch(out, '-');
	strbuf_addstr(out, behind);
}

static void slab_place_add(const struct slab_row *row, bool by_call_site, struct machine *machine,
			   struct strbuf *out)
{
	uint64_t address = by_call_site ? row->call_site : row->pointer;
	struct place place = { 0 };
	size_t begin = out->len;

	if (by_call_site && machine)
		machine_find(machine, NULL, PERF_RECORD_MISC_KERNEL, address, &place);
	if (place.symbol)
		strbuf_addf(out, "%s+%" PRIx64, place.symbol->name, place.offset);
	else
		strbuf_addf(out, "%#" PRIx64, address);
	escape_line_ends(out, begin);
	if (out->len - begin < PLACE)
		strbuf_add_spaces(out, PLACE - (out->len - begin));
}

static void slab_row_text_add(const struct slab_row *row, struct strbuf *out)
{
	strbuf_addf(out, " | %9" PRIu64 "/%-5" PRIu64 " | %9" PRIu64 "/%-5" PRIu64 " | %8" PRIu64
		    " | %9" PRIu64 " | %6.3f%%\n",
		    row->allocated, row->allocated / row->hits,
		    row->requested, row->requested / row->hits, row->hits, row->pingpongs,
		    slab_fragmentation(row->requested, row->allocated));
}

void slab_table_text_add(const struct slab_table *table, size_t lines, struct machine *machine,
			 struct strbuf *out)
{
	kmem_rule_add(out, "", RULE, "\n");
	strbuf_addf(out, " %-*s | Total_alloc/Per | Total_req/Per   | Hit      | Ping-pong | Frag\n",
		    PLACE, table->by_call_site ? "Callsite" : "Alloc Ptr");
	kmem_rule_add(out, "", RULE, "\n");
	for (size_t i = 0; i < table->nr && i < lines; i++) {
		strbuf_addch(out, ' ');
		slab_place_add(&table->items[i], table->by_call_site, machine, out);
		slab_row_text_add(&table->items[i], out);
	}
	if (table->nr > lines)
		strbuf_addf(out, " %-*s | ...             | ...             | ...      | ...       "
			    "| ...   \n", PLACE, "...");
	kmem_rule_add(out, "", RULE, "\n");
}

void slab_summary_text_add(const struct slab_totals *totals, struct strbuf *out)
{
	strbuf_addstr(out, "\nSUMMARY (SLAB allocator)\n========================\n");
	strbuf_addf(out, "Total bytes requested: %'" PRIu64 "\n", totals->requested);
	strbuf_addf(out, "Total bytes allocated: %'" PRIu64 "\n", totals->allocated);
	strbuf_addf(out, "Total bytes freed:     %'" PRIu64 "\n", totals->freed);
	if (totals->allocated > totals->freed)
		strbuf_addf(out, "Net total bytes allocated: %'" PRIu64 "\n",
			    totals->allocated - totals->freed);
	strbuf_addf(out, "Total bytes wasted on internal fragmentation: %'" PRIu64 "\n",
		    totals->allocated - totals->requested);
	strbuf_addf(out, "Internal fragmentation: %f%%\n",
		    slab_fragmentation(totals->requested, totals->allocated));
	strbuf_addf(out, "Cross CPU allocations: %'" PRIu64 "/%'" PRIu64 "\n", totals->crossing,
		    totals->allocations);
}

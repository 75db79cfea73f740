// SPDX-License-Identifier: GPL-2.0
#include "table/kmem/slab_text.h"

#include <inttypes.h>

#include "lib/array.h"
#include "lib/number.h"

#define RULE	105
#define PLACE	34

/* The data of the columns. */
struct slab_source {
	bool by_call_site;
	struct machine *machine;
};

static void slab_call_site_add(const struct slab_source *source, uint64_t address,
			       struct strbuf *out)
{
	struct place place = { 0 };

	if (source->machine)
		machine_find(source->machine, NULL, PERF_RECORD_MISC_KERNEL, address, &place);
	if (place.symbol)
		strbuf_addf(out, "%s+%" PRIx64, place.symbol->name, place.offset);
	else
		strbuf_addf(out, "%#" PRIx64, address);
}

static void slab_add_place(const struct table_cell *cell, struct strbuf *out)
{
	const struct slab_source *source = cell->table->data;
	const struct slab_row *slab = cell->row;

	if (source->by_call_site)
		slab_call_site_add(source, slab->call_site, out);
	else
		strbuf_addf(out, "%#" PRIx64, slab->pointer);
}

static void slab_get_call_site(const struct table_cell *cell, struct table_value *ret)
{
	const struct slab_row *slab = cell->row;

	slab_call_site_add(cell->table->data, slab->call_site, ret->text);
}

/* Bytes for each allocation. */
static void slab_add_each(const struct table_cell *cell, struct strbuf *out)
{
	const struct slab_row *slab = cell->row;
	uint64_t bytes;

	memcpy(&bytes, (const char *)cell->row + cell->column->offset, sizeof(bytes));
	number_add_unsigned(out, bytes / slab->hits, 0, ' ');
}

static void slab_get_fragmentation(const struct table_cell *cell, struct table_value *ret)
{
	const struct slab_row *slab = cell->row;

	ret->real = slab_fragmentation(slab->requested, slab->allocated);
}

static void slab_add_fragmentation(const struct table_cell *cell, struct strbuf *out)
{
	const struct slab_row *slab = cell->row;

	strbuf_addf(out, "%6.3f%%", slab_fragmentation(slab->requested, slab->allocated));
}

#define SLAB_BYTES(member, title) \
	{ .name = #member, .unit = TABLE_BYTES, .type = TABLE_UNSIGNED, \
	  TABLE_MEMBER(struct slab_row, member), .heading = title, .width = 9 }, \
	{ .add_text = slab_add_each, TABLE_MEMBER(struct slab_row, member), \
	  .between = "/", .width = -5 }
#define SLAB_COUNT(member, title, columns_width) \
	{ .name = #member, .unit = TABLE_COUNT, .type = TABLE_UNSIGNED, \
	  TABLE_MEMBER(struct slab_row, member), .heading = title, .width = columns_width }
#define SLAB_NUMBERS \
	{ .name = "call_site", .value = slab_get_call_site, .data_only = true }, \
	{ .name = "call_site_address", .value = table_get_address, \
	  TABLE_MEMBER(struct slab_row, call_site), .data_only = true }, \
	SLAB_BYTES(allocated, "Total_alloc/Per"), \
	SLAB_BYTES(requested, "Total_req/Per  "), \
	SLAB_COUNT(hits, "Hit", -8), \
	SLAB_COUNT(pingpongs, "Ping-pong", -9), \
	{ .name = "fragmentation", .unit = TABLE_PERCENT, .type = TABLE_FLOAT, \
	  .value = slab_get_fragmentation, .add_text = slab_add_fragmentation, \
	  .heading = "Frag", .width = -6 }

static const struct table_column slab_call_site_columns[] = {
	{ .add_text = slab_add_place, .heading = "Callsite", .width = -PLACE },
	SLAB_NUMBERS,
};

static const struct table_column slab_pointer_columns[] = {
	{ .add_text = slab_add_place, .heading = "Alloc Ptr", .width = -PLACE },
	{ .name = "pointer", .value = table_get_address,
	  TABLE_MEMBER(struct slab_row, pointer), .data_only = true },
	SLAB_NUMBERS,
};

void slab_table_add(const struct slab_table *slabs, size_t lines, struct machine *machine,
		    const struct table_output *output, struct strbuf *out)
{
	const struct slab_source source = { slabs->by_call_site, machine };
	const struct table table = {
		.name = slabs->by_call_site ? "kmem_slab_callers" : "kmem_slab_pointers",
		.columns = slabs->by_call_site ? slab_call_site_columns : slab_pointer_columns,
		.nr = slabs->by_call_site ? ARRAY_SIZE(slab_call_site_columns) :
					    ARRAY_SIZE(slab_pointer_columns),
		.data = &source, .left = " ", .between = " | ",
	};
	struct table_printer printer;

	table_add_rule(output, "", RULE, out);
	table_begin(&printer, &table, output, out);
	table_add_rule(output, "", RULE, out);
	for (size_t i = 0; i < slabs->nr && i < lines; i++)
		table_add_row(&printer, &slabs->items[i]);
	if (slabs->nr > lines)
		table_add_more(&printer);
	table_end(&printer);
	table_add_rule(output, "", RULE, out);
}

static void slab_totals_text_add(const struct slab_totals *totals, struct strbuf *out)
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

#define SLAB_TOTAL(member, what) \
	{ .name = #member, .unit = what, .type = TABLE_UNSIGNED, \
	  TABLE_MEMBER(struct slab_totals, member), .data_only = true }

void slab_totals_add(const struct slab_totals *totals, const struct table_output *output,
		     struct strbuf *out)
{
	static const struct table_column columns[] = {
		SLAB_TOTAL(requested, TABLE_BYTES), SLAB_TOTAL(allocated, TABLE_BYTES),
		SLAB_TOTAL(freed, TABLE_BYTES), SLAB_TOTAL(allocations, TABLE_COUNT),
		SLAB_TOTAL(crossing, TABLE_COUNT),
	};
	const struct table table = {
		.name = "kmem_slab_totals", .columns = columns, .nr = ARRAY_SIZE(columns),
	};
	struct table_printer printer;

	if (output->format == TABLE_AS_TEXT) {
		slab_totals_text_add(totals, out);
		return;
	}
	table_begin(&printer, &table, output, out);
	table_add_row(&printer, totals);
	table_end(&printer);
}

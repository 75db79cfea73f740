// SPDX-License-Identifier: GPL-2.0
#include "table/c2c/cache_line_text.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "lib/array.h"

#define CUT_WIDTH	30	/* of symbols and source lines */
#define COUNT_WIDTH	7
#define ADDRESS_WIDTH	18
#define UNKNOWN_SYMBOL	22	/* "[.] 0x" and 16 digits */
#define UNKNOWN_DSO	16	/* least width beside an unknown symbol */
#define LINE_COLUMNS	40
#define SOURCE_HEADING	"Source:Line"
#define RULE	70

/* The columns of a table, in sequence, with headings of two lines. */
struct line_columns {
	struct table_column items[LINE_COLUMNS];
	struct {
		const char *text;
		unsigned int covered;	/* further columns that the text is also above */
	} tops[LINE_COLUMNS];
	size_t nr;
};

static const char *const display_names[] = {
	[LINES_BY_TOTAL] = "Total HITMs", [LINES_BY_LOCAL] = "Local HITMs",
	[LINES_BY_REMOTE] = "Remote HITMs", [LINES_BY_PEER] = "Peer Snoop",
};

static void line_columns_add(struct line_columns *columns, const char *top, unsigned int covered,
			const struct table_column *column)
{
	columns->tops[columns->nr].text = top;
	columns->tops[columns->nr].covered = covered;
	columns->items[columns->nr++] = *column;
}

static bool columns_has_heading(const struct table_column *column)
{
	return !column->data_only && column->heading;
}

static void columns_add_line(const struct line_columns *columns, bool top, struct strbuf *out)
{
	unsigned int covered = 0;
	const char *between = "# ";

	for (size_t i = 0; i < columns->nr; i++) {
		const struct table_column *column = &columns->items[i];
		const char *text = top ? columns->tops[i].text : column->heading;

		if (!columns_has_heading(column))
			continue;
		if (top && covered) {
			covered--;
			continue;
		}
		covered = columns->tops[i].covered;
		strbuf_addf(out, "%s%*s", between, abs(column->width), text ? text : "");
		between = "  ";
	}
	strbuf_addch(out, '\n');
}

static void columns_add_headings(const struct line_columns *columns, struct strbuf *out)
{
	const char *between = "# ";

	columns_add_line(columns, true, out);
	columns_add_line(columns, false, out);
	for (size_t i = 0; i < columns->nr; i++) {
		if (!columns_has_heading(&columns->items[i]))
			continue;
		strbuf_addstr(out, between);
		strbuf_pad(out, out->len + abs(columns->items[i].width), '.');
		between = "  ";
	}
	strbuf_addstr(out, "\n#\n");
}

/* Append a text between dashes, which begin as perf's. */
static void add_dashed(const char *text, size_t width, struct strbuf *out)
{
	size_t begin = out->len;

	strbuf_pad(out, begin + width / 2 - strlen(text) / 2 - 1, '-');
	strbuf_addf(out, " %s ", text);
	strbuf_pad(out, begin + width, '-');
}

/* -- values */

static void line_get_count(const struct table_cell *cell, struct table_value *ret)
{
	const struct access_sum *sum = cell->row;

	ret->number = access_count(&sum->counts, cell->column->key);
}

static void line_get_number(const struct table_cell *cell, struct table_value *ret)
{
	const struct cache_line *line = cell->row;

	ret->number = line->number;
}

static void line_get_nodes(const struct table_cell *cell, struct table_value *ret)
{
	const struct access_sum *sum = cell->row;

	number_set_text(&sum->nodes, ret->text);
	ret->missing = !ret->text->len;
}

static void line_add_nodes(const struct table_cell *cell, struct strbuf *out)
{
	const struct access_sum *sum = cell->row;
	size_t begin = out->len;

	number_set_text(&sum->nodes, out);
	if (out->len == begin)
		strbuf_addstr(out, "N/A");
}

static void line_get_cpus(const struct table_cell *cell, struct table_value *ret)
{
	const struct access_sum *sum = cell->row;

	number_set_text(&sum->cpus, ret->text);
	ret->missing = !ret->text->len;
}

static void line_get_cpu_count(const struct table_cell *cell, struct table_value *ret)
{
	const struct access_sum *sum = cell->row;

	ret->number = number_set_count(&sum->cpus);
}

static double share_of(uint64_t part, uint64_t whole)
{
	return whole ? 100.0 * part / whole : 0;
}

static void line_get_share(const struct table_cell *cell, struct table_value *ret)
{
	const struct cache_line_text *text = cell->table->data;
	const struct access_sum *sum = cell->row;

	ret->real = share_of(access_count(&sum->counts, cell->column->key),
			     access_count(&text->lines->totals, cell->column->key));
}

static void access_get_share(const struct table_cell *cell, struct table_value *ret)
{
	const struct line_access *access = cell->row;

	ret->real = share_of(access_count(&access->sum.counts, cell->column->key),
			     access_count(&access->line->sum.counts, cell->column->key));
}

static void access_get_line(const struct table_cell *cell, struct table_value *ret)
{
	const struct line_access *access = cell->row;

	ret->number = access->line->number;
}

static void access_get_address(const struct table_cell *cell, struct table_value *ret)
{
	const struct line_access *access = cell->row;

	strbuf_addf(ret->text, "%#" PRIx64, access->line->address);
}

/* perf writes 0 as 0x0. */
static void line_get_hex(const struct table_cell *cell, struct table_value *ret)
{
	uint64_t number;

	memcpy(&number, (const char *)cell->row + cell->column->offset, sizeof(number));
	strbuf_addf(ret->text, "0x%" PRIx64, number);
}

static void access_get_latency(const struct table_cell *cell, struct table_value *ret)
{
	const struct line_access *access = cell->row;

	ret->real = access->latencies[cell->column->key].mean;
	ret->missing = !access->latencies[cell->column->key].nr;
}

static void access_add_latency_text(const struct table_cell *cell, struct strbuf *out)
{
	const struct line_access *access = cell->row;

	strbuf_addf(out, "%.0f", access->latencies[cell->column->key].mean);
}

static void access_add_thread(const struct table_cell *cell, struct strbuf *out)
{
	const struct line_access *access = cell->row;

	strbuf_addf(out, "%7" PRId32 ":%s", access->tid, access->comm);
}

static void access_add_symbol(const struct table_cell *cell, struct strbuf *out)
{
	const struct line_access *access = cell->row;

	strbuf_addf(out, "[%c] ", access->mode == PERF_RECORD_MISC_KERNEL ? 'k' :
		    access->mode == PERF_RECORD_MISC_USER ? '.' : 'H');
	if (access->symbol)
		strbuf_addstr(out, access->symbol);
	else
		strbuf_addf(out, "%#.16" PRIx64, access->code_address);
}

/* The number is in the line above. */
static void access_add_nothing(const struct table_cell *cell, struct strbuf *out)
{
}

static void add_share_or_none(uint64_t part, uint64_t whole, const char *behind, struct strbuf *out)
{
	if (whole)
		strbuf_addf(out, "%5.1f%%%s", share_of(part, whole), behind);
	else
		strbuf_addf(out, "%6s%s", "n/a", behind);
}

static void access_add_node_shares(const struct cache_line_text *text,
				   const struct line_access *access, int32_t node,
				   unsigned int nr_cpus, struct strbuf *out)
{
	enum access_count count = line_display_count(text->lines->options.display);
	const struct access_counts *all = &access->sum.counts;
	const struct access_counts *here = &access->by_node.items[node];

	strbuf_addf(out, "%2" PRId32 "{%2u ", node, nr_cpus);
	add_share_or_none(access_count(here, count), access_count(all, count), " ", out);
	add_share_or_none(here->items[ACCESS_STORES], all->items[ACCESS_STORES], "}", out);
}

static void access_add_node_cpus(const struct cache_line_text *text,
				 const struct line_access *access, int32_t node, struct strbuf *out)
{
	const struct number_set *cpus = &access->sum.cpus;
	bool is_first = true;

	strbuf_addf(out, "%2" PRId32 "{", node);
	for (unsigned int first = 0, last; first < cpus->nr * 64; first = last + 1) {
		last = first;
		if (!number_set_has(cpus, first) || cache_lines_node(text->lines, first) != node)
			continue;
		while (number_set_has(cpus, last + 1) &&
		       cache_lines_node(text->lines, last + 1) == node)
			last++;
		strbuf_addf(out, last > first ? "%s%u-%u" : "%s%u", is_first ? "" : ",", first,
			    last);
		is_first = false;
	}
	strbuf_addch(out, '}');
}

static unsigned int access_cpus_of_node(const struct cache_line_text *text,
					const struct line_access *access, int32_t node)
{
	unsigned int nr = 0;

	for (unsigned int cpu = 0; cpu < access->sum.cpus.nr * 64; cpu++)
		nr += number_set_has(&access->sum.cpus, cpu) &&
		      cache_lines_node(text->lines, cpu) == node;
	return nr;
}

/* Only nodes of the recorded topology are in by_node. */
static void access_add_cpu_nodes(const struct table_cell *cell, struct strbuf *out)
{
	const struct cache_line_text *text = cell->table->data;
	const struct line_access *access = cell->row;
	bool is_first = true;

	if (!access->by_node.nr)
		strbuf_addstr(out, "N/A");
	for (size_t node = 0; node < access->by_node.nr; node++) {
		unsigned int nr = access_cpus_of_node(text, access, node);

		if (!nr) {
			strbuf_add_spaces(out, text->nodes == NODE_SHARES ? 21 : 0);
			continue;
		}
		strbuf_addstr(out, is_first ? "" : " ");
		is_first = false;
		if (text->nodes == NODE_SHARES)
			access_add_node_shares(text, access, node, nr, out);
		else if (text->nodes == NODE_CPUS)
			access_add_node_cpus(text, access, node, out);
		else
			strbuf_addf(out, "%2zu", node);
	}
}

/* -- the counts of all samples */

static const struct {
	const char *title;	/* NULL: not in text */
	const char *name;	/* NULL: only in text */
	enum access_count count;
} total_rows[] = {
	{ "Total records", "samples", ACCESS_SAMPLES },
	{ "Locked Load/Store Operations", "locked", ACCESS_LOCKED },
	{ "Load Operations", "loads", ACCESS_LOADS },
	{ "Loads - uncacheable", "loads_uncached", ACCESS_LOAD_UNCACHED },
	{ "Loads - IO", "loads_io", ACCESS_LOAD_IO },
	{ "Loads - Miss", "loads_miss", ACCESS_LOAD_MISS },
	{ "Loads - no mapping", "loads_no_address", ACCESS_LOAD_NO_ADDRESS },
	{ "Load Fill Buffer Hit", "loads_fill_buffer", ACCESS_LOAD_FILL_BUFFER },
	{ "Load L1D hit", "loads_l1", ACCESS_LOAD_L1 },
	{ "Load L2D hit", "loads_l2", ACCESS_LOAD_L2 },
	{ "Load LLC hit", NULL, ACCESS_LLC_HITS },
	{ NULL, "loads_llc", ACCESS_LOAD_LLC },
	{ "Load Local HITM", "hitm_local", ACCESS_LOCAL_HITM },
	{ "Load Remote HITM", "hitm_remote", ACCESS_REMOTE_HITM },
	{ "Load Remote HIT", "loads_remote_cache", ACCESS_LOAD_REMOTE_CACHE },
	{ "Load Local DRAM", "loads_local_ram", ACCESS_LOAD_LOCAL_RAM },
	{ "Load Remote DRAM", "loads_remote_ram", ACCESS_LOAD_REMOTE_RAM },
	{ "Load MESI State Exclusive", "loads_exclusive", ACCESS_LOAD_EXCLUSIVE },
	{ "Load MESI State Shared", "loads_shared", ACCESS_LOAD_SHARED },
	{ "Load LLC Misses", NULL, ACCESS_LLC_MISSES },
	{ "Load access blocked by data", "blocked_by_data", ACCESS_BLOCKED_DATA },
	{ "Load access blocked by address", "blocked_by_address", ACCESS_BLOCKED_ADDRESS },
	{ "Load HIT Local Peer", "peer_local", ACCESS_LOCAL_PEER },
	{ "Load HIT Remote Peer", "peer_remote", ACCESS_REMOTE_PEER },
	{ NULL, "stores", ACCESS_STORES },
	{ NULL, "stores_uncached", ACCESS_STORE_UNCACHED },
	{ NULL, "stores_no_address", ACCESS_STORE_NO_ADDRESS },
	{ NULL, "stores_l1", ACCESS_STORE_L1 },
	{ NULL, "stores_l1_miss", ACCESS_STORE_L1_MISS },
	{ NULL, "stores_unknown_level", ACCESS_STORE_UNKNOWN },
	{ NULL, "no_mapping", ACCESS_NO_MAP },
	{ NULL, "no_data_source", ACCESS_NO_SOURCE },
}, store_rows[] = {
	{ "Store Operations", NULL, ACCESS_STORES },
	{ "Store - uncacheable", NULL, ACCESS_STORE_UNCACHED },
	{ "Store - no mapping", NULL, ACCESS_STORE_NO_ADDRESS },
	{ "Store L1D Hit", NULL, ACCESS_STORE_L1 },
	{ "Store L1D Miss", NULL, ACCESS_STORE_L1_MISS },
	{ "Store No available memory level", NULL, ACCESS_STORE_UNKNOWN },
	{ "No Page Map Rejects", NULL, ACCESS_NO_MAP },
	{ "Unable to parse data source", NULL, ACCESS_NO_SOURCE },
}, miss_rows[] = {
	{ "LLC Misses to Local DRAM", NULL, ACCESS_LOAD_LOCAL_RAM },
	{ "LLC Misses to Remote DRAM", NULL, ACCESS_LOAD_REMOTE_RAM },
	{ "LLC Misses to Remote cache (HIT)", NULL, ACCESS_LOAD_REMOTE_CACHE },
	{ "LLC Misses to Remote cache (HITM)", NULL, ACCESS_REMOTE_HITM },
}, shared_rows[] = {
	{ "Load HITs on shared lines", NULL, ACCESS_LOADS },
	{ "Fill Buffer Hits on shared lines", NULL, ACCESS_LOAD_FILL_BUFFER },
	{ "L1D hits on shared lines", NULL, ACCESS_LOAD_L1 },
	{ "L2D hits on shared lines", NULL, ACCESS_LOAD_L2 },
	{ "LLC hits on shared lines", NULL, ACCESS_LLC_HITS },
	{ "Load hits on peer cache or nodes", NULL, ACCESS_PEER },
	{ "Locked Access on shared lines", NULL, ACCESS_LOCKED },
};

static void line_add_title(const char *title, struct strbuf *out)
{
	const char *rule = "=================================================";

	strbuf_addf(out, "%s\n%s\n%s\n", rule, title, rule);
}

static void add_total(const char *title, uint64_t count, struct strbuf *out)
{
	strbuf_addf(out, "  %-34s: %10" PRIu64 "\n", title, count);
}

#define ADD_TOTALS(rows, counts, out) \
	do { \
		for (size_t i_ = 0; i_ < ARRAY_SIZE(rows); i_++) \
			if ((rows)[i_].title) \
				add_total((rows)[i_].title, \
					  access_count(counts, (rows)[i_].count), out); \
	} while (0)

static void totals_add_text(const struct cache_lines *lines, struct strbuf *out)
{
	uint64_t misses = access_count(&lines->totals, ACCESS_LLC_MISSES);

	line_add_title("            Trace Event Information", out);
	ADD_TOTALS(total_rows, &lines->totals, out);
	for (size_t i = 0; i < ARRAY_SIZE(miss_rows); i++) {
		strbuf_addf(out, "  %-34s: ", miss_rows[i].title);
		if (misses)
			strbuf_addf(out, "%10.1f%%\n",
				    share_of(access_count(&lines->totals, miss_rows[i].count),
					     misses));
		else
			strbuf_addf(out, "%10s\n", "n/a");
	}
	ADD_TOTALS(store_rows, &lines->totals, out);
}

static void shared_add_text(const struct cache_lines *lines, struct strbuf *out)
{
	const struct access_counts *shared = &lines->shared;

	line_add_title("    Global Shared Cache Line Event Information", out);
	add_total("Total Shared Cache Lines", lines->nr_shared, out);
	ADD_TOTALS(shared_rows, shared, out);
	add_total("Blocked Access on shared lines", shared->items[ACCESS_BLOCKED_DATA] +
		  shared->items[ACCESS_BLOCKED_ADDRESS], out);
	add_total("Store HITs on shared lines", shared->items[ACCESS_STORES], out);
	add_total("Store L1D hits on shared lines", shared->items[ACCESS_STORE_L1], out);
	add_total("Store No available memory level", shared->items[ACCESS_STORE_UNKNOWN], out);
	add_total("Total Merged records", access_count(shared, ACCESS_HITM) +
		  shared->items[ACCESS_STORES], out);
}

static void details_add_text(const struct cache_line_text *text, struct strbuf *out)
{
	static const char *const keys[ACCESS_KEYS] = {
		[ACCESS_BY_CODE] = "iaddr", [ACCESS_BY_PID] = "pid", [ACCESS_BY_TID] = "tid",
		[ACCESS_BY_DSO] = "dso",
	};
	const struct cache_line_options *options = &text->lines->options;

	line_add_title("                 c2c details", out);
	for (size_t i = 0; i < text->events->nr; i++)
		strbuf_addf(out, "%-36s: %s\n", i ? "" : "  Events", text->events->items[i]->name);
	strbuf_addf(out, "  %-34s: %s\n", "Cachelines sort on", display_names[options->display]);
	strbuf_addf(out, "  %-34s: offset", "Cacheline data grouping");
	for (size_t i = 0; i < options->keys.nr; i++)
		strbuf_addf(out, ",%s", keys[options->keys.items[i]]);
	strbuf_addch(out, '\n');
}

void access_totals_add(const struct cache_line_text *text, const struct table_output *output,
		       struct strbuf *out)
{
	struct line_columns columns = { .nr = 0 };
	struct table table = { .name = "c2c_totals", .columns = columns.items };
	const struct access_sum sum = { .counts = text->lines->totals };
	struct table_printer printer;

	if (output->format == TABLE_AS_TEXT) {
		totals_add_text(text->lines, out);
		strbuf_addch(out, '\n');
		shared_add_text(text->lines, out);
		strbuf_addch(out, '\n');
		details_add_text(text, out);
		return;
	}
	for (size_t i = 0; i < ARRAY_SIZE(total_rows); i++)
		if (total_rows[i].name)
			line_columns_add(&columns, NULL, 0, &(struct table_column){
				.name = total_rows[i].name, .unit = TABLE_COUNT,
				.type = TABLE_UNSIGNED, .value = line_get_count,
				.key = total_rows[i].count });
	table.nr = columns.nr;
	table_begin(&printer, &table, output, out);
	table_add_row(&printer, &sum);
	table_end(&printer);
}

/* -- columns */

static void columns_add_count(struct line_columns *columns, const char *top, unsigned int covered,
			      const char *name, enum access_count count, const char *heading,
			      int width)
{
	line_columns_add(columns, top, covered, &(struct table_column){
		.name = name, .unit = TABLE_COUNT, .type = TABLE_UNSIGNED, .value = line_get_count,
		.key = count, .heading = heading, .width = width });
}

/* Counts that are in CSV and JSON beside the shares of the text. */
static void columns_add_data_count(struct line_columns *columns, const char *name,
				   enum access_count count)
{
	line_columns_add(columns, NULL, 0, &(struct table_column){
		.name = name, .unit = TABLE_COUNT, .type = TABLE_UNSIGNED, .value = line_get_count,
		.key = count, .data_only = true });
}

/* The total, the local and the remote accesses of a kind. */
struct line_group {
	const char *name;
	enum access_count count;
	const char *heading;
};

static void columns_add_group(struct line_columns *columns, const char *top, bool in_text,
			      const struct line_group group[3])
{
	for (size_t i = 0; i < 3; i++) {
		if (in_text)
			columns_add_count(columns, i ? NULL : top, i ? 0 : 2, group[i].name,
					  group[i].count, group[i].heading, COUNT_WIDTH);
		else
			columns_add_data_count(columns, group[i].name, group[i].count);
	}
}

/* The heading above the address of data and its nodes, and the width of these. */
struct place_columns {
	struct strbuf top;
	int node_width;
};

static int nodes_width(const struct number_set *nodes, int least)
{
	_cleanup_(strbuf) struct strbuf text = STRBUF_INIT;

	number_set_text(nodes, &text);
	return (int)text.len > least ? (int)text.len : least;
}

static void columns_add_memory(struct line_columns *columns, const struct place_columns *place)
{
	line_columns_add(columns, NULL, 0, &(struct table_column){
		.name = "memory_nodes", .value = line_get_nodes, .add_text = line_add_nodes,
		.heading = "Node", .width = place->node_width });
	line_columns_add(columns, NULL, 0, &(struct table_column){
		.name = "physical_changes", .unit = TABLE_COUNT, .type = TABLE_UNSIGNED,
		TABLE_MEMBER(struct access_sum, moves), .heading = "PA cnt", .width = 6 });
}

static void lines_add_columns(const struct cache_line_text *text, const struct place_columns *place,
			      struct line_columns *ret)
{
	static const struct line_group hitms[] = {
		{ "hitm", ACCESS_HITM, "Total" }, { "hitm_local", ACCESS_LOCAL_HITM, "LclHitm" },
		{ "hitm_remote", ACCESS_REMOTE_HITM, "RmtHitm" },
	}, peers[] = {
		{ "peer", ACCESS_PEER, "Total" }, { "peer_local", ACCESS_LOCAL_PEER, "Local" },
		{ "peer_remote", ACCESS_REMOTE_PEER, "Remote" },
	};
	enum line_display display = text->lines->options.display;
	static const char *const tops[] = {
		[LINES_BY_TOTAL] = "Tot", [LINES_BY_LOCAL] = "Lcl", [LINES_BY_REMOTE] = "Rmt",
		[LINES_BY_PEER] = "Peer",
	};
	bool peer = display == LINES_BY_PEER;

	line_columns_add(ret, NULL, 0, &(struct table_column){
		.name = "line", .type = TABLE_UNSIGNED, .value = line_get_number,
		.heading = "Index", .width = 5 });
	line_columns_add(ret, strbuf_str(&place->top), 2, &(struct table_column){
		.name = "address", .value = line_get_hex, TABLE_MEMBER(struct cache_line, address),
		.heading = "Address", .width = ADDRESS_WIDTH });
	columns_add_memory(ret, place);
	line_columns_add(ret, tops[display], 0, &(struct table_column){
		.name = "share", .unit = TABLE_PERCENT, .type = TABLE_FLOAT,
		.value = line_get_share, .key = line_display_count(display),
		.heading = peer ? "Snoop" : "Hitm", .width = COUNT_WIDTH, .decimals = 2,
		.behind = "%" });
	columns_add_group(ret, "------- Load Hitm -------", !peer, hitms);
	columns_add_group(ret, "------- Load Peer -------", peer, peers);
	columns_add_count(ret, "Total", 0, "records", ACCESS_PLACED, "records", COUNT_WIDTH);
	columns_add_count(ret, "Total", 0, "loads", ACCESS_PLACED_LOADS, "Loads", COUNT_WIDTH);
	columns_add_count(ret, "Total", 0, "stores", ACCESS_STORES, "Stores", COUNT_WIDTH);
	columns_add_count(ret, "--------- Stores --------", 2, "stores_l1", ACCESS_STORE_L1, "L1Hit",
			  COUNT_WIDTH);
	columns_add_count(ret, NULL, 0, "stores_l1_miss", ACCESS_STORE_L1_MISS, "L1Miss",
			  COUNT_WIDTH);
	columns_add_count(ret, NULL, 0, "stores_unknown_level", ACCESS_STORE_UNKNOWN, "N/A",
			  COUNT_WIDTH);
	columns_add_count(ret, "----- Core Load Hit -----", 2, "loads_fill_buffer",
			  ACCESS_LOAD_FILL_BUFFER, "FB", COUNT_WIDTH);
	columns_add_count(ret, NULL, 0, "loads_l1", ACCESS_LOAD_L1, "L1", COUNT_WIDTH);
	columns_add_count(ret, NULL, 0, "loads_l2", ACCESS_LOAD_L2, "L2", COUNT_WIDTH);
	columns_add_count(ret, "- LLC Load Hit --", 1, "loads_llc", ACCESS_LOAD_LLC, "LclHit", 8);
	columns_add_count(ret, NULL, 0, NULL, ACCESS_LOCAL_HITM, "LclHitm", COUNT_WIDTH);
	columns_add_count(ret, "- RMT Load Hit --", 1, "loads_remote_cache",
			  ACCESS_LOAD_REMOTE_CACHE, "RmtHit", 8);
	columns_add_count(ret, NULL, 0, NULL, ACCESS_REMOTE_HITM, "RmtHitm", COUNT_WIDTH);
	columns_add_count(ret, "--- Load Dram ----", 1, "loads_local_ram", ACCESS_LOAD_LOCAL_RAM,
			  "Lcl", 8);
	columns_add_count(ret, NULL, 0, "loads_remote_ram", ACCESS_LOAD_REMOTE_RAM, "Rmt", 8);
	line_columns_add(ret, NULL, 0, &(struct table_column){
		.name = "cpus", .value = line_get_cpus, .data_only = true });
}

void cache_lines_add(const struct cache_line_text *text, const struct table_output *output,
		     struct strbuf *out)
{
	_cleanup_(strbuf) struct strbuf headings = STRBUF_INIT;
	struct place_columns place = { .top = STRBUF_INIT, .node_width = 4 };
	struct line_columns columns = { .nr = 0 };
	struct table table = {
		.name = "c2c_lines", .columns = columns.items, .data = text, .left = "  ",
		.between = "  ",
	};
	struct table_printer printer;

	for (size_t i = 0; i < text->lines->shown.nr; i++)
		place.node_width = nodes_width(&text->lines->shown.items[i]->sum.nodes,
					       place.node_width);
	add_dashed("Cacheline", ADDRESS_WIDTH + place.node_width + 6 + 4, &place.top);
	lines_add_columns(text, &place, &columns);
	columns_add_headings(&columns, &headings);
	table.nr = columns.nr;
	table.headings = strbuf_str(&headings);
	if (output->format == TABLE_AS_TEXT) {
		line_add_title("           Shared Data Cache Line Table", out);
		strbuf_addstr(out, "#\n");
	}
	table_begin(&printer, &table, output, out);
	for (size_t i = 0; i < text->lines->shown.nr; i++)
		table_add_row(&printer, text->lines->shown.items[i]);
	table_end(&printer);
	strbuf_deinit(&place.top);
}

/* The widths of the columns of a line's accesses that depend on their texts. */
struct access_widths {
	int thread, symbol, dso, source;
};

static void access_widen(int *width, size_t len)
{
	if ((int)len > *width)
		*width = len;
}

static struct access_widths access_widths(const struct cache_line_text *text,
					  const struct cache_line *line)
{
	struct access_widths widths = { 0 };
	int cut = text->full_symbols ? INT32_MAX : CUT_WIDTH;

	for (size_t i = 0; line && i < line->nr; i++) {
		const struct line_access *access = text->lines->accesses.items[line->first + i];

		access_widen(&widths.thread, strlen(access->comm) + 8);
		access_widen(&widths.symbol,
			     access->symbol ? strlen(access->symbol) + 4 : UNKNOWN_SYMBOL);
		access_widen(&widths.dso, access->symbol ? 0 : UNKNOWN_DSO);
		access_widen(&widths.dso, strlen(access->dso));
		access_widen(&widths.source, strlen(access->source));
		access_widen(&widths.source, strlen(SOURCE_HEADING));
	}
	widths.symbol = widths.symbol > cut ? cut : widths.symbol;
	widths.source = widths.source > cut ? cut : widths.source;
	return widths;
}

static bool accesses_have_key(const struct cache_line_text *text, enum access_key key)
{
	for (size_t i = 0; i < text->lines->options.keys.nr; i++)
		if (text->lines->options.keys.items[i] == key)
			return true;
	return false;
}

static void accesses_add_share(struct line_columns *ret, const char *top, unsigned int covered,
			       enum access_count count, const char *heading)
{
	line_columns_add(ret, top, covered, &(struct table_column){
		.type = TABLE_FLOAT, .value = access_get_share, .key = count, .heading = heading,
		.width = COUNT_WIDTH, .decimals = 2, .behind = "%" });
}

static void accesses_add_shares(const struct cache_line_text *text, struct line_columns *ret)
{
	bool peer = text->lines->options.display == LINES_BY_PEER;

	accesses_add_share(ret, peer ? "-- Peer Snoop --" : "----- HITM -----", 1,
			   peer ? ACCESS_REMOTE_PEER : ACCESS_REMOTE_HITM, peer ? "Rmt" : "RmtHitm");
	accesses_add_share(ret, NULL, 0, peer ? ACCESS_LOCAL_PEER : ACCESS_LOCAL_HITM,
			   peer ? "Lcl" : "LclHitm");
	accesses_add_share(ret, "------- Store Refs ------", 2, ACCESS_STORE_L1, "L1 Hit");
	accesses_add_share(ret, NULL, 0, ACCESS_STORE_L1_MISS, "L1 Miss");
	accesses_add_share(ret, NULL, 0, ACCESS_STORE_UNKNOWN, "N/A");
	columns_add_data_count(ret, "hitm_remote", ACCESS_REMOTE_HITM);
	columns_add_data_count(ret, "hitm_local", ACCESS_LOCAL_HITM);
	columns_add_data_count(ret, "peer_remote", ACCESS_REMOTE_PEER);
	columns_add_data_count(ret, "peer_local", ACCESS_LOCAL_PEER);
	columns_add_data_count(ret, "stores_l1", ACCESS_STORE_L1);
	columns_add_data_count(ret, "stores_l1_miss", ACCESS_STORE_L1_MISS);
	columns_add_data_count(ret, "stores_unknown_level", ACCESS_STORE_UNKNOWN);
}

static void accesses_add_latencies(const struct cache_line_text *text, struct line_columns *ret)
{
	static const struct {
		const char *name, *heading;
		bool peer, hitm;	/* in text with this display */
	} latencies[ACCESS_LATENCIES] = {
		[LATENCY_REMOTE_HITM] = { "hitm_remote_cycles", "rmt hitm", false, true },
		[LATENCY_LOCAL_HITM] = { "hitm_local_cycles", "lcl hitm", false, true },
		[LATENCY_REMOTE_PEER] = { "peer_remote_cycles", "rmt peer", true, false },
		[LATENCY_LOCAL_PEER] = { "peer_local_cycles", "lcl peer", true, false },
		[LATENCY_LOAD] = { "load_cycles", "load", true, true },
	};
	bool peer = text->lines->options.display == LINES_BY_PEER;
	const char *top = "---------- cycles ----------";

	for (size_t i = 0; i < ACCESS_LATENCIES; i++) {
		bool in_text = peer ? latencies[i].peer : latencies[i].hitm;

		line_columns_add(ret, in_text ? top : NULL, in_text && top ? 2 : 0,
			    &(struct table_column){
			.name = latencies[i].name, .type = TABLE_FLOAT,
			.value = access_get_latency, .add_text = access_add_latency_text, .key = i,
			.heading = latencies[i].heading, .width = 8, .data_only = !in_text });
		top = in_text ? NULL : top;
	}
}

static void accesses_add_tasks(const struct cache_line_text *text,
			       const struct access_widths *widths, struct line_columns *ret)
{
	if (accesses_have_key(text, ACCESS_BY_PID))
		line_columns_add(ret, NULL, 0, &(struct table_column){
			.name = "pid", .type = TABLE_SIGNED, TABLE_MEMBER(struct line_access, pid),
			.heading = "Pid", .width = 7 });
	if (!accesses_have_key(text, ACCESS_BY_TID))
		return;
	line_columns_add(ret, NULL, 0, &(struct table_column){
		.name = "tid", .type = TABLE_SIGNED, TABLE_MEMBER(struct line_access, tid),
		.data_only = true });
	line_columns_add(ret, NULL, 0, &(struct table_column){
		.name = "comm", TABLE_MEMBER(struct line_access, comm),
		.add_text = access_add_thread, .heading = "Tid", .width = -widths->thread });
}

static void accesses_add_code(const struct cache_line_text *text,
			      const struct access_widths *widths, struct line_columns *ret)
{
	bool code = accesses_have_key(text, ACCESS_BY_CODE);

	if (code)
		line_columns_add(ret, NULL, 0, &(struct table_column){
			.name = "symbol", TABLE_MEMBER(struct line_access, symbol),
			.add_text = access_add_symbol, .heading = "Symbol",
			.width = -widths->symbol, .cut = widths->symbol });
	if (code || accesses_have_key(text, ACCESS_BY_DSO))
		line_columns_add(ret, "Shared", 0, &(struct table_column){
			.name = "dso", TABLE_MEMBER(struct line_access, dso), .heading = "Object",
			.width = -widths->dso });
	if (code && text->lines->options.sources)
		line_columns_add(ret, NULL, 0, &(struct table_column){
			.name = "source", TABLE_MEMBER(struct line_access, source),
			.heading = SOURCE_HEADING, .width = -widths->source,
			.cut = widths->source });
}

static void accesses_add_columns(const struct cache_line_text *text,
				 const struct place_columns *place,
				 const struct access_widths *widths, struct line_columns *ret)
{
	const char *node_heading = text->nodes == NODE_NUMBERS ? "Node" :
				   text->nodes == NODE_CPUS ? "Node{cpu list}" :
				   text->lines->options.display == LINES_BY_PEER ?
				   "Node{cpus %peers %stores}" : "Node{cpus %hitms %stores}";

	line_columns_add(ret, NULL, 0, &(struct table_column){
		.name = "line", .type = TABLE_UNSIGNED, .value = access_get_line,
		.data_only = true });
	line_columns_add(ret, NULL, 0, &(struct table_column){
		.name = "address", .value = access_get_address, .data_only = true });
	line_columns_add(ret, NULL, 0, &(struct table_column){
		.add_text = access_add_nothing, .heading = "Num", .width = 5 });
	accesses_add_shares(text, ret);
	line_columns_add(ret, strbuf_str(&place->top), 2, &(struct table_column){
		.name = "offset", .value = line_get_hex, TABLE_MEMBER(struct line_access, offset),
		.heading = "Offset", .width = ADDRESS_WIDTH });
	columns_add_memory(ret, place);
	accesses_add_tasks(text, widths, ret);
	if (accesses_have_key(text, ACCESS_BY_CODE))
		line_columns_add(ret, NULL, 0, &(struct table_column){
			.name = "code", .value = line_get_hex,
			TABLE_MEMBER(struct line_access, code), .heading = "Code address",
			.width = ADDRESS_WIDTH });
	accesses_add_latencies(text, ret);
	columns_add_count(ret, "Total", 0, "records", ACCESS_PLACED, "records", COUNT_WIDTH);
	line_columns_add(ret, "cpu", 0, &(struct table_column){
		.name = "cpus", .unit = TABLE_COUNT, .type = TABLE_UNSIGNED,
		.value = line_get_cpu_count, .heading = "cnt", .width = 8 });
	line_columns_add(ret, NULL, 0, &(struct table_column){
		.name = "cpu_list", .value = line_get_cpus, .data_only = true });
	accesses_add_code(text, widths, ret);
	line_columns_add(ret, NULL, 0, &(struct table_column){
		.add_text = access_add_cpu_nodes, .heading = node_heading, .width = -4 });
}

/* The line above its accesses. */
static void accesses_add_line(const struct cache_line_text *text, const struct cache_line *line,
			      bool is_first, struct strbuf *out)
{
	static const struct table_output as_text = { .format = TABLE_AS_TEXT };
	bool peer = text->lines->options.display == LINES_BY_PEER;
	const enum access_count counts[] = {
		peer ? ACCESS_REMOTE_PEER : ACCESS_REMOTE_HITM,
		peer ? ACCESS_LOCAL_PEER : ACCESS_LOCAL_HITM,
		ACCESS_STORE_L1, ACCESS_STORE_L1_MISS, ACCESS_STORE_UNKNOWN,
	};
	char address[ADDRESS_WIDTH + 1];

	strbuf_addstr(out, is_first ? "" : "\n");
	table_add_rule(&as_text, "  ", RULE, out);
	strbuf_addf(out, "  %5zu", line->number);
	for (size_t i = 0; i < ARRAY_SIZE(counts); i++)
		strbuf_addf(out, "  %*" PRIu64, COUNT_WIDTH,
			    access_count(&line->sum.counts, counts[i]));
	snprintf(address, sizeof(address), "0x%" PRIx64, line->address);
	strbuf_addf(out, "  %*s\n", ADDRESS_WIDTH, address);
	table_add_rule(&as_text, "  ", RULE, out);
}

/* As in perf, each line's texts have their own widths, and the first line's are in the heading. */
static void accesses_add_rows(const struct cache_line_text *text, const struct cache_line *line,
			      const struct place_columns *place, const struct table_output *output,
			      struct strbuf *out)
{
	const struct access_widths widths = access_widths(text, line);
	_cleanup_(strbuf) struct strbuf headings = STRBUF_INIT;
	bool is_text = output->format == TABLE_AS_TEXT;
	struct line_columns columns = { .nr = 0 };
	struct table table = {
		.name = "c2c_accesses", .columns = columns.items, .data = text, .left = "  ",
		.between = "  ",
	};
	size_t nr = is_text ? (line ? line->nr : 0) : text->lines->accesses.nr;
	struct table_printer printer;

	accesses_add_columns(text, place, &widths, &columns);
	if (is_text && (!line || !line->number))
		columns_add_headings(&columns, &headings);
	if (is_text && line)
		accesses_add_line(text, line, !line->number, &headings);
	table.nr = columns.nr;
	table.headings = strbuf_str(&headings);
	table_begin(&printer, &table, output, out);
	for (size_t i = 0; i < nr; i++) {
		const struct line_access *access =
			text->lines->accesses.items[i + (is_text ? line->first : 0)];

		if (line_access_is_shown(text->lines, access))
			table_add_row(&printer, access);
	}
	table_end(&printer);
}

void line_accesses_add(const struct cache_line_text *text, const struct table_output *output,
		       struct strbuf *out)
{
	struct place_columns place = { .top = STRBUF_INIT, .node_width = 4 };
	const struct cache_lines *lines = text->lines;

	for (size_t i = 0; i < lines->accesses.nr; i++)
		place.node_width = nodes_width(&lines->accesses.items[i]->sum.nodes,
					       place.node_width);
	add_dashed("Data address", ADDRESS_WIDTH + place.node_width + 6 + 4, &place.top);
	if (output->format != TABLE_AS_TEXT) {
		accesses_add_rows(text, NULL, &place, output, out);
	} else {
		line_add_title("      Shared Cache Line Distribution Pareto", out);
		strbuf_addstr(out, "#\n");
		for (size_t i = 0; i < lines->shown.nr; i++)
			accesses_add_rows(text, lines->shown.items[i], &place, output, out);
	}
	strbuf_deinit(&place.top);
}

// SPDX-License-Identifier: GPL-2.0
#include "table/profile/histogram_text.h"

#include <inttypes.h>
#include <string.h>

#include "lib/color.h"
#include "table/profile/call_graph_text.h"
#include "table/profile/histogram_hierarchy.h"
#include "table/profile/histogram_table.h"

void histogram_text_add_only(const struct histogram_options *options, struct strbuf *ret)
{
	static const char *const names[] = {
		[KEY_COMM] = "comm", [KEY_DSO] = "dso", [KEY_SYMBOL] = "symbol",
	};

	for (const uint8_t *key = options->keys; *key; key++)
		if (histogram_table_only_name(options, *key))
			strbuf_addf(ret, "# %s: %s\n", names[*key],
				    histogram_table_only_name(options, *key));
}

/* As in perf, titles of sums and of fields stand at the right. */
static void add_title(struct strbuf *ret, const struct histogram_table *t, size_t column)
{
	const char *title = histogram_table_title(t, column);
	const struct histogram_cell *cell = &t->cells[column];
	size_t position;

	if (histogram_table_is_key(t, column, &position) &&
	    t->options.keys[position] != KEY_FIELD)
		histogram_key_text_add_left(ret, title, cell);
	else
		histogram_key_text_add_right(ret, title, cell);
}

static void add_separator(struct strbuf *ret, const struct histogram_table *t)
{
	if (t->report->separator)
		strbuf_addch(ret, t->report->separator);
	else
		strbuf_addstr(ret, "  ");
}

static void histogram_text_add_head(struct strbuf *ret, const struct histogram_table *t)
{
	strbuf_addf(ret, "%s# ", color_on(COLOR_HEADING));
	for (size_t i = 0; t->columns[i]; i++) {
		if (i)
			add_separator(ret, t);
		add_title(ret, t, i);
	}
	strbuf_addf(ret, "%s\n", color_off(COLOR_HEADING));
	if (t->report->separator)
		return;
	strbuf_addf(ret, "%s# ", color_on(COLOR_HEADING));
	for (size_t i = 0; t->columns[i]; i++) {
		if (i)
			strbuf_addstr(ret, "  ");
		for (size_t k = 0; k < t->cells[i].width; k++)
			strbuf_addch(ret, '.');
	}
	strbuf_addf(ret, "%s\n#\n", color_off(COLOR_HEADING));
}

/* As in perf, a separator inside of a value becomes a dot. */
static void replace_separators(struct strbuf *ret, const struct histogram_table *t, size_t from)
{
	for (size_t i = from; t->report->separator && i < ret->len; i++)
		if (ret->data[i] == t->report->separator)
			ret->data[i] = '.';
}

static void add_cells(struct strbuf *ret, const struct histogram_table *t,
		      const struct histogram_row *row)
{
	size_t position;

	strbuf_addstr(ret, t->report->separator ? "" : "  ");
	for (size_t i = 0; t->columns[i]; i++) {
		size_t from;

		if (i)
			add_separator(ret, t);
		from = ret->len;
		if (histogram_table_is_key(t, i, &position))
			histogram_key_text_add(ret, &t->options, position, &t->cells[i],
					       row->entry);
		else
			histogram_table_add_sums(t, i, row, ret);
		/* Only the last column may end where its name ends. */
		if (t->columns[i + 1])
			histogram_key_text_pad(ret, from, t->cells[i].width);
		replace_separators(ret, t, from);
	}
	strbuf_addch(ret, '\n');
}

static void add_graph(struct strbuf *ret, const struct histogram_table *t,
		      const struct histogram_row *row)
{
	const struct histogram_options *options = &t->options;
	const struct call_graph_whole whole = {
		.total = histogram_whole(t->first),
		.entry = options->children ? row->sums->children : row->sums->period,
		.skip_first = options->keys[0] == KEY_SYMBOL && !options->branch_history,
		.branch_history = options->branch_history,
		.columns = t->report->columns,
	};
	_cleanup_(call_graph) struct call_graph *graph = NULL;

	if (!row->leaf || t->report->separator ||
	    !call_graph_text_has_lines(&options->graph, &whole))
		return;
	if (histogram_graph(t->first, row->leaf, &graph))
		ret->failed = true;
	else
		call_graph_text_add(graph, &options->graph, &whole, ret);
}

/* Append "53 ", "4K" ...: perf's unit for small numbers is a blank. */
static void add_count(struct strbuf *ret, uint64_t value)
{
	static const char units[] = " KMG";
	size_t unit = 0;

	while (value > 1000 && unit < 3) {
		value /= 1000;
		unit++;
	}
	strbuf_addf(ret, "%" PRIu64 "%c", value, units[unit]);
}

/* Append the keys, as perf does for accesses to memory. */
static void histogram_text_add_order(const struct histogram_options *options, struct strbuf *ret)
{
	strbuf_addstr(ret, "# Sort order   : ");
	for (const uint8_t *key = options->keys; *key; key++)
		strbuf_addf(ret, "%s%s", key == options->keys ? "" : ",",
			    *key == KEY_FIELD ? options->fields[key - options->keys].name :
						histogram_key_name(*key));
	strbuf_addch(ret, '\n');
}

/* End the line with the name of an event, or perf's for the group, and with its times. */
static void add_events(const struct histogram_table *t, struct strbuf *ret)
{
	const struct report_events *events = t->events;

	if (events->nr == 1) {
		strbuf_addf(ret, " of event%s '%s'", events->of_group ? "s" : "",
			    events->names[0]);
	} else {
		strbuf_addf(ret, " of events '%s%s", events->title, *events->title ? " { " : "");
		for (size_t i = 0; i < events->nr; i++)
			strbuf_addf(ret, "%s%s", i ? ", " : "", events->names[i]);
		strbuf_addf(ret, "%s'", *events->title ? " }" : "");
	}
	if (t->report->times)
		strbuf_addf(ret, " (time slices: %s)", t->report->times);
	strbuf_addch(ret, '\n');
}

static void add_whole(const struct histogram_table *t, struct strbuf *ret)
{
	bool relative = t->options.relative;
	uint64_t samples = 0, period = 0;

	for (size_t i = 0; i < t->events->nr; i++) {
		const struct histogram *histogram = t->events->items[i];

		if (!histogram)
			continue;
		samples += relative ? histogram->shown_samples : histogram->samples;
		period += histogram_whole(histogram);
	}
	strbuf_addstr(ret, "# Samples: ");
	add_count(ret, samples);
	add_events(t, ret);
	strbuf_addf(ret, "# %s: %" PRIu64 "\n",
		    t->options.accesses ? "Total weight " : "Event count (approx.)", period);
}

static void histogram_text_add_list(struct histogram_table *t, struct strbuf *ret)
{
	if (histogram_table_fit(t, t->report->columns) && !t->report->quiet)
		strbuf_addstr(ret, "# '..' stands for the middle of a name that is too wide for "
			      "this terminal.\n#\n");
	if (!t->report->quiet)
		histogram_text_add_head(ret, t);
	for (size_t i = 0; i < t->rows.nr; i++) {
		const struct histogram_row *row = &t->rows.items[i];

		if (histogram_table_percent(t, row) < t->report->limit)
			continue;
		add_cells(ret, t, row);
		add_graph(ret, t, row);
	}
}

static void histogram_text_add_hierarchy(const struct histogram_table *t, struct strbuf *ret)
{
	if (!t->report->quiet)
		histogram_hierarchy_add_head(t, ret);
	for (size_t i = 0; i < t->rows.nr; i++) {
		const struct histogram_row *row = &t->rows.items[i];

		if (histogram_table_percent(t, row) < t->report->limit)
			continue;
		histogram_hierarchy_add_row(t, i, ret);
		add_graph(ret, t, row);
	}
}

static void add_table_head(const struct histogram_table *t, struct strbuf *ret)
{
	add_whole(t, ret);
	if (t->options.accesses)
		histogram_text_add_order(&t->options, ret);
	if (t->options.socket)
		strbuf_addf(ret, "# Processor Socket: %d\n", *t->options.socket);
	strbuf_addstr(ret, "#\n");
}

struct error *histogram_text_add(const struct report_events *events,
				 const struct report_options *report, struct strbuf *ret)
{
	struct histogram_table t;
	struct error *err = histogram_table_init(&t, events, report);

	if (!err) {
		if (!report->quiet)
			add_table_head(&t, ret);
		if (t.nr_levels)
			histogram_text_add_hierarchy(&t, ret);
		else
			histogram_text_add_list(&t, ret);
		strbuf_addstr(ret, "\n\n");
	}
	histogram_table_deinit(&t);
	return err;
}

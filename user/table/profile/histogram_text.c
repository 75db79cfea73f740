// SPDX-License-Identifier: GPL-2.0
#include "table/profile/histogram_text.h"

#include <inttypes.h>
#include <string.h>

#include "lib/color.h"
#include "profile/histogram/histogram_rows.h"
#include "table/profile/call_graph_text.h"
#include "table/profile/histogram_key_text.h"

/*
 * The table of a histogram, or of those of a group of events: its rows, its columns and their
 * widths.
 */

struct histogram_table {
	const struct report_events *events;
	const struct histogram *first;		/* the first one with samples */
	const struct report_options *report;
	struct histogram_options options;	/* with all columns */
	uint8_t columns[MAX_COLUMNS];		/* that fit; ends with 0 */
	struct histogram_cell cells[MAX_COLUMNS];	/* of columns */
	uint8_t levels[MAX_KEYS];		/* of the hierarchy: positions of keys */
	size_t nr_levels;			/* 0: it is a list */
	struct histogram_rows rows;
};

/* How narrow a column of names may become on a terminal. */
#define NAME_WIDTH_MIN	10

/* The columns of sums: their titles, and how wide their values are. */
static const struct metric_column {
	const char *title;
	uint8_t width;
	bool percent;
} metrics[] = {
	[METRIC_CHILDREN] = { "Children", 8, true }, [METRIC_OVERHEAD] = { "Overhead", 8, true },
	[METRIC_SYS] = { "sys", 8, true }, [METRIC_USER] = { "usr", 8, true },
	[METRIC_SAMPLES] = { "Samples", 12, false }, [METRIC_PERIOD] = { "Period", 12, false },
	[METRIC_LATENCY] = { "Latency", 8, true },
};

/* The only name that a key can have, so that it needs no column; NULL: there are several. */
static const char *histogram_table_only_name(const struct histogram_options *options,
					     enum histogram_key key)
{
	const char *list = key == KEY_COMM ? options->comms :
			   key == KEY_DSO ? options->dsos :
			   key == KEY_SYMBOL ? options->symbols : NULL;

	return list && !strchr(list, ',') ? list : NULL;
}

/* Whether a column has values of a key, and the position of that key in the options. */
static bool histogram_table_is_key(const struct histogram_table *t, size_t column, size_t *position)
{
	return histogram_column_is_key(t->columns[column], position);
}

static const char *histogram_table_title(const struct histogram_table *t, size_t column)
{
	size_t position;

	if (histogram_table_is_key(t, column, &position))
		return histogram_key_text_title(&t->options, position);
	if (t->columns[column] == METRIC_OVERHEAD && t->options.children && !*t->options.order)
		return "Self";
	return metrics[t->columns[column]].title;
}

static size_t narrowest_column(enum histogram_key key)
{
	/* Addresses without names are not cut. */
	return key == KEY_SYMBOL ? ADDRESS_WIDTH : key == KEY_PID ? NAME_WIDTH_MIN + 2 :
	       NAME_WIDTH_MIN;
}

/* Find the widest column of names; MAX_COLUMNS: none can become narrower. */
static size_t widest_column(const struct histogram_table *t)
{
	size_t widest = MAX_COLUMNS, position;

	for (size_t i = 0; t->columns[i]; i++)
		if (histogram_table_is_key(t, i, &position) &&
		    t->cells[i].width > narrowest_column(t->options.keys[position]) &&
		    (widest == MAX_COLUMNS || t->cells[i].width > t->cells[widest].width))
			widest = i;
	return widest;
}

/* Make columns narrower until a line has at most @columns.  Returns whether any was narrowed. */
static bool histogram_table_fit(struct histogram_table *t, size_t columns)
{
	bool fitted = false;
	size_t total = 0;

	for (size_t i = 0; t->columns[i]; i++)
		total += 2 + t->cells[i].width;
	for (; columns && total > columns; total--) {
		size_t widest = widest_column(t);

		if (widest == MAX_COLUMNS)
			break;
		t->cells[widest].width--;
		t->cells[widest].cut_end = false;
		fitted = true;
	}
	return fitted;
}

static double share(uint64_t part, uint64_t whole)
{
	return whole ? 100.0 * part / whole : 0;
}

static uint64_t event_whole(const struct histogram_table *t, size_t event)
{
	const struct histogram *histogram = t->events->items[event];

	return histogram ? histogram_whole(histogram) : 0;
}

static uint64_t event_whole_latency(const struct histogram_table *t, size_t event)
{
	const struct histogram *histogram = t->events->items[event];

	return histogram ? histogram_whole_latency(histogram) : 0;
}

/* The percentage by which a row of the first event is left out, or not. */
static double histogram_table_percent(const struct histogram_table *t,
				      const struct histogram_row *row)
{
	return share(t->options.children ? row->sums->children : row->sums->period,
		     event_whole(t, 0));
}

/*
 * Append a row's values in a column of sums: one for each event.  As in perf, a blank precedes each
 * value, also with a separator and in narrow columns.
 */
static void histogram_table_add_sums(const struct histogram_table *t, size_t column,
				     const struct histogram_row *row, struct strbuf *ret)
{
	const struct metric_column *metric = &metrics[t->columns[column]];
	int width = t->report->widths[column] ? t->report->widths[column] : metric->width;

	if (t->report->separator)
		width = 0;
	for (size_t i = 0; i < t->events->nr; i++) {
		uint64_t value = histogram_sum(&row->sums[i], t->columns[column]);
		double percent = share(value, t->columns[column] == METRIC_LATENCY ?
					      event_whole_latency(t, i) : event_whole(t, i));
		enum color_role role = color_of_percent(percent);

		strbuf_addch(ret, ' ');
		if (metric->percent)
			strbuf_addf(ret, "%s%*.2f%%%s", color_on(role), width > 2 ? width - 2 : 0,
				    percent, color_off(role));
		else
			strbuf_addf(ret, "%*" PRIu64, width > 1 ? width - 1 : 0, value);
	}
}

/* Fields are as wide as in perf: for numbers, as their hexadecimal digits. */
static size_t field_width(const struct field *field)
{
	size_t width = strlen(field->name), size = field->size;

	if (field->kind == FIELD_INTEGER)
		size = field->size * 2 + 2;
	else if (field->kind > FIELD_ARRAY)
		size = 0;
	return width > size ? width : size;
}

/* As in perf, columns of sums have room for their titles, and for all events. */
static size_t sums_width(const struct histogram_table *t, size_t column)
{
	size_t title = strlen(histogram_table_title(t, column));
	size_t least = metrics[t->columns[column]].width, wanted = t->report->widths[column];
	size_t width = wanted ? wanted : least;

	if (t->events->nr > 1 && t->events->nr * least > width)
		width = t->events->nr * least;
	return width < title ? title : width;
}

static size_t key_width(const struct histogram_table *t, size_t position,
			const struct field *field)
{
	size_t width = field ? field_width(field) :
			       histogram_key_text_least(t->options.keys[position]);

	for (size_t i = 0; i < t->rows.nr; i++) {
		size_t wanted = histogram_key_text_width(&t->options, position,
							 t->rows.items[i].entry);

		if (wanted > width && (!field || field->kind > FIELD_ARRAY))
			width = wanted;
	}
	return width;
}

static const struct field *histogram_find_field(const struct histogram_table *t, size_t position)
{
	const struct histogram_field *field = &t->options.fields[position];

	if (!t->first->format || (field->event && field->event != t->first->event->index + 1))
		return NULL;
	return event_format_field(t->first->format, field->name);
}

/* Find the columns of a table and their widths: its events may have no such field. */
static void histogram_choose_columns(struct histogram_table *t)
{
	size_t nr = 0, position;

	for (const uint8_t *column = t->options.columns; *column; column++) {
		const struct field *field = NULL;

		t->columns[nr] = *column;
		if (!histogram_column_is_key(*column, &position)) {
			t->cells[nr].width = sums_width(t, nr);
			nr++;
			continue;
		}
		if (histogram_table_only_name(&t->options, t->options.keys[position]))
			continue;
		if (t->options.keys[position] == KEY_FIELD) {
			field = histogram_find_field(t, position);
			if (!field)
				continue;
		}
		t->cells[nr].width = key_width(t, position, field);
		if (t->report->widths[nr])
			t->cells[nr] = (struct histogram_cell){ t->report->widths[nr], true };
		nr++;
	}
	t->columns[nr] = 0;
}

/* @events and @report are borrowed.  The only error is a lack of memory. */
static struct error *histogram_table_init(struct histogram_table *t,
					  const struct report_events *events,
					  const struct report_options *report)
{
	struct histogram_group group = {
		.options = &report->histogram, .events = events->items, .nr = events->nr,
		.sort_event = report->sort_event, .levels = t->levels,
	};
	struct error *err;

	*t = (struct histogram_table){
		.events = events, .report = report, .options = report->histogram,
	};
	for (size_t i = 0; i < events->nr && !t->first; i++)
		t->first = events->items[i];
	histogram_columns_complete(&t->options);
	for (size_t i = 0; report->hierarchy && t->options.keys[i]; i++)
		t->levels[t->nr_levels++] = i;
	group.nr_levels = t->nr_levels;
	err = histogram_rows_make(&group, &t->rows);
	if (!err)
		histogram_choose_columns(t);
	return err;
}

static void histogram_table_deinit(struct histogram_table *t)
{
	histogram_rows_deinit(&t->rows);
}

/* How far each level is indented, as in perf. */
#define INDENT	3

static size_t deepest_indent(const struct histogram_table *t)
{
	return t->report->separator ? 0 : (t->nr_levels - 1) * INDENT;
}

static void add_between(const struct histogram_table *t, struct strbuf *ret)
{
	if (t->report->separator)
		strbuf_addch(ret, t->report->separator);
	else
		strbuf_addstr(ret, "  ");
}

static void add_dots(struct strbuf *ret, size_t nr)
{
	while (nr--)
		strbuf_addch(ret, '.');
}

/* The cell of the key at @position of the options; NULL: it has no column. */
static const struct histogram_cell *cell_of_key(const struct histogram_table *t, size_t position)
{
	size_t key;

	for (size_t i = 0; t->columns[i]; i++)
		if (histogram_table_is_key(t, i, &key) && key == position)
			return &t->cells[i];
	return NULL;
}

/* The titles of all levels, and how wide the texts below them are. */
static size_t add_levels(const struct histogram_table *t, struct strbuf *ret)
{
	size_t from = ret->len, widest;

	for (size_t i = 0; i < t->nr_levels; i++)
		strbuf_addf(ret, "%s%s", i ? " / " : "",
			    histogram_key_text_title(&t->options, t->levels[i]) +
			    strspn(histogram_key_text_title(&t->options, t->levels[i]), " "));
	widest = ret->len - from;
	for (size_t i = 0; i < t->nr_levels; i++) {
		const struct histogram_cell *cell = cell_of_key(t, t->levels[i]);
		size_t width = i * INDENT + (cell ? cell->width : 0);

		if (width > widest)
			widest = width;
	}
	return widest;
}

static void histogram_hierarchy_add_head(const struct histogram_table *t, struct strbuf *ret)
{
	bool is_first = true;
	size_t width, key;

	strbuf_addf(ret, "%s# ", color_on(COLOR_HEADING));
	strbuf_add_spaces(ret, deepest_indent(t));
	for (size_t i = 0; t->columns[i]; i++) {
		if (histogram_table_is_key(t, i, &key))
			continue;
		histogram_key_text_add_right(ret, histogram_table_title(t, i), &t->cells[i]);
		add_between(t, ret);
	}
	width = add_levels(t, ret);
	strbuf_addstr(ret, "\n# ");
	add_dots(ret, deepest_indent(t));
	for (size_t i = 0; t->columns[i]; i++) {
		if (histogram_table_is_key(t, i, &key))
			continue;
		if (!is_first && t->report->separator)
			strbuf_addch(ret, t->report->separator);
		else if (!is_first)
			strbuf_addstr(ret, "..");
		is_first = false;
		add_dots(ret, t->cells[i].width);
	}
	add_between(t, ret);
	add_dots(ret, width);
	strbuf_addf(ret, "%s\n#\n", color_off(COLOR_HEADING));
}

/* Append the value of a level, without the blanks that numbers begin with. */
static void add_key(const struct histogram_table *t, const struct histogram_row *row,
		    struct strbuf *ret)
{
	size_t position = t->levels[row->level];
	const struct histogram_cell *cell = cell_of_key(t, position);
	_cleanup_(strbuf) struct strbuf text = STRBUF_INIT;

	if (cell)
		histogram_key_text_add(&text, &t->options, position, cell, row->entry);
	else
		histogram_key_text_add_whole(&text, &t->options, position, row->entry);
	ret->failed |= text.failed;
	strbuf_addstr(ret, strbuf_str(&text) + strspn(strbuf_str(&text), " "));
}

/* The width of all columns of sums, with the blanks between them. */
static size_t sums_width_of(const struct histogram_table *t)
{
	size_t width = 0, key;

	for (size_t i = 0; t->columns[i]; i++)
		if (!histogram_table_is_key(t, i, &key))
			width += t->cells[i].width + (width ? 2 : 0);
	return width;
}

/* Whether a row above the limit is directly below. */
static bool has_children_shown(const struct histogram_table *t, size_t position)
{
	const struct histogram_row *rows = t->rows.items;

	for (size_t i = position + 1; i < rows[position].end; i = rows[i].end)
		if (histogram_table_percent(t, &rows[i]) >= t->report->limit)
			return true;
	return false;
}

/* Append the row at a position, and a line below it if none of its own rows is large enough. */
static void histogram_hierarchy_add_row(const struct histogram_table *t, size_t position,
					struct strbuf *ret)
{
	const struct histogram_row *row = &t->rows.items[position];
	bool is_first = true;
	size_t key, from;

	strbuf_add_spaces(ret, row->level * INDENT);
	for (size_t i = 0; t->columns[i]; i++) {
		if (histogram_table_is_key(t, i, &key))
			continue;
		if (!is_first || !t->report->separator)
			add_between(t, ret);
		is_first = false;
		from = ret->len;
		histogram_table_add_sums(t, i, row, ret);
		histogram_key_text_pad(ret, from, t->cells[i].width);
	}
	strbuf_add_spaces(ret, deepest_indent(t));
	add_between(t, ret);
	add_key(t, row, ret);
	strbuf_addch(ret, '\n');
	if (row->level + 1 == t->nr_levels || has_children_shown(t, position))
		return;
	if (!t->report->separator)
		strbuf_add_spaces(ret, (t->nr_levels + row->level) * INDENT);
	strbuf_add_spaces(ret, sums_width_of(t) + 4);
	strbuf_addf(ret, "no entry >= %.2f%%\n", t->report->limit);
}

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

/* As in perf, titles of sums and of fields are aligned to the right. */
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
		strbuf_addstr(ret, "# '..' replaces the middle of a name that is too wide for this "
			      "terminal.\n#\n");
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

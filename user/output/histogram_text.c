// SPDX-License-Identifier: GPL-2.0
#include "output/histogram_text.h"

#include <inttypes.h>
#include <string.h>

#include "lib/color.h"
#include "lib/escape.h"
#include "lib/terminal.h"
#include "output/call_graph_text.h"

/* The width of "0x" and 16 digits, with "[k] " before them. */
#define ADDRESS_WIDTH	22

/* How narrow a column of names may become on a terminal. */
#define NAME_WIDTH_MIN	10

/* The width of a column for binaries if an address in it has no name. */
#define UNKNOWN_WIDTH	16

static const char *const titles[] = {
	[KEY_COMM] = "Command", [KEY_DSO] = "Shared Object", [KEY_SYMBOL] = "Symbol",
	[KEY_PID] = "    Pid:Command", [KEY_CPU] = "CPU",
};

static const char *histogram_text_dso_text(const struct histogram_entry *entry)
{
	return entry->dso ? entry->dso->short_name : "[unknown]";
}

static size_t width_of(enum histogram_key key, const struct histogram_entry *entry)
{
	switch (key) {
	case KEY_COMM:
		return strlen(entry->comm);
	case KEY_PID:
		return strlen(entry->task) + 8;
	case KEY_DSO:
		if (!entry->symbol && !entry->dso)
			return UNKNOWN_WIDTH;
		return strlen(histogram_text_dso_text(entry));
	case KEY_SYMBOL:
		return entry->symbol ? strlen(entry->symbol->name) + 4 : ADDRESS_WIDTH;
	case KEY_CPU:
		return 3;
	}
	return 0;
}

static void add_repeated(struct strbuf *ret, char c, size_t nr)
{
	while (nr--)
		strbuf_addch(ret, c);
}

/* Append a name of at most @width bytes; a wider one is cut to as many columns. */
static void histogram_text_add_name(struct strbuf *ret, const char *text, size_t width)
{
	size_t from = ret->len;

	terminal_add_cut(ret, text, width);
	escape_line_ends(ret, from);
}

static void histogram_text_add_left(struct strbuf *ret, const char *text, size_t width)
{
	size_t len = strlen(text);

	histogram_text_add_name(ret, text, width);
	add_repeated(ret, ' ', len < width ? width - len : 0);
}

static void add_value(struct strbuf *ret, enum histogram_key key, size_t width,
		      const struct histogram_entry *entry)
{
	switch (key) {
	case KEY_COMM:
		histogram_text_add_left(ret, entry->comm, width);
		break;
	case KEY_PID:
		strbuf_addf(ret, "%7d:", entry->tid);
		histogram_text_add_left(ret, entry->task, width - 8);
		break;
	case KEY_DSO:
		histogram_text_add_left(ret, histogram_text_dso_text(entry), width);
		break;
	case KEY_SYMBOL:
		strbuf_addf(ret, "[%c] ", entry->level);
		if (entry->symbol)
			histogram_text_add_name(ret, entry->symbol->name, width - 4);
		else
			strbuf_addf(ret, "%#.16" PRIx64, entry->address);
		break;
	case KEY_CPU:
		strbuf_addf(ret, "%.3d", entry->cpu);
		break;
	}
}

/* The only name that @key can have, so that it needs no column; NULL: there are several. */
static const char *only_name(const struct histogram_options *options, enum histogram_key key)
{
	const char *list = key == KEY_COMM ? options->comms :
			   key == KEY_DSO ? options->dsos :
			   key == KEY_SYMBOL ? options->symbols : NULL;

	return list && !strchr(list, ',') ? list : NULL;
}

void histogram_text_add_only(const struct histogram_options *options, struct strbuf *ret)
{
	static const char *const names[] = {
		[KEY_COMM] = "comm", [KEY_DSO] = "dso", [KEY_SYMBOL] = "symbol",
	};

	for (const uint8_t *key = options->keys; *key; key++)
		if (only_name(options, *key))
			strbuf_addf(ret, "# %s: %s\n", names[*key], only_name(options, *key));
}

static void add_percent(struct strbuf *ret, double percent)
{
	enum color_role role = color_of_percent(percent);

	strbuf_addf(ret, "%s%9.2f%%%s", color_on(role), percent, color_off(role));
}

static bool histogram_text_is_shown(const struct histogram_options *options, size_t i)
{
	return !only_name(options, options->keys[i]);
}

static void histogram_text_add_head(struct strbuf *ret, const struct histogram_options *options,
				    const size_t *widths)
{
	strbuf_addf(ret, "%s%s", color_on(COLOR_HEADING),
		    options->children ? "# Children      Self" : "# Overhead");
	for (size_t i = 0; options->keys[i]; i++) {
		if (!histogram_text_is_shown(options, i))
			continue;
		strbuf_addstr(ret, "  ");
		histogram_text_add_left(ret, titles[options->keys[i]], widths[i]);
	}
	strbuf_addf(ret, "%s\n%s", color_off(COLOR_HEADING),
		    options->children ? "# ........  ........" : "# ........");
	for (size_t i = 0; options->keys[i]; i++) {
		if (!histogram_text_is_shown(options, i))
			continue;
		strbuf_addstr(ret, "  ");
		add_repeated(ret, '.', widths[i]);
	}
	strbuf_addstr(ret, "\n#\n");
}

static size_t narrowest_column(enum histogram_key key)
{
	/* Addresses without names are not cut. */
	return key == KEY_SYMBOL ? ADDRESS_WIDTH : key == KEY_PID ? NAME_WIDTH_MIN + 2 :
	       NAME_WIDTH_MIN;
}

/* Find the widest column of names; MAX_KEYS: none can become narrower. */
static size_t widest_column(const struct histogram_options *options, const size_t *widths)
{
	size_t widest = MAX_KEYS;

	for (size_t i = 0; options->keys[i]; i++)
		if (histogram_text_is_shown(options, i) &&
		    widths[i] > narrowest_column(options->keys[i]) &&
		    (widest == MAX_KEYS || widths[i] > widths[widest]))
			widest = i;
	return widest;
}

/* Make columns narrower until a line has at most @columns.  Returns whether one was. */
static bool fit_columns(const struct histogram_options *options, size_t columns,
			size_t *widths)
{
	size_t total = options->children ? 20 : 10;
	bool fitted = false;

	for (size_t i = 0; options->keys[i]; i++)
		total += histogram_text_is_shown(options, i) ? 2 + widths[i] : 0;
	for (; columns && total > columns; total--) {
		size_t widest = widest_column(options, widths);

		if (widest == MAX_KEYS)
			break;
		widths[widest]--;
		fitted = true;
	}
	return fitted;
}

static double share(uint64_t part, uint64_t whole)
{
	return whole ? 100.0 * part / whole : 0;
}

static void add_entry(struct strbuf *ret, const struct histogram *histogram,
		      const struct report_options *report, const size_t *widths,
		      const struct histogram_entry *entry)
{
	const struct histogram_options *options = &report->histogram;
	const struct call_graph_whole whole = {
		.total = histogram->period,
		.entry = options->children ? entry->children : entry->period,
		.skip_first = options->keys[0] == KEY_SYMBOL,
		.columns = report->columns,
	};
	_cleanup_(call_graph) struct call_graph *graph = NULL;

	if (options->children)
		add_percent(ret, share(entry->children, histogram->period));
	add_percent(ret, share(entry->period, histogram->period));
	for (size_t i = 0; options->keys[i]; i++) {
		if (!histogram_text_is_shown(options, i))
			continue;
		strbuf_addstr(ret, "  ");
		add_value(ret, options->keys[i], widths[i], entry);
	}
	strbuf_addch(ret, '\n');
	if (!call_graph_text_has_lines(&options->graph, &whole))
		return;
	if (histogram_graph(histogram, entry, &graph))
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

void histogram_text_add(const struct histogram *histogram, const struct report_options *report,
			struct strbuf *ret)
{
	const struct histogram_options *options = &report->histogram;
	size_t widths[MAX_KEYS] = { 0 };

	for (size_t i = 0; options->keys[i]; i++) {
		widths[i] = strlen(titles[options->keys[i]]);
		for (size_t k = 0; k < histogram->nr; k++) {
			size_t width = width_of(options->keys[i], histogram->items[k]);

			if (width > widths[i])
				widths[i] = width;
		}
	}
	strbuf_addstr(ret, "# Samples: ");
	add_count(ret, histogram->samples);
	strbuf_addf(ret, " of event '%s'\n# Event count (approx.): %" PRIu64 "\n#\n",
		    histogram->event->name, histogram->period);
	if (fit_columns(options, report->columns, widths))
		strbuf_addstr(ret, "# '..' stands for the middle of a name that is too wide for "
			      "this terminal.\n#\n");
	histogram_text_add_head(ret, options, widths);
	for (size_t i = 0; i < histogram->nr; i++) {
		const struct histogram_entry *entry = histogram->items[i];
		uint64_t part = options->children ? entry->children : entry->period;

		if (share(part, histogram->period) >= report->limit)
			add_entry(ret, histogram, report, widths, entry);
	}
	strbuf_addstr(ret, "\n\n");
}

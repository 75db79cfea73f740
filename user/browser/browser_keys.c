// SPDX-License-Identifier: GPL-2.0
#include "browser/browser_keys.h"

#include <stdlib.h>

#include "lib/color.h"
#include "table/profile/histogram_text.h"

static struct error *browser_out(struct browser *b)
{
	return browser_zoom_out(b);
}

static struct error *browser_no_chains(struct browser *b)
{
	browser_tell(b, "This row has no call chains.  ktrace record -g records them.");
	return NULL;
}

static struct error *browser_toggle(struct browser *b)
{
	const struct browser_row *row = browser_current(b);

	if (!row || row->fold == ' ')
		return row && !row->node ? browser_no_chains(b) : NULL;
	if (!expansions_set(&b->view.expansions, row->id, row->fold == '+'))
		return &error_no_memory;
	return browser_rebuild(b, false);
}

static struct error *browser_toggle_whole(struct browser *b)
{
	const struct browser_row *row = browser_current(b);
	uint64_t id;

	if (!row)
		return NULL;
	while (row->node)
		row--;
	if (row->fold == ' ')
		return browser_no_chains(b);
	id = row->id;
	b->place.cursor = row - b->rows.items;
	if (!expansions_set_whole(&b->view.expansions, id, row->fold == '+'))
		return &error_no_memory;
	return browser_rebuild(b, false);
}

static struct error *browser_set_expanded(struct browser *b, bool all)
{
	const struct browser_row *row = browser_current(b);

	/* Of a hierarchy, only the first level stays when all is collapsed. */
	while (row && (row->node || (!all && row->level)))
		row--;
	if (row)
		b->place.cursor = row - b->rows.items;
	expansions_set_all(&b->view.expansions, all);
	return browser_rebuild(b, false);
}

static struct error *browser_expand_all(struct browser *b)
{
	return browser_set_expanded(b, true);
}

static struct error *browser_collapse_all(struct browser *b)
{
	return browser_set_expanded(b, false);
}

static struct error *browser_enter(struct browser *b)
{
	const struct browser_row *row = browser_current(b);

	bool folds = row && (row->node || row->inner) && row->fold != ' ';

	return folds ? browser_toggle(b) : browser_open_menu(b);
}

static struct error *browser_zoom_dso(struct browser *b)
{
	return browser_toggle_zoom(b, ZOOM_DSO);
}

static struct error *browser_zoom_kernel(struct browser *b)
{
	const struct browser_row *row = browser_current(b);

	for (size_t i = 0; i < b->nr_zooms; i++)
		if (b->zooms[i] == ZOOM_KERNEL)
			return browser_toggle_zoom(b, ZOOM_KERNEL);
	/* Any entry of the kernel's own binary does. */
	if (!row || !browser_can_zoom(b, row, ZOOM_KERNEL)) {
		for (size_t i = 0; i < b->rows.nr; i++) {
			row = &b->rows.items[i];
			if (!row->node && browser_can_zoom(b, row, ZOOM_KERNEL)) {
				b->place.cursor = i;
				break;
			}
		}
	}
	return browser_toggle_zoom(b, ZOOM_KERNEL);
}

static struct error *browser_zoom_task(struct browser *b)
{
	const struct browser_row *row = browser_current(b);
	bool threads = row && browser_can_zoom(b, row, ZOOM_THREAD);

	return browser_toggle_zoom(b, threads ? ZOOM_THREAD : ZOOM_COMM);
}

static struct error *browser_annotate(struct browser *b)
{
	const struct browser_row *row = browser_current(b);
	struct error *err;

	if (!row)
		return NULL;
	if (!b->listings.source.functions ||
	    (row->inner && !browser_can_zoom(b, row, ZOOM_SYMBOL))) {
		browser_tell(b, "There is no code to show here.");
		return NULL;
	}
	err = listings_open(&b->listings, row->entry->dso, row->entry->symbol,
			    browser_histogram(b)->event->index);
	if (!err)
		browser_show_listing(b);
	return err;
}

static struct error *browser_ask_filter(struct browser *b)
{
	return browser_open_prompt(b, PROMPT_FILTER, b->filter_text);
}

static struct error *browser_ask_limit(struct browser *b)
{
	return browser_open_prompt(b, PROMPT_LIMIT, NULL);
}

static struct error *browser_ask_times(struct browser *b)
{
	if (!b->hooks.slice) {
		browser_tell(b, "Only the samples of a file can be selected by time.");
		return NULL;
	}
	return browser_open_prompt(b, PROMPT_TIMES, NULL);
}

static struct error *browser_toggle_relative(struct browser *b)
{
	b->view.relative = !b->view.relative;
	browser_tell(b, b->view.relative ? "Percentages refer to the entries that pass the "
		     "filters." :
		     "Percentages refer to all entries.");
	return browser_rebuild(b, false);
}

static struct error *browser_toggle_head(struct browser *b)
{
	b->no_head = !b->no_head;
	return NULL;
}

static struct error *browser_toggle_samples(struct browser *b)
{
	b->view.samples = !b->view.samples;
	b->fitted = false;
	return NULL;
}

static struct error *browser_turn_event(struct browser *b, size_t step)
{
	size_t nr = b->events->nr, event = b->event;

	for (size_t i = 1; i < nr; i++) {
		event = (event + step) % nr;
		if (!histograms_get(b->histograms, event))
			continue;
		b->event = event;
		b->place.cursor = b->place.top = 0;
		return browser_rebuild(b, true);
	}
	browser_tell(b, "No other event has samples.");
	return NULL;
}

static struct error *browser_next_event(struct browser *b)
{
	return browser_turn_event(b, 1);
}

static struct error *browser_previous_event(struct browser *b)
{
	return browser_turn_event(b, b->events->nr - 1);
}

static struct error *browser_show_header(struct browser *b)
{
	struct error *err;

	if (!b->hooks.header) {
		browser_tell(b, "There is no recording to describe.");
		return NULL;
	}
	strbuf_reset(&b->page);
	err = b->hooks.header(b->hooks.data, &b->page);
	return err ? err : browser_open_page(b, "Header of the recording");
}

static struct error *browser_open_file(struct browser *b, const char *name)
{
	return b->hooks.open_file(b->hooks.data, name);
}

static struct error *browser_ask_file(struct browser *b)
{
	_cleanup_(strbuf) struct strbuf names = STRBUF_INIT;
	struct error *err;

	if (!b->hooks.files) {
		browser_tell(b, "There are no other recordings here.");
		return NULL;
	}
	err = b->hooks.files(b->hooks.data, &names);
	return err ? err : browser_open_names(b, &names, browser_open_file);
}

static struct error *browser_run_script(struct browser *b, const char *name)
{
	struct error *err;

	strbuf_reset(&b->page);
	err = b->hooks.run_script(b->hooks.data, name, &b->page);
	return err ? err : browser_open_page(b, "Output of the script");
}

static struct error *browser_ask_script(struct browser *b)
{
	_cleanup_(strbuf) struct strbuf names = STRBUF_INIT;
	struct error *err;

	if (!b->hooks.scripts) {
		browser_tell(b, "There are no scripts here.");
		return NULL;
	}
	err = b->hooks.scripts(b->hooks.data, &names);
	return err ? err : browser_open_names(b, &names, browser_run_script);
}

static struct error *browser_print(struct browser *b)
{
	const struct histogram *histogram = browser_histogram(b);
	const char *name;
	const struct report_events events = {
		.items = &histogram, .names = &name, .nr = 1, .title = "",
	};
	struct report_options report = *b->report;
	_cleanup_(strbuf) struct strbuf text = STRBUF_INIT;
	enum color_mode mode = color_mode;
	struct error *err;

	if (!histogram)
		return NULL;
	name = histogram->event->name;
	report.columns = 0;
	report.limit = b->view.limit;
	/* A file has no colours. */
	color_mode = COLOR_NEVER;
	err = histogram_text_add(&events, &report, &text);
	color_mode = mode;
	return err ? err : browser_write_text(b, "perf.hist", true, &text);
}

static struct error *browser_toggle_zero(struct browser *b)
{
	b->zero = !b->zero;
	b->hooks.zero(b->hooks.data, b->zero);
	browser_tell(b, b->zero ? "Each refresh begins at zero." :
		     "Older samples count less at each refresh.");
	return NULL;
}

static struct error *browser_toggle_frozen(struct browser *b)
{
	b->frozen = !b->frozen;
	browser_tell(b, b->frozen ? "The rows are frozen; recording goes on." :
		     "The rows are refreshed again.");
	return NULL;
}

static struct error *browser_write(struct browser *b)
{
	strbuf_reset(&b->message);
	return b->hooks.write(b->hooks.data, &b->message);
}

/* The keys of rows of recordings, and of rows that are refreshed. */
#define BROWSER_ROW_KEYS \
	BROWSER_MOVES, \
	{ { BROWSER_ENTER, '\r' }, "Enter", "menu of the entry; expand or collapse a chain or level", \
	  NULL, browser_enter }, \
	{ { BROWSER_RIGHT, 'm' }, "Right, m", "menu of the entry", NULL, browser_open_menu }, \
	{ { '+' }, "+", "expand or collapse one level of a call chain or hierarchy", \
	  "Expand or collapse", browser_toggle }, \
	{ { 'e' }, "e", "expand or collapse everything below the entry", NULL, \
	  browser_toggle_whole }, \
	{ { 'E' }, "E", "expand all levels and call chains", NULL, browser_expand_all }, \
	{ { 'C' }, "C", "collapse all levels and call chains", NULL, browser_collapse_all }, \
	{ { 'a' }, "a", "annotate the function", "Annotate", browser_annotate }, \
	{ { 0 }, "Menu: map", "show the binary of the entry, and its symbols", "Map details", \
	  browser_show_map }, \
	{ { 0 }, "Menu: samples", "show the events around single samples (--samples)", \
	  "Show individual samples", browser_open_samples }, \
	{ { 'd' }, "d", "zoom into the binary, or out of it", NULL, browser_zoom_dso }, \
	{ { 't' }, "t", "zoom into the thread (or all tasks of its name), or out of it", NULL, \
	  browser_zoom_task }, \
	{ { 'k' }, "k", "zoom into the kernel, or out of it", NULL, browser_zoom_kernel }, \
	{ { BROWSER_ESCAPE, BROWSER_LEFT }, "Esc, Left", "zoom out, or go to the list of events", NULL, \
	  browser_out }, \
	{ { '/' }, "/", "show only functions whose name contains a text", NULL, \
	  browser_ask_filter }, \
	{ { 'L' }, "L", "leave out entries below a percentage", NULL, browser_ask_limit }, \
	{ { 'F' }, "F", "percentages of all entries, or of the filtered ones", NULL, \
	  browser_toggle_relative }, \
	{ { BROWSER_TAB }, "Tab, Shift-Tab", "next or previous event", NULL, browser_next_event }, \
	{ { BROWSER_BACK_TAB }, NULL, NULL, NULL, browser_previous_event }, \
	{ { 'n' }, "n", "show or hide the number of samples", NULL, browser_toggle_samples }, \
	{ { 'H' }, "H", "show or hide the titles of the columns", NULL, browser_toggle_head }, \
	{ { 'P' }, "P", "write the table to perf.hist.N", "Write the table to a file", \
	  browser_print }

static const struct browser_action browser_report_actions[] = {
	BROWSER_ROW_KEYS,
	{ { 'T' }, "T", "count only the samples of a time: 10%-20%, or START,STOP in seconds",
	  NULL, browser_ask_times },
	{ { 'i' }, "i", "show the header of the recording", "Header of the recording",
	  browser_show_header },
	{ { 'r' }, "r", "run a script on the recording", "Run a script", browser_ask_script },
	{ { 's' }, "s", "show another recording of the folder", "Switch to another recording",
	  browser_ask_file },
	{ { 'h', '?', BROWSER_F1 }, "h, ?, F1", "this help", "Help", browser_show_help },
	{ { 'q' }, "q", "quit", "Quit", browser_quit },
	BROWSER_LAST_KEYS
};

static const struct browser_action browser_top_actions[] = {
	BROWSER_ROW_KEYS,
	{ { 'f' }, "f", "freeze the rows, or go on", NULL, browser_toggle_frozen },
	{ { 'z' }, "z", "begin each refresh at zero, or not", NULL, browser_toggle_zero },
	{ { 'w' }, "w", "write the last seconds as a recording", NULL, browser_write },
	{ { 'h', '?', BROWSER_F1 }, "h, ?, F1", "this help", "Help", browser_show_help },
	{ { 'q' }, "q", "quit", "Quit", browser_quit },
	BROWSER_LAST_KEYS
};

static struct error *browser_take_list_key(struct browser *b, int key)
{
	for (const struct browser_action *a = b->actions; a->run; a++)
		for (const int *k = a->keys; *k; k++)
			if (*k == key)
				return a->run(b);
	if (key > ' ' && key < 127)
		browser_tell(b, "The key %c does nothing.  h shows the keys.", key);
	return NULL;
}

struct error *browser_take_key(struct browser *b, int key)
{
	if (key == BROWSER_NO_KEY || key == BROWSER_RESIZED)
		return NULL;
	b->actions = b->list == LIST_LISTING ? browser_listing_actions :
		     b->list == LIST_EVENTS ? browser_event_actions :
		     b->live ? browser_top_actions : browser_report_actions;
	strbuf_reset(&b->message);
	if (key == BROWSER_CLOSED || key == BROWSER_CTRL_C) {
		b->ended = true;
		return NULL;
	}
	switch (b->mode) {
	case BROWSER_MENU:
		return browser_take_menu_key(b, key);
	case BROWSER_PROMPT:
		return browser_take_prompt_key(b, key);
	case BROWSER_PAGE:
		return browser_take_page_key(b, key);
	case BROWSER_LIST:
		break;
	}
	return browser_take_list_key(b, key);
}

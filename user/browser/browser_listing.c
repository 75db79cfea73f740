// SPDX-License-Identifier: GPL-2.0
#include "browser/browser_keys.h"

#include <stdlib.h>
#include <string.h>

#include "lib/color.h"

static struct error *browser_leave_listing(struct browser *b)
{
	listings_back(&b->listings);
	if (listings_current(&b->listings))
		return NULL;
	listings_close(&b->listings);
	b->list = LIST_ROWS;
	/* A browser of listings alone ends now. */
	b->ended = !b->histograms;
	return NULL;
}

static struct error *browser_follow(struct browser *b)
{
	size_t depth = b->listings.stack.nr;
	bool back;
	struct error *err = listings_follow(&b->listings, &back);

	if (back)
		return browser_leave_listing(b);
	if (b->listings.stack.nr > depth)
		browser_centre(b);
	return err;
}

static struct error *browser_go_hot(struct browser *b, int step)
{
	if (listings_go_hot(&b->listings, step))
		browser_centre(b);
	else
		browser_tell(b, "No line of this function has samples.");
	return NULL;
}

static struct error *browser_go_hottest(struct browser *b)
{
	return browser_go_hot(b, 0);
}

static struct error *browser_next_hot(struct browser *b)
{
	return browser_go_hot(b, 1);
}

static struct error *browser_previous_hot(struct browser *b)
{
	return browser_go_hot(b, -1);
}

static struct error *browser_turn_function(struct browser *b, int step)
{
	struct error *err = listings_turn(&b->listings, step);

	if (!err)
		browser_centre(b);
	return err;
}

static struct error *browser_next_function(struct browser *b)
{
	return browser_turn_function(b, 1);
}

static struct error *browser_previous_function(struct browser *b)
{
	return browser_turn_function(b, -1);
}

static struct error *browser_toggle_source(struct browser *b)
{
	return listings_toggle_source(&b->listings);
}

static struct error *browser_turn_columns(struct browser *b)
{
	return listings_turn_columns(&b->listings);
}

static struct error *browser_turn_number(struct browser *b)
{
	enum annotation_number *number = &b->listings.text.number;

	/* In perf's order. */
	*number = *number == ANNOTATION_PERCENT ? ANNOTATION_PERIOD :
		  *number == ANNOTATION_PERIOD ? ANNOTATION_SAMPLES : ANNOTATION_PERCENT;
	return NULL;
}

static struct error *browser_toggle_global(struct browser *b)
{
	b->listings.text.percent.is_global = !b->listings.text.percent.is_global;
	return NULL;
}

static struct error *browser_toggle_hits(struct browser *b)
{
	b->listings.text.percent.is_hits = !b->listings.text.percent.is_hits;
	return NULL;
}

static struct error *browser_toggle_jumps(struct browser *b)
{
	b->listings.text.jumps = !b->listings.text.jumps;
	return NULL;
}

static struct error *browser_toggle_sources(struct browser *b)
{
	b->listings.show_sources = !b->listings.show_sources;
	return NULL;
}

static struct error *browser_toggle_bytes(struct browser *b)
{
	b->listings.text.raw = !b->listings.text.raw;
	return NULL;
}

static struct error *browser_toggle_places(struct browser *b)
{
	b->listings.text.print_lines = !b->listings.text.print_lines;
	return NULL;
}

static struct error *browser_toggle_paths(struct browser *b)
{
	b->listings.text.full_paths = !b->listings.text.full_paths;
	return NULL;
}

static struct error *browser_show_types(struct browser *b)
{
	enum color_mode mode = color_mode;
	struct error *err;

	strbuf_reset(&b->page);
	/* A page has no colours. */
	color_mode = COLOR_NEVER;
	err = listings_add_types(&b->listings, &b->page);
	color_mode = mode;
	return err ? err : browser_open_page(b, "Types of the data");
}

static struct error *browser_print_listing(struct browser *b)
{
	const struct listing *listing = listings_current(&b->listings);
	_cleanup_(strbuf) struct strbuf text = STRBUF_INIT;
	_cleanup_free_ char *name = NULL;
	enum color_mode mode = color_mode;

	if (asprintf(&name, "%s.annotation", listing->function.symbol->name) < 0)
		return &error_no_memory;
	/* Names are chosen by others, but a file is written here. */
	for (char *c = name; *c; c++)
		if (*c == '/' || (unsigned char)*c < ' ' || (c == name && *c == '.'))
			*c = '_';
	color_mode = COLOR_NEVER;
	listings_add_text(&b->listings, &text);
	color_mode = mode;
	return browser_write_text(b, name, false, &text);
}

static struct error *browser_ask_search(struct browser *b, bool backwards)
{
	b->listings.backwards = backwards;
	return browser_open_prompt(b, PROMPT_SEARCH, NULL);
}

static struct error *browser_ask_forwards(struct browser *b)
{
	return browser_ask_search(b, false);
}

static struct error *browser_ask_backwards(struct browser *b)
{
	return browser_ask_search(b, true);
}

static struct error *browser_search_on(struct browser *b, bool backwards)
{
	if (!b->listings.searched.len)
		return browser_ask_search(b, backwards);
	return browser_search(b, backwards);
}

static struct error *browser_search_next(struct browser *b)
{
	return browser_search_on(b, b->listings.backwards);
}

static struct error *browser_search_previous(struct browser *b)
{
	return browser_search_on(b, !b->listings.backwards);
}

const struct browser_action browser_listing_actions[] = {
	BROWSER_MOVES,
	{ { '>' }, ">, <", "show the function with fewer samples, or with more", NULL,
	  browser_next_function },
	{ { '<' }, NULL, NULL, NULL, browser_previous_function },
	{ { BROWSER_ENTER, BROWSER_RIGHT, '\r' }, "Enter, Right",
	  "go to the target of a jump, into a call, or back from a return", NULL, browser_follow },
	{ { BROWSER_ESCAPE, BROWSER_LEFT, 'q' }, "Esc, Left, q", "go back", NULL,
	  browser_leave_listing },
	{ { 'H' }, "H", "go to the hottest line", NULL, browser_go_hottest },
	{ { BROWSER_TAB }, "Tab, Shift-Tab", "go to the next hot line, or to the previous one",
	  NULL, browser_next_hot },
	{ { BROWSER_BACK_TAB }, NULL, NULL, NULL, browser_previous_hot },
	{ { '/' }, "/, ?", "search for a text, towards the end or the beginning", NULL,
	  browser_ask_forwards },
	{ { '?' }, NULL, NULL, NULL, browser_ask_backwards },
	{ { 'n' }, "n, N", "search on, or the other way", NULL, browser_search_next },
	{ { 'N' }, NULL, NULL, NULL, browser_search_previous },
	{ { 's' }, "s", "show or hide the source", NULL, browser_toggle_source },
	{ { 'e' }, "e", "samples of the next event, or of all events side by side", NULL,
	  browser_turn_columns },
	{ { 't' }, "t", "percentages, sums of periods, or numbers of samples", NULL,
	  browser_turn_number },
	{ { 'p' }, "p", "percentages of the function, or of all samples", NULL,
	  browser_toggle_global },
	{ { 'b' }, "b", "percentages of periods, or of numbers of samples", NULL,
	  browser_toggle_hits },
	{ { 'j' }, "j", "show or hide the arrows of jumps", NULL, browser_toggle_jumps },
	{ { 'J' }, "J", "show or hide the number of jumps to a line", NULL,
	  browser_toggle_sources },
	{ { 'k' }, "k", "show or hide the source line of an instruction", NULL,
	  browser_toggle_places },
	{ { 'l' }, "l", "whole paths of files, or their names", NULL, browser_toggle_paths },
	{ { 'o' }, "o", "show or hide the bytes of instructions", NULL, browser_toggle_bytes },
	{ { 'T' }, "T", "show the types of the data that the function accesses", NULL,
	  browser_show_types },
	{ { 'P' }, "P", "write the listing to FUNCTION.annotation", NULL, browser_print_listing },
	{ { 'h', BROWSER_F1 }, "h, F1", "this help", NULL, browser_show_help },
	BROWSER_LAST_KEYS
};

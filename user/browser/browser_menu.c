// SPDX-License-Identifier: GPL-2.0
#include "browser/browser_keys.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "lib/array.h"
#include "symbol/demangle.h"

/* The maximal length of an answer. */
#define ANSWER_MAX	200

static struct error *browser_add_item(struct browser *b, const struct browser_action *action,
				      enum browser_zoom zoom, const char *before,
				      const char *name, const char *behind)
{
	struct browser_menu_item item = { .action = action, .zoom = zoom };

	if (asprintf(&item.text, "%s%s%s", before, name, behind) < 0)
		return &error_no_memory;
	if (array_push(&b->menu, item))
		return NULL;
	free(item.text);
	return &error_no_memory;
}

static bool browser_is_zoomed(const struct browser *b, enum browser_zoom zoom)
{
	for (size_t i = 0; i < b->nr_zooms; i++)
		if (b->zooms[i] == zoom)
			return true;
	return false;
}

static struct error *browser_add_zoom(struct browser *b, const struct browser_row *row,
				      enum browser_zoom zoom)
{
	const struct histogram_entry *entry = row->entry;
	const char *into = browser_is_zoomed(b, zoom) ? "Zoom out of " : "Zoom into ";
	char number[32];

	if (!browser_can_zoom(b, row, zoom))
		return NULL;
	switch (zoom) {
	case ZOOM_COMM:
		return browser_add_item(b, NULL, zoom, into, entry->comm, " (command)");
	case ZOOM_THREAD:
		snprintf(number, sizeof(number), "thread %d", entry->tid);
		return browser_add_item(b, NULL, zoom, into, number, "");
	case ZOOM_DSO:
		return browser_add_item(b, NULL, zoom, into, entry->dso->short_name, " (binary)");
	case ZOOM_SYMBOL:
		return browser_add_item(b, NULL, zoom, into, entry->symbol->name, " (function)");
	case ZOOM_KERNEL:
		break;
	}
	return NULL;
}

static struct error *browser_fill_menu(struct browser *b, const struct browser_row *row)
{
	static const enum browser_zoom zooms[] = { ZOOM_COMM, ZOOM_THREAD, ZOOM_DSO, ZOOM_SYMBOL };
	_cleanup_(strbuf) struct strbuf name = STRBUF_INIT;
	const struct browser_action *a = b->actions;
	struct error *err = NULL;

	row_text_add_name(&name, &b->view, row);
	for (; a->run && !err; a++) {
		bool of_row = a->keys[0] == 'a' || a->keys[0] == '+';

		if (!a->menu || (a->keys[0] == '+' && row->fold == ' ') ||
		    (a->keys[0] == 'a' && !browser_can_zoom(b, row, ZOOM_SYMBOL) && row->inner) ||
		    (a->run == browser_open_samples && (row->inner || !row->entry->kept.nr)) ||
		    (a->run == browser_show_map && !browser_can_zoom(b, row, ZOOM_DSO)))
			continue;
		/* The zooms are behind the actions of the row. */
		if (a->keys[0] == 'P')
			for (size_t i = 0; i < ARRAY_SIZE(zooms) && !err; i++)
				err = browser_add_zoom(b, row, zooms[i]);
		if (!err)
			err = browser_add_item(b, a, 0, a->menu, of_row ? " " : "",
					       of_row ? strbuf_str(&name) : "");
	}
	return err;
}

struct error *browser_open_menu(struct browser *b)
{
	const struct browser_row *row = browser_current(b);
	struct error *err;

	if (!row)
		return NULL;
	browser_clear_menu(b);
	err = browser_fill_menu(b, row);
	if (err)
		return err;
	b->menu_at = 0;
	b->mode = BROWSER_MENU;
	return NULL;
}

static struct error *browser_add_sample(struct browser *b, const struct entry_sample *sample)
{
	struct browser_menu_item item = { .sample = *sample };
	const uint64_t parts = event_sampled(sample->event);
	_cleanup_(strbuf) struct strbuf text = STRBUF_INIT;

	strbuf_addf(&text, "Sample at %" PRIu64 ".%09" PRIu64, sample->time / 1000000000,
		    sample->time % 1000000000);
	if (parts & PERF_SAMPLE_CPU)
		strbuf_addf(&text, " on CPU %d", sample->cpu);
	if (parts & PERF_SAMPLE_TID)
		strbuf_addf(&text, ", thread %d", sample->tid);
	item.text = text.failed ? NULL : strdup(strbuf_str(&text));
	if (item.text && array_push(&b->menu, item))
		return NULL;
	free(item.text);
	return &error_no_memory;
}

struct error *browser_open_samples(struct browser *b)
{
	const struct browser_row *row = browser_current(b);
	_cleanup_free_ struct entry_sample *items = NULL;
	struct entry_samples sorted = { 0 };
	struct error *err = NULL;

	if (!row || row->inner || !row->entry->kept.nr)
		return NULL;
	if (!entry_samples_merge(&sorted, row->entry->kept.nr, &row->entry->kept))
		err = &error_no_memory;
	items = sorted.items;
	entry_samples_sort(&sorted);
	browser_clear_menu(b);
	for (size_t i = 0; i < sorted.nr && !err; i++)
		err = browser_add_sample(b, &sorted.items[i]);
	if (err)
		return err;
	b->menu_at = 0;
	b->mode = BROWSER_MENU;
	return NULL;
}

struct error *browser_open_names(struct browser *b, const struct strbuf *names,
				 struct error *(*choose)(struct browser *browser,
							 const char *name))
{
	if (names->failed)
		return &error_no_memory;
	browser_clear_menu(b);
	for (const char *at = strbuf_str(names); *at; at += strcspn(at, "\n"), at += *at == '\n') {
		struct browser_menu_item item = { .choose = choose };

		item.text = strndup(at, strcspn(at, "\n"));
		if (!item.text || !array_push(&b->menu, item)) {
			free(item.text);
			return &error_no_memory;
		}
	}
	b->menu_at = 0;
	if (b->menu.nr)
		b->mode = BROWSER_MENU;
	else
		browser_tell(b, "There is nothing to choose from.");
	return NULL;
}

static void browser_add_symbol(struct strbuf *out, const struct symbol *symbol)
{
	static const char bindings[] = "lgw";
	_cleanup_free_ char *name = symbol->mangled ? demangle(symbol->name) : NULL;

	strbuf_addf(out, "%16" PRIx64 " %16" PRIx64 " %c %s\n", symbol->start, symbol->end,
		    symbol->binding < sizeof(bindings) - 1 ? bindings[symbol->binding] : '?',
		    name ? name : symbol->name);
}

struct error *browser_show_map(struct browser *b)
{
	const struct browser_row *row = browser_current(b);
	const struct dso *dso = row && browser_can_zoom(b, row, ZOOM_DSO) ? row->entry->dso : NULL;
	const struct symbols *symbols = dso && dso->shared ? dso->shared : dso ? &dso->own : NULL;
	const char *origin = dso ? dso_symbol_source(dso) : NULL;
	char id[BUILD_ID_TEXT];

	if (!dso)
		return error_new(ENOENT, "The binary is unknown");
	build_id_text(&dso->id, id);
	strbuf_reset(&b->page);
	strbuf_addf(&b->page, "binary    %s\nbuild id  %s\nsymbols   %s%s%s%s\n\n", dso->name,
		    dso->id.size ? id : "not known",
		    dso->symbol_path ? dso->symbol_path : symbols->nr ? "of it" : "there are none",
		    origin ? " (" : "", origin ? origin : "", origin ? ")" : "");
	strbuf_addf(&b->page, "%16s %16s\n", "from", "to");
	for (size_t i = 0; i < symbols->nr; i++) {
		const char *part = symbols->items[i].part;

		/* The kernel's table has those of its modules, too. */
		if (symbols == &dso->own || dso->all_parts ||
		    (part ? dso->part && !strcmp(part, dso->part) : !dso->part))
			browser_add_symbol(&b->page, &symbols->items[i]);
	}
	return browser_open_page(b, "Map details");
}

static struct error *browser_show_context(struct browser *b, const struct entry_sample *sample)
{
	struct error *err;
	size_t line;

	if (!b->hooks.context) {
		browser_tell(b, "The events around a sample are known only for recordings.");
		return NULL;
	}
	strbuf_reset(&b->page);
	err = b->hooks.context(b->hooks.data, sample, &b->page, &line);
	if (!err)
		err = browser_open_page(b, "5 ms around the sample");
	/* Also show the lines before it. */
	if (!err)
		b->page_top = line > b->body / 2 ? line - b->body / 2 : 0;
	return err;
}

static struct error *browser_run_item(struct browser *b)
{
	const struct browser_menu_item item = b->menu.items[b->menu_at];
	_cleanup_free_ char *text = take_ptr(b->menu.items[b->menu_at].text);

	b->mode = BROWSER_LIST;
	browser_clear_menu(b);
	if (item.choose)
		return item.choose(b, text);
	if (item.sample.event)
		return browser_show_context(b, &item.sample);
	return item.zoom ? browser_toggle_zoom(b, item.zoom) : item.action->run(b);
}

struct error *browser_take_menu_key(struct browser *b, int key)
{
	switch (key) {
	case BROWSER_UP:
		b->menu_at = (b->menu_at + b->menu.nr - 1) % b->menu.nr;
		break;
	case BROWSER_DOWN:
		b->menu_at = (b->menu_at + 1) % b->menu.nr;
		break;
	case BROWSER_HOME:
		b->menu_at = 0;
		break;
	case BROWSER_END:
		b->menu_at = b->menu.nr - 1;
		break;
	case BROWSER_ENTER:
	case '\r':
		return browser_run_item(b);
	case BROWSER_ESCAPE:
	case BROWSER_LEFT:
	case 'q':
		b->mode = BROWSER_LIST;
		browser_clear_menu(b);
		break;
	}
	return NULL;
}

const char *browser_question(enum browser_prompt prompt)
{
	switch (prompt) {
	case PROMPT_FILTER:
		return "Functions whose name contains: ";
	case PROMPT_LIMIT:
		return "Leave out entries below this percentage: ";
	case PROMPT_SEARCH:
		return "Search for: ";
	case PROMPT_TIMES:
		return "Times, as 10%-20% or START,STOP; nothing for all: ";
	}
	return "";
}

struct error *browser_open_prompt(struct browser *b, enum browser_prompt prompt,
				  const char *answer)
{
	b->mode = BROWSER_PROMPT;
	b->prompt = prompt;
	strbuf_reset(&b->answer);
	strbuf_addstr(&b->answer, answer ? answer : "");
	return NULL;
}

static struct error *browser_set_limit(struct browser *b, const char *text)
{
	char *end;
	double limit = strtod(text, &end);

	if (end == text || *end || !(limit >= 0 && limit <= 100))
		return error_new(EINVAL, "A limit is a number from 0 to 100, not '%s'", text);
	b->view.limit = limit;
	return browser_rebuild(b, false);
}

struct error *browser_search(struct browser *b, bool backwards)
{
	if (!listings_search(&b->listings, backwards))
		browser_tell(b, "'%s' is not found %s this line.", strbuf_str(&b->listings.searched),
			     backwards ? "above" : "below");
	return NULL;
}

static struct error *browser_take_answer(struct browser *b)
{
	const char *text = strbuf_str(&b->answer);

	b->mode = BROWSER_LIST;
	if (b->answer.failed)
		return &error_no_memory;
	switch (b->prompt) {
	case PROMPT_FILTER:
		free(b->filter_text);
		b->filter_text = strdup(text);
		b->place.cursor = b->place.top = 0;
		return b->filter_text ? browser_apply_filter(b) : &error_no_memory;
	case PROMPT_LIMIT:
		return browser_set_limit(b, text);
	case PROMPT_TIMES:
		return b->hooks.slice(b->hooks.data, text);
	case PROMPT_SEARCH:
		if (!*text)
			return NULL;
		strbuf_reset(&b->listings.searched);
		strbuf_addstr(&b->listings.searched, text);
		return b->listings.searched.failed ? &error_no_memory :
						     browser_search(b, b->listings.backwards);
	}
	return NULL;
}

/* Remove the last character. */
static void browser_shorten_answer(struct browser *b)
{
	size_t len = b->answer.len;

	while (len && (b->answer.data[--len] & 0xc0) == 0x80)
		;
	if (b->answer.data)
		b->answer.data[len] = '\0';
	b->answer.len = len;
}

static void browser_add_character(struct strbuf *out, int c)
{
	if (c < 0x80) {
		strbuf_addch(out, c);
	} else if (c < 0x800) {
		strbuf_addch(out, 0xc0 | c >> 6);
		strbuf_addch(out, 0x80 | (c & 0x3f));
	} else if (c < 0x10000) {
		strbuf_addch(out, 0xe0 | c >> 12);
		strbuf_addch(out, 0x80 | (c >> 6 & 0x3f));
		strbuf_addch(out, 0x80 | (c & 0x3f));
	} else {
		strbuf_addch(out, 0xf0 | c >> 18);
		strbuf_addch(out, 0x80 | (c >> 12 & 0x3f));
		strbuf_addch(out, 0x80 | (c >> 6 & 0x3f));
		strbuf_addch(out, 0x80 | (c & 0x3f));
	}
}

struct error *browser_take_prompt_key(struct browser *b, int key)
{
	switch (key) {
	case BROWSER_ENTER:
	case '\r':
		return browser_take_answer(b);
	case BROWSER_ESCAPE:
		b->mode = BROWSER_LIST;
		return NULL;
	case BROWSER_BACKSPACE:
	case '\b':
	case 127:
		browser_shorten_answer(b);
		return NULL;
	case 'U' - '@':
		strbuf_reset(&b->answer);
		return NULL;
	}
	if (key >= ' ' && key < BROWSER_UP && b->answer.len < ANSWER_MAX)
		browser_add_character(&b->answer, key);
	return NULL;
}

struct error *browser_open_page(struct browser *b, const char *title)
{
	if (b->page.failed)
		return &error_no_memory;
	b->mode = BROWSER_PAGE;
	b->page_title = title;
	b->page_top = b->page_left = b->page_lines = 0;
	for (const char *at = strbuf_str(&b->page); *at; at += *at == '\n') {
		at = strchrnul(at, '\n');
		b->page_lines++;
	}
	return NULL;
}

struct error *browser_take_page_key(struct browser *b, int key)
{
	size_t last = b->page_lines > b->body ? b->page_lines - b->body : 0, to = b->page_top;

	switch (key) {
	case BROWSER_UP:
		to = to ? to - 1 : 0;
		break;
	case BROWSER_DOWN:
		to++;
		break;
	case BROWSER_PAGE_UP:
		to = to > b->body ? to - b->body : 0;
		break;
	case BROWSER_PAGE_DOWN:
	case ' ':
		to += b->body;
		break;
	case BROWSER_HOME:
		to = 0;
		break;
	case BROWSER_END:
		to = last;
		break;
	case BROWSER_RIGHT:
		b->page_left += SIDE_STEP;
		break;
	case BROWSER_LEFT:
		if (!b->page_left)
			b->mode = BROWSER_LIST;
		b->page_left = b->page_left > SIDE_STEP ? b->page_left - SIDE_STEP : 0;
		break;
	case BROWSER_ESCAPE:
	case BROWSER_ENTER:
	case '\r':
	case 'q':
		b->mode = BROWSER_LIST;
		break;
	}
	b->page_top = to < last ? to : last;
	return NULL;
}

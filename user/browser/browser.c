// SPDX-License-Identifier: GPL-2.0
#include "browser/browser.h"

#include <errno.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "browser/browser_keys.h"
#include "lib/array.h"
#include "table/profile/histogram_text.h"

/* A list of events is for several; the one that counts nothing is none. */
static void browser_choose_list(struct browser *b)
{
	size_t nr = 0;

	for (size_t i = 0; i < b->events->nr; i++) {
		const struct perf_event_attr *attr = &b->events->items[i]->attr;

		nr += attr->type != PERF_TYPE_SOFTWARE || attr->config != PERF_COUNT_SW_DUMMY;
	}
	b->list = nr > 1 ? LIST_EVENTS : LIST_ROWS;
}

void browser_settle(struct browser *b)
{
	if (b->list == LIST_EVENTS && b->sampled.nr == 1)
		b->list = LIST_ROWS;
}

void browser_init(struct browser *b, const struct report_options *report,
		  const struct event_list *events, struct histograms *histograms)
{
	*b = (struct browser){
		.report = report, .events = events, .histograms = histograms, .body = 1,
		.listings.text.jumps = true,
	};
	if (!report)
		return;
	b->view.options = &report->histogram;
	b->view.limit = report->limit;
	b->view.hierarchy = report->hierarchy;
	browser_choose_list(b);
}

void browser_clear_menu(struct browser *b)
{
	for (size_t i = 0; i < b->menu.nr; i++)
		free(b->menu.items[i].text);
	b->menu.nr = 0;
}

void browser_deinit(struct browser *b)
{
	browser_clear_menu(b);
	free(b->menu.items);
	rows_deinit(&b->rows);
	expansions_deinit(&b->view.expansions);
	listings_deinit(&b->listings);
	free(b->sampled.items);
	free(b->filter_text);
	free(b->filter_comm);
	strbuf_deinit(&b->answer);
	strbuf_deinit(&b->page);
	strbuf_deinit(&b->message);
	strbuf_deinit(&b->state);
}

const struct histogram *browser_histogram(const struct browser *b)
{
	return histograms_get(b->histograms, b->event);
}

/* Show an event with samples if the present one has none. */
static void browser_choose_event(struct browser *b)
{
	for (size_t i = 0; i < b->events->nr && !browser_histogram(b); i++)
		if (histograms_get(b->histograms, i))
			b->event = i;
}

static void browser_clamp_place(struct browser_place *place, size_t nr, size_t body)
{
	if (place->cursor >= nr)
		place->cursor = nr ? nr - 1 : 0;
	if (place->top > place->cursor)
		place->top = place->cursor;
	if (place->cursor - place->top >= body)
		place->top = place->cursor - body + 1;
}

/* Find the events with samples; the cursor stays on its event. */
static bool browser_collect_events(struct browser *b)
{
	struct browser_place *place = &b->events_place;
	size_t at = place->cursor < b->sampled.nr ? b->sampled.items[place->cursor] : 0;

	b->sampled.nr = 0;
	for (size_t i = 0; i < b->events->nr; i++) {
		if (!histograms_get(b->histograms, i))
			continue;
		/* If the cursor is at the top, it stays there. */
		if (place->cursor && i == at)
			place->cursor = b->sampled.nr;
		if (!array_push(&b->sampled, i))
			return false;
	}
	browser_clamp_place(place, b->sampled.nr, b->body);
	return true;
}

/* Keep the row with @id under the cursor, at the same line of the screen. */
static void browser_restore_cursor(struct browser *b, uint64_t id)
{
	struct browser_place *place = &b->place;
	size_t offset = place->cursor - place->top, found = SIZE_MAX;

	/* If the cursor is at the top, it stays there, whichever row is there now. */
	if (place->cursor)
		found = rows_find(&b->rows, id, place->cursor < b->rows.nr ? place->cursor : 0);
	if (found != SIZE_MAX) {
		place->cursor = found;
		place->top = found > offset ? found - offset : 0;
	}
	browser_clamp_place(place, b->rows.nr, b->body);
}

size_t browser_lines(const struct browser *b)
{
	const struct listing *listing = listings_current(&b->listings);

	switch (b->list) {
	case LIST_LISTING:
		return listing ? listing->nr_shown : 0;
	case LIST_EVENTS:
		return b->sampled.nr;
	case LIST_ROWS:
		break;
	}
	return b->rows.nr;
}

struct browser_place *browser_place(struct browser *b)
{
	struct listing *listing = listings_current(&b->listings);

	return b->list == LIST_LISTING && listing ? &listing->place :
	       b->list == LIST_EVENTS ? &b->events_place : &b->place;
}

void browser_clamp(struct browser *b)
{
	browser_clamp_place(browser_place(b), browser_lines(b), b->body);
}

void browser_centre(struct browser *b)
{
	struct browser_place *place = browser_place(b);

	place->top = place->cursor > b->body / 2 ? place->cursor - b->body / 2 : 0;
}

void browser_show_listing(struct browser *b)
{
	b->list = LIST_LISTING;
	browser_centre(b);
}

struct error *browser_rebuild(struct browser *b, bool changed)
{
	uint64_t id = b->place.cursor < b->rows.nr ? b->rows.items[b->place.cursor].id : 0;
	struct error *err;

	if (!b->histograms)
		return NULL;
	if (!browser_collect_events(b))
		return &error_no_memory;
	browser_choose_event(b);
	b->fitted = false;
	err = rows_build(&b->rows, browser_histogram(b), &b->view, changed);
	if (!err)
		browser_restore_cursor(b, id);
	return err;
}

struct error *browser_refresh(struct browser *b)
{
	struct error *err = b->histograms ? histograms_sort(b->histograms) : NULL;

	if (!err)
		err = browser_rebuild(b, true);
	return err ? err : listings_refresh(&b->listings);
}

struct error *browser_apply_filter(struct browser *b)
{
	struct histogram_filter filter = b->filter;
	struct error *err;

	if (b->filter_text && *b->filter_text)
		filter.symbol = b->filter_text;
	err = histograms_set_filter(b->histograms, &filter);
	return err ? err : browser_refresh(b);
}

struct error *browser_swap_histograms(struct browser *b, struct histograms *histograms)
{
	b->histograms = histograms;
	return browser_apply_filter(b);
}

void browser_begin(struct browser *b, const struct event_list *events)
{
	b->events = events;
	b->event = 0;
	b->place = b->events_place = (struct browser_place){ 0 };
	b->sampled.nr = 0;
	browser_choose_list(b);
}

struct error *browser_set_histograms(struct browser *b, struct histograms *histograms)
{
	b->histograms = histograms;
	b->filter = (struct histogram_filter){ 0 };
	b->nr_zooms = 0;
	b->rows.nr = 0;
	expansions_set_all(&b->view.expansions, false);
	browser_clear_menu(b);
	listings_close(&b->listings);
	b->list = b->list == LIST_LISTING ? LIST_ROWS : b->list;
	b->mode = b->mode == BROWSER_MENU ? BROWSER_LIST : b->mode;
	return browser_apply_filter(b);
}

void browser_tell(struct browser *b, const char *fmt, ...)
{
	_cleanup_free_ char *text = NULL;
	va_list ap;

	va_start(ap, fmt);
	if (vasprintf(&text, fmt, ap) < 0)
		text = NULL;
	va_end(ap);
	strbuf_reset(&b->message);
	strbuf_addstr(&b->message, text ? text : fmt);
}

void browser_tell_error(struct browser *b, struct error *err)
{
	if (!err)
		return;
	browser_tell(b, "%s.%s%s%s", err->message, err->hint ? " " : "",
		     err->hint ? err->hint : "", err->hint ? "." : "");
	error_free(err);
}

/* The rows at the end of a hierarchy, and those of a list, are of one entry. */
static bool browser_has_place(const struct browser *b, const struct browser_row *row,
			      enum histogram_key key)
{
	return !row->inner || rows_has_key(&b->view, row, key) ||
	       rows_has_key(&b->view, row, KEY_SYMBOL);
}

bool browser_can_zoom(const struct browser *b, const struct browser_row *row,
		      enum browser_zoom zoom)
{
	const struct histogram_entry *entry = row->entry;
	bool of_list = !b->view.hierarchy;

	switch (zoom) {
	case ZOOM_COMM:
		return of_list ? memchr(b->view.options->keys, KEY_COMM, MAX_KEYS) != NULL :
				 rows_has_key(&b->view, row, KEY_COMM);
	case ZOOM_THREAD:
		return of_list ? memchr(b->view.options->keys, KEY_PID, MAX_KEYS) != NULL :
				 rows_has_key(&b->view, row, KEY_PID);
	case ZOOM_DSO:
		return entry->dso && browser_has_place(b, row, KEY_DSO);
	case ZOOM_SYMBOL:
		return entry->symbol && browser_has_place(b, row, KEY_SYMBOL);
	case ZOOM_KERNEL:
		return entry->dso && entry->level == 'k' && browser_has_place(b, row, KEY_DSO);
	}
	return false;
}

static void browser_set_zoom(struct browser *b, enum browser_zoom zoom,
			     const struct histogram_entry *entry)
{
	switch (zoom) {
	case ZOOM_COMM:
		free(b->filter_comm);
		b->filter_comm = entry ? strdup(entry->comm) : NULL;
		b->filter.comm = b->filter_comm;
		break;
	case ZOOM_THREAD:
		b->filter.tid = !entry ? 0 : entry->tid ? entry->tid : -1;
		break;
	case ZOOM_DSO:
	case ZOOM_KERNEL:
		b->filter.dso = entry ? entry->dso : NULL;
		break;
	case ZOOM_SYMBOL:
		b->filter.function = entry ? entry->symbol->name : NULL;
		break;
	}
}

static void browser_drop_zoom(struct browser *b, size_t i)
{
	browser_set_zoom(b, b->zooms[i], NULL);
	memmove(b->zooms + i, b->zooms + i + 1, (b->nr_zooms - i - 1) * sizeof(*b->zooms));
	b->nr_zooms--;
}

struct error *browser_toggle_zoom(struct browser *b, enum browser_zoom zoom)
{
	const struct browser_row *row = browser_current(b);

	for (size_t i = 0; i < b->nr_zooms; i++) {
		if (b->zooms[i] != zoom)
			continue;
		browser_drop_zoom(b, i);
		return browser_apply_filter(b);
	}
	if (!row)
		return NULL;
	if (!browser_can_zoom(b, row, zoom))
		return error_new(EINVAL, "There is nothing to zoom into here");
	/* The kernel is a binary, too. */
	for (size_t i = 0; i < b->nr_zooms; i++)
		if ((zoom == ZOOM_KERNEL && b->zooms[i] == ZOOM_DSO) ||
		    (zoom == ZOOM_DSO && b->zooms[i] == ZOOM_KERNEL))
			browser_drop_zoom(b, i);
	browser_set_zoom(b, zoom, row->entry);
	b->zooms[b->nr_zooms++] = zoom;
	b->place.cursor = b->place.top = 0;
	return browser_apply_filter(b);
}

struct error *browser_zoom_out(struct browser *b)
{
	if (!b->nr_zooms && b->filter_text && *b->filter_text) {
		free(take_ptr(b->filter_text));
		return browser_apply_filter(b);
	}
	if (!b->nr_zooms && b->sampled.nr > 1) {
		b->list = LIST_EVENTS;
		return NULL;
	}
	if (!b->nr_zooms) {
		browser_tell(b, "Nothing is zoomed into.  q quits.");
		return NULL;
	}
	browser_drop_zoom(b, b->nr_zooms - 1);
	return browser_apply_filter(b);
}

const struct browser_row *browser_current(const struct browser *b)
{
	return b->place.cursor < b->rows.nr ? &b->rows.items[b->place.cursor] : NULL;
}

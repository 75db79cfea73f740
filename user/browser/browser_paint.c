// SPDX-License-Identifier: GPL-2.0
#include "browser/browser_keys.h"

#include <inttypes.h>
#include <stdlib.h>

#include "browser/cells.h"
#include "lib/array.h"
#include "lib/escape.h"

/* From this number of lines on, the recording's state has a line of its own. */
#define STATE_LINES	8

/* With fewer lines, the titles of the columns are left out. */
#define HEAD_LINES	5

/* The shared data of the painting of one picture. */
struct browser_painter {
	struct browser *b;
	struct browser_picture *picture;
	size_t lines, cells;
	size_t nr;		/* lines that are painted */
	bool failed;
};

void browser_picture_deinit(struct browser_picture *picture)
{
	for (size_t i = 0; i < picture->nr; i++)
		strbuf_deinit(&picture->items[i].text);
	free(picture->items);
	*picture = (struct browser_picture){ 0 };
}

/* Add a line that shows @text from cell @from on; @part: of @text. */
static void browser_add_line(struct browser_painter *p, enum browser_line_kind kind,
			     const char *text, size_t from, const struct row_part *part)
{
	struct browser_line *line;

	if (p->nr == p->lines)
		return;
	line = &p->picture->items[p->nr++];
	line->kind = kind;
	line->part = (struct row_part){ 0 };
	strbuf_reset(&line->text);
	cells_add_window(&line->text, text, from, p->cells);
	/* Colours are for shares, which are before any multibyte characters. */
	if (part && part->role && !from && part->len == SIZE_MAX)
		line->part = (struct row_part){ part->role, 0, line->text.len };
	else if (part && part->role && !from && part->from + part->len <= line->text.len)
		line->part = *part;
	p->failed |= line->text.failed;
}

/* Append "53", "4K" ...: as perf writes large numbers of samples. */
static void browser_add_number(struct strbuf *out, uint64_t number)
{
	static const char units[] = " KMG";
	size_t unit = 0;

	for (; number >= 1000 && unit < 3; unit++)
		number /= 1000;
	strbuf_addf(out, "%" PRIu64, number);
	if (unit)
		strbuf_addch(out, units[unit]);
}

static void browser_add_filters(const struct browser *b, struct strbuf *out)
{
	if (b->filter.comm)
		strbuf_addf(out, ", command: %s", b->filter.comm);
	if (b->filter.tid)
		strbuf_addf(out, ", thread: %d", b->filter.tid < 0 ? 0 : b->filter.tid);
	if (b->filter.dso)
		strbuf_addf(out, ", binary: %s", b->filter.dso->short_name);
	if (b->filter_text && *b->filter_text)
		strbuf_addf(out, ", function: *%s*", b->filter_text);
	else if (b->filter.symbol)
		strbuf_addf(out, ", function: %s", b->filter.symbol);
}

static bool browser_has_state_line(const struct browser *b, size_t lines)
{
	return b->live && b->state.len && lines >= STATE_LINES;
}

static void browser_paint_title(struct browser_painter *p)
{
	const struct browser *b = p->b;
	const struct histogram *histogram = b->list == LIST_ROWS ? browser_histogram(b) : NULL;
	_cleanup_(strbuf) struct strbuf text = STRBUF_INIT;

	/* Losses must be visible on the narrowest terminal. */
	if (b->lost) {
		strbuf_addstr(&text, "LOST ");
		browser_add_number(&text, b->lost);
		strbuf_addstr(&text, " ");
	}
	if (b->state.len) {
		strbuf_addf(&text, "%s  ", strbuf_str(&b->state));
		if (browser_has_state_line(b, p->lines)) {
			escape_controls(&text, 0);
			browser_add_line(p, LINE_TITLE, strbuf_str(&text), 0, NULL);
			strbuf_reset(&text);
		}
	}
	if (b->list == LIST_LISTING) {
		listings_add_title(&b->listings, &text);
	} else if (b->list == LIST_EVENTS) {
		strbuf_addf(&text, "Available samples: %zu of %zu events have some", b->sampled.nr,
			    b->events->nr);
	} else if (histogram) {
		strbuf_addstr(&text, "Samples: ");
		browser_add_number(&text, histogram->samples);
		strbuf_addf(&text, " of event '%s'", histogram->event->name);
		browser_add_filters(b, &text);
		strbuf_addf(&text, ", event count (approx.): %" PRIu64, histogram->period);
	} else {
		strbuf_addstr(&text, "No samples yet");
	}
	escape_controls(&text, 0);
	p->failed |= text.failed;
	browser_add_line(p, LINE_TITLE, strbuf_str(&text), 0, NULL);
}

/* Foreign texts can have characters that would move the cursor of the terminal. */
static void browser_tame(struct strbuf *text)
{
	for (size_t i = 0; i < text->len; i++)
		if (text->data[i] == '\t')
			text->data[i] = ' ';
	escape_controls(text, 0);
}

static void browser_add_event(const struct browser *b, size_t event, struct strbuf *text)
{
	_cleanup_(strbuf) struct strbuf number = STRBUF_INIT;

	browser_add_number(&number, histograms_get(b->histograms, event)->samples);
	strbuf_addf(text, "%10s  ", strbuf_str(&number));
	cells_add_name(text, b->events->items[event]->name, SIZE_MAX, false);
	text->failed |= number.failed;
}

static void browser_add_list_line(struct browser *b, size_t at, struct strbuf *text,
				  struct row_part *part)
{
	enum color_mode mode = color_mode;

	switch (b->list) {
	case LIST_ROWS:
		row_text_add(text, &b->columns, &b->rows, &b->view, &b->rows.items[at], part);
		break;
	case LIST_EVENTS:
		browser_add_event(b, b->sampled.items[at], text);
		break;
	case LIST_LISTING:
		/* The screen gets the coloured part separately. */
		color_mode = COLOR_NEVER;
		listings_add_line(&b->listings, at, text, part);
		color_mode = mode;
		browser_tame(text);
		break;
	}
}

static void browser_paint_list(struct browser_painter *p, size_t lines)
{
	struct browser *b = p->b;
	const struct browser_place *place = browser_place(b);
	size_t nr = browser_lines(b);
	_cleanup_(strbuf) struct strbuf text = STRBUF_INIT;

	for (size_t i = 0; i < lines; i++) {
		size_t at = place->top + i, width;
		struct row_part part = { 0 };

		strbuf_reset(&text);
		if (at < nr)
			browser_add_list_line(b, at, &text, &part);
		else if (!i && b->list == LIST_ROWS && browser_histogram(b))
			strbuf_addstr(&text, "Nothing passes the filters.  Esc removes one.");
		p->failed |= text.failed;
		width = cells_width(strbuf_str(&text));
		b->widest = width > b->widest ? width : b->widest;
		browser_add_line(p, at == place->cursor && at < nr ? LINE_SELECTED : LINE_PLAIN,
				 strbuf_str(&text), place->left, &part);
	}
}

/* The menu is below the rows; at least the current row is visible. */
static void browser_paint_menu(struct browser_painter *p, size_t lines)
{
	struct browser *b = p->b;
	size_t shown = b->menu.nr < lines ? b->menu.nr : lines > 1 ? lines - 1 : lines;
	size_t above = lines - shown, from = b->menu_at >= shown ? b->menu_at - shown + 1 : 0;
	struct browser_place *place = browser_place(b);
	size_t top = place->top;
	_cleanup_(strbuf) struct strbuf text = STRBUF_INIT;

	if (above && place->cursor - place->top >= above)
		place->top = place->cursor - above + 1;
	browser_paint_list(p, above);
	place->top = top;
	for (size_t i = from; i < from + shown; i++) {
		strbuf_reset(&text);
		strbuf_addf(&text, " %s", b->menu.items[i].text);
		escape_controls(&text, 0);
		p->failed |= text.failed;
		browser_add_line(p, i == b->menu_at ? LINE_SELECTED : LINE_STATUS,
				 strbuf_str(&text), 0, NULL);
	}
}

static void browser_paint_page(struct browser_painter *p, size_t lines)
{
	struct browser *b = p->b;
	_cleanup_(strbuf) struct strbuf text = STRBUF_INIT;
	const char *at = strbuf_str(&b->page);

	for (size_t i = 0; i < b->page_top + lines; i++) {
		size_t len = strcspn(at, "\n");

		if (i >= b->page_top) {
			strbuf_reset(&text);
			strbuf_add(&text, at, len);
			browser_tame(&text);
			p->failed |= text.failed;
			browser_add_line(p, LINE_PLAIN, strbuf_str(&text), b->page_left, NULL);
		}
		at += len + (at[len] == '\n');
	}
}

static void browser_paint_prompt(struct browser_painter *p)
{
	_cleanup_(strbuf) struct strbuf text = STRBUF_INIT;
	size_t width, from;

	strbuf_addstr(&text, browser_question(p->b->prompt));
	strbuf_addstr(&text, strbuf_str(&p->b->answer));
	escape_controls(&text, 0);
	p->failed |= text.failed;
	/* The end of the answer is seen, and room for the cursor. */
	width = cells_width(strbuf_str(&text));
	from = width + 1 > p->cells ? width + 1 - p->cells : 0;
	p->picture->cursor_column = width - from;
	browser_add_line(p, LINE_STATUS, strbuf_str(&text), from, NULL);
}

static void browser_paint_status(struct browser_painter *p)
{
	struct browser *b = p->b;
	_cleanup_(strbuf) struct strbuf text = STRBUF_INIT, place = STRBUF_INIT;
	size_t room, nr = browser_lines(b);

	if (b->mode == BROWSER_PROMPT) {
		browser_paint_prompt(p);
		return;
	}
	if (b->mode == BROWSER_PAGE)
		strbuf_addf(&place, " %zu/%zu", b->page_top + 1, b->page_lines);
	else
		strbuf_addf(&place, " %zu/%zu", nr ? browser_place(b)->cursor + 1 : 0, nr);
	if (b->message.len)
		strbuf_addstr(&text, strbuf_str(&b->message));
	else if (b->mode == BROWSER_PAGE)
		strbuf_addf(&text, "%s.  q goes back.", b->page_title);
	else if (b->mode == BROWSER_MENU)
		strbuf_addstr(&text, "Enter chooses, Esc goes back.");
	else if (b->list == LIST_LISTING)
		strbuf_addstr(&text, "h shows the keys, q goes back.");
	else
		strbuf_addstr(&text, "? shows the keys, q quits.");
	escape_controls(&text, 0);
	room = p->cells > place.len ? p->cells - place.len : 0;
	/* A message is more important than the position. */
	if (b->message.len && cells_width(strbuf_str(&text)) > room)
		room = p->cells;
	if (room < p->cells && room) {
		_cleanup_(strbuf) struct strbuf line = STRBUF_INIT;

		cells_add_window(&line, strbuf_str(&text), 0, room);
		strbuf_addstr(&line, strbuf_str(&place));
		browser_add_line(p, LINE_STATUS, strbuf_str(&line), 0, NULL);
	} else {
		browser_add_line(p, LINE_STATUS, strbuf_str(&text), 0, NULL);
	}
	p->failed |= text.failed;
}

/* Have a line of text for each line of the screen. */
static bool browser_fit_picture(struct browser_picture *picture, size_t lines)
{
	const struct browser_line empty = { .text = STRBUF_INIT };

	while (picture->nr > lines)
		strbuf_deinit(&picture->items[--picture->nr].text);
	while (picture->nr < lines)
		if (!array_push(picture, empty))
			return false;
	return true;
}

struct error *browser_paint(struct browser *b, size_t lines, size_t cells,
			    struct browser_picture *picture)
{
	struct browser_painter p = { .b = b, .picture = picture, .lines = lines, .cells = cells };
	bool head = !b->no_head && lines >= HEAD_LINES && b->mode != BROWSER_PAGE;
	_cleanup_(strbuf) struct strbuf text = STRBUF_INIT;
	size_t others = 2 + head + browser_has_state_line(b, lines);

	picture->cursor_column = SIZE_MAX;
	if (!browser_fit_picture(picture, lines))
		return &error_no_memory;
	b->body = lines > others ? lines - others : 1;
	b->fitted &= b->width == cells;
	b->width = cells;
	browser_clamp(b);
	b->widest = 0;
	if (b->list == LIST_ROWS) {
		if (!b->fitted)
			row_columns_fit(&b->columns, &b->rows, &b->view, cells);
		b->fitted = true;
		b->widest = b->columns.total;
		if (b->columns.total <= cells)
			b->place.left = 0;
	}
	if (lines > 1)
		browser_paint_title(&p);
	if (head) {
		if (b->list == LIST_LISTING)
			listings_add_head(&b->listings, &text);
		else if (b->list == LIST_EVENTS)
			strbuf_addstr(&text, "   Samples  Event");
		else
			row_text_add_head(&text, &b->columns, &b->view);
		browser_add_line(&p, LINE_HEAD, strbuf_str(&text), browser_place(b)->left, NULL);
	}
	if (b->mode == BROWSER_PAGE)
		browser_paint_page(&p, b->body);
	else if (b->mode == BROWSER_MENU)
		browser_paint_menu(&p, b->body);
	else
		browser_paint_list(&p, b->body);
	browser_paint_status(&p);
	return p.failed || text.failed ? &error_no_memory : NULL;
}

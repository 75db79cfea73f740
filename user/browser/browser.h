/* SPDX-License-Identifier: GPL-2.0 */
/*
 * A browser of histograms: the actions of its keys, and the lines that it shows.  It does not
 * depend on the terminal, which screen.h adds, and uses hooks for everything else.
 */
#ifndef KTRACE_BROWSER_BROWSER_H
#define KTRACE_BROWSER_BROWSER_H

#include <stdbool.h>
#include <stddef.h>

#include "browser/listing.h"
#include "browser/row_text.h"
#include "browser/rows.h"
#include "lib/array.h"
#include "lib/cleanup.h"
#include "lib/strbuf.h"
#include "profile/histogram/histogram.h"
#include "record/event.h"
#include "table/profile/histogram_text.h"

/* Keys that are no characters; characters are their code points. */
enum browser_key {
	BROWSER_NO_KEY = 0,
	BROWSER_CTRL_C = 3,
	BROWSER_TAB = '\t',
	BROWSER_ENTER = '\n',
	BROWSER_ESCAPE = 27,
	BROWSER_UP = 0x110000,
	BROWSER_DOWN,
	BROWSER_LEFT,
	BROWSER_RIGHT,
	BROWSER_PAGE_UP,
	BROWSER_PAGE_DOWN,
	BROWSER_HOME,
	BROWSER_END,
	BROWSER_BACK_TAB,
	BROWSER_BACKSPACE,
	BROWSER_F1,
	BROWSER_RESIZED,
	BROWSER_CLOSED,		/* the terminal is gone */
};

/*
 * The browser's requests to its owner: write() and zero() are for live browsers, all others for
 * recordings.  An action whose hook is NULL is not possible, which a message says.  Texts are
 * appended; they are escaped when they are shown.
 */
struct browser_hooks {
	void *data;
	/* Describe the recording. */
	struct error *(*header)(void *data, struct strbuf *ret);
	/* Count only the samples of these times ("10%-20%", "12.5,13"); "": all of them. */
	struct error *(*slice)(void *data, const char *times);
	/* Show the events around a sample, whose line is number *ret_line, counted from 0. */
	struct error *(*context)(void *data, const struct entry_sample *sample,
				 struct strbuf *ret, size_t *ret_line);
	/* Name the recordings that can be shown instead, one a line; show one of them. */
	struct error *(*files)(void *data, struct strbuf *ret);
	struct error *(*open_file)(void *data, const char *path);
	/*
	 * Name the scripts that can read the recording, one a line; add the output of one of them.
	 */
	struct error *(*scripts)(void *data, struct strbuf *ret);
	struct error *(*run_script)(void *data, const char *name, struct strbuf *ret);
	/* Write the last seconds as a recording, and name the file in a message. */
	struct error *(*write)(void *data, struct strbuf *ret_message);
	/* Reset the counts at each refresh, or no longer. */
	void (*zero)(void *data, bool zero);
};

/* The contents of the screen: a list, or a window that returns to the list. */
enum browser_mode { BROWSER_LIST, BROWSER_MENU, BROWSER_PROMPT, BROWSER_PAGE };

enum browser_list {
	LIST_ROWS,		/* the entries of an event */
	LIST_EVENTS,		/* the events that have samples */
	LIST_LISTING,		/* the code of a function */
};

/* A question whose answer is typed. */
enum browser_prompt { PROMPT_FILTER, PROMPT_LIMIT, PROMPT_TIMES, PROMPT_SEARCH };

/* The property that all shown entries share with one entry. */
enum browser_zoom { ZOOM_COMM = 1, ZOOM_THREAD, ZOOM_DSO, ZOOM_SYMBOL, ZOOM_KERNEL };

#define BROWSER_ZOOMS_MAX	5

struct browser;

struct browser_menu_item {
	const struct browser_action *action;
	enum browser_zoom zoom;		/* 0: run the action, or show the sample */
	struct entry_sample sample;	/* event NULL: there is none */
	/* In a menu of names: the action for the chosen name; else NULL. */
	struct error *(*choose)(struct browser *browser, const char *name);
	char *text;			/* owned */
};

struct browser {
	const struct report_options *report;	/* borrowed, like those below */
	const struct event_list *events;
	struct histograms *histograms;		/* NULL: there are only listings */
	const struct browser_action *actions;	/* of the list; set by browser_take_key() */
	struct browser_hooks hooks;
	bool live;		/* the histograms are refreshed repeatedly */

	enum browser_list list;
	struct rows_view view;
	struct rows rows;
	struct row_columns columns;
	bool fitted;		/* the columns fit the rows and the width; false after any change */
	size_t event;		/* index of the shown event */
	struct browser_place place;	/* in the rows */
	struct browser_place events_place;
	ARRAY_OF(size_t) sampled;	/* indexes of the events with samples, in their order */
	struct listings listings;
	size_t body;		/* lines that fit on the screen, when last painted */
	size_t width;		/* width of the screen then, cells */
	size_t widest;		/* of the lines shown then, cells */
	bool no_head;		/* titles of columns are not shown */
	bool frozen;		/* the owner should not refresh */
	bool zero;
	bool ended;		/* the user wants to quit */

	struct histogram_filter filter;
	char *filter_text, *filter_comm;	/* owned */
	enum browser_zoom zooms[BROWSER_ZOOMS_MAX];	/* in the order in which they were added */
	size_t nr_zooms;

	enum browser_mode mode;
	enum browser_prompt prompt;
	struct strbuf answer;	/* of the prompt, so far */
	ARRAY_OF(struct browser_menu_item) menu;
	size_t menu_at;
	struct strbuf page;	/* lines */
	const char *page_title;
	size_t page_top, page_left, page_lines;

	struct strbuf message;	/* for the last line, until the next key */
	struct strbuf state;	/* set by the owner: its activity, "Reading 12 %"; or empty */
	uint64_t lost;		/* set by the owner: lost samples */
};

/*
 * @report, @events and @histograms are borrowed.  The view begins as the report's options say, with
 * the list of events if there are several.
 *
 * Without histograms no report is needed.  The owner then opens a listing at once, and the browser
 * ends when that is closed.
 */
void browser_init(struct browser *browser, const struct report_options *report,
		  const struct event_list *events, struct histograms *histograms);
void browser_deinit(struct browser *browser);

/* Begin again with another recording, whose histograms are set next. */
void browser_begin(struct browser *browser, const struct event_list *events);

/* Show other histograms, for instance of another time.  All zooms end. */
struct error *browser_set_histograms(struct browser *browser, struct histograms *histograms);

/* The same for histograms of the same machine.  Zooms and expanded rows are kept. */
struct error *browser_swap_histograms(struct browser *browser, struct histograms *histograms);

/* All was read: if there is only one event, the list of events is not shown. */
void browser_settle(struct browser *browser);

/* Show the listing that was opened in browser->listings. */
void browser_show_listing(struct browser *browser);

/* Sort the histograms, and show the changes.  The only error is a lack of memory. */
struct error *browser_refresh(struct browser *browser);

/* Handle a key.  An error is meant for the user, and is shown by browser_tell_error(). */
struct error *browser_take_key(struct browser *browser, int key);

/* Show a message, or an error, which is freed. */
void browser_tell(struct browser *browser, const char *fmt, ...)
	__attribute__((format(printf, 2, 3)));
void browser_tell_error(struct browser *browser, struct error *err);

enum browser_line_kind { LINE_PLAIN, LINE_TITLE, LINE_HEAD, LINE_SELECTED, LINE_STATUS };

/* One line of the screen: text that fills it exactly. */
struct browser_line {
	enum browser_line_kind kind;
	struct strbuf text;
	struct row_part part;
};

struct browser_picture {
	struct browser_line *items;
	size_t nr, alloc;
	size_t cursor_column;	/* on the last line; SIZE_MAX: no cursor */
};

void browser_picture_deinit(struct browser_picture *picture);

/* Paint a screen of @lines lines of @cells cells each. */
struct error *browser_paint(struct browser *browser, size_t lines, size_t cells,
			    struct browser_picture *picture);

/* The histogram of the shown event; NULL: the event has no samples. */
const struct histogram *browser_histogram(const struct browser *browser);

/* Whether the row has a property that others may not have, so that one can zoom into it. */
bool browser_can_zoom(const struct browser *browser, const struct browser_row *row,
		      enum browser_zoom zoom);

#endif

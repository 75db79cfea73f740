/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Annotated listings of functions, which can be opened from each other: their lines, which lines
 * are shown, and which have the most samples.  Nothing here depends on terminals.
 */
#ifndef KTRACE_BROWSER_LISTING_H
#define KTRACE_BROWSER_LISTING_H

#include <stdbool.h>
#include <stddef.h>

#include "browser/row_text.h"
#include "lib/array.h"
#include "lib/cleanup.h"
#include "lib/strbuf.h"
#include "profile/annotation.h"
#include "profile/function_ranks.h"
#include "table/annotate/annotation_text.h"

/* The data of listings; all of it is borrowed. */
struct listing_source {
	struct machine *machine;
	const struct function_counts *functions;	/* NULL: no listings */
	struct source_texts *texts;
	const struct event_list *events;
	struct annotation_options options;
};

struct listing {
	struct counted_function function;	/* its addresses are not kept */
	struct annotation *annotation;
	struct browser_place place;
	size_t *shown;		/* the shown lines, in their order */
	size_t nr_shown;
	size_t *hot;		/* the lines with samples, those with the most first */
	size_t nr_hot;
};

struct listings {
	struct listing_source source;
	struct annotation_text_options text;
	bool no_source;			/* only instructions are shown */
	bool show_sources;		/* show the number of jumps to a line */
	size_t event;			/* of the first column */
	bool all;			/* all events have columns */
	struct event_columns columns;
	ARRAY_OF(struct listing *) stack;	/* the last one is shown; others led there */
	struct strbuf searched;		/* the last searched text */
	bool backwards;			/* the last search was towards the first line */
};

void listings_deinit(struct listings *listings);
DEFINE_CLEANUP(listings, struct listings, listings_deinit)

/* The shown listing; NULL: none. */
struct listing *listings_current(const struct listings *listings);

/*
 * Open the listing of a function at its hottest line; its columns begin with @event.  ENOENT: it
 * has no samples, or its code is not on this machine; the error has the reason.
 */
struct error *listings_open(struct listings *listings, const struct dso *dso,
			    const struct symbol *symbol, size_t event);

/* Open the first function with a listing, by its samples of @event; @name as in function_ranks. */
struct error *listings_open_hottest(struct listings *listings, size_t event, const char *name);

/* Show the next (@step 1) or the previous (-1) function instead, by its samples. */
struct error *listings_turn(struct listings *listings, int step);

/* Go to the target of the instruction; *ret_back: it returns from the function. */
struct error *listings_follow(struct listings *listings, bool *ret_back);

/* Close the shown listing, or all of them. */
void listings_back(struct listings *listings);
void listings_close(struct listings *listings);

/* Show the current samples of the function. */
struct error *listings_refresh(struct listings *listings);

/* Go to the hottest line, or from there to the next hot one (@step 1), or back (-1). */
bool listings_go_hot(struct listings *listings, int step);

/* Go to the next line with the searched text; false: there is none. */
bool listings_search(struct listings *listings, bool backwards);

struct error *listings_toggle_source(struct listings *listings);

/* Show the next event, then all of them side by side, then the first one again. */
struct error *listings_turn_columns(struct listings *listings);

/* Append the types of the objects that the function accesses. */
struct error *listings_add_types(const struct listings *listings, struct strbuf *ret);

/* Append the whole listing in the format of ktrace annotate. */
void listings_add_text(const struct listings *listings, struct strbuf *ret);

/* Append the title above the lines, the titles of their columns, and the line of a row. */
void listings_add_title(const struct listings *listings, struct strbuf *ret);
void listings_add_head(const struct listings *listings, struct strbuf *ret);
void listings_add_line(const struct listings *listings, size_t row, struct strbuf *ret,
		       struct row_part *ret_part);

#endif

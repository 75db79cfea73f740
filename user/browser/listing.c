// SPDX-License-Identifier: GPL-2.0
#include "browser/listing.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "browser/cells.h"
#include "lib/array.h"
#include "profile/data_types.h"
#include "table/annotate/data_type_text.h"

/* Functions without code that are passed over at most, until one is found that has it. */
#define TRIED_MAX	100

static void listing_destroy(struct listing *l)
{
	if (!l)
		return;
	annotation_destroy(l->annotation);
	free(l->shown);
	free(l->hot);
	free(l);
}

DEFINE_CLEANUP_PTR(listing, struct listing, listing_destroy)

void listings_back(struct listings *listings)
{
	if (listings->stack.nr)
		listing_destroy(listings->stack.items[--listings->stack.nr]);
}

void listings_close(struct listings *listings)
{
	while (listings->stack.nr)
		listings_back(listings);
	listings->all = false;
}

void listings_deinit(struct listings *listings)
{
	listings_close(listings);
	free(listings->stack.items);
	listings->stack.items = NULL;
	event_columns_deinit(&listings->columns);
	strbuf_deinit(&listings->searched);
}

struct listing *listings_current(const struct listings *listings)
{
	return listings->stack.nr ? listings->stack.items[listings->stack.nr - 1] : NULL;
}

static bool listing_has_samples(const struct listing *l, size_t line)
{
	for (size_t i = 0; i < l->annotation->columns; i++)
		if (l->annotation->lines.items[line].counts[i].samples)
			return true;
	return false;
}

/* The hottest line first: by the first column, then by the further ones. */
static int listing_compare_hot(const void *x, const void *y, void *context)
{
	const size_t *a = x, *b = y;
	const struct annotation *annotation = context;
	const struct annotation_line *lines = annotation->lines.items;
	int result = 0;

	for (size_t i = 0; i < annotation->columns && !result; i++)
		result = array_descending(lines[*a].counts[i].period, lines[*b].counts[i].period);
	return result ? result : *a < *b ? -1 : *a > *b;
}

static void listing_find_hot(struct listing *l)
{
	l->nr_hot = 0;
	for (size_t i = 0; i < l->annotation->lines.nr; i++)
		if (listing_has_samples(l, i))
			l->hot[l->nr_hot++] = i;
	qsort_r(l->hot, l->nr_hot, sizeof(*l->hot), listing_compare_hot, l->annotation);
}

/* Choose the lines that are seen. */
static void listing_choose_lines(const struct listings *listings, struct listing *l)
{
	l->nr_shown = 0;
	for (size_t i = 0; i < l->annotation->lines.nr; i++)
		if (!listings->no_source ||
		    l->annotation->lines.items[i].kind == ANNOTATION_INSTRUCTION)
			l->shown[l->nr_shown++] = i;
}

/* Put the cursor on the line, or on the next one that is seen. */
static void listing_go_to(struct listing *l, size_t line)
{
	size_t row = 0;

	while (row + 1 < l->nr_shown && l->shown[row] < line)
		row++;
	l->place.cursor = row;
}

static size_t listing_line(const struct listing *l)
{
	return l->place.cursor < l->nr_shown ? l->shown[l->place.cursor] : ANNOTATION_NOWHERE;
}

static struct error *listing_create(const struct listings *listings,
				    const struct counted_function *function, struct listing **ret)
{
	const struct listing_source *source = &listings->source;
	_cleanup_(listing) struct listing *l = calloc(1, sizeof(*l));
	struct error *err;
	size_t nr;

	if (!l)
		return &error_no_memory;
	l->function = *function;
	err = annotation_create(source->machine, &l->function, listings->columns.events,
				listings->columns.nr, &source->options, source->texts,
				&l->annotation);
	if (err)
		return err;
	/* The addresses are those of the counts, which move when samples come. */
	memset(&l->function.addresses, 0, sizeof(l->function.addresses));
	nr = l->annotation->lines.nr + 1;
	l->shown = calloc(nr, sizeof(*l->shown));
	l->hot = calloc(nr, sizeof(*l->hot));
	if (!l->shown || !l->hot)
		return &error_no_memory;
	listing_choose_lines(listings, l);
	listing_find_hot(l);
	if (l->nr_hot)
		listing_go_to(l, l->hot[0]);
	*ret = take_ptr(l);
	return NULL;
}

static struct error *listings_push(struct listings *listings,
				   const struct counted_function *function)
{
	struct listing *made;
	struct error *err = listing_create(listings, function, &made);

	if (err)
		return err;
	if (array_push(&listings->stack, made))
		return NULL;
	listing_destroy(made);
	return &error_no_memory;
}

static struct error *listings_make_columns(struct listings *listings)
{
	event_columns_deinit(&listings->columns);
	return event_columns_make(listings->source.events, listings->source.functions,
				  listings->event, listings->all, &listings->columns);
}

struct error *listings_open(struct listings *listings, const struct dso *dso,
			    const struct symbol *symbol, size_t event)
{
	const struct counted_function *function = NULL;
	struct error *err;

	if (symbol)
		function = function_counts_find(listings->source.functions, dso, symbol);
	if (!function)
		return error_new(ENOENT, "No sample is in %s itself", symbol ? symbol->name :
				 "a function that is known");
	listings->event = event;
	err = listings_make_columns(listings);
	return err ? err : listings_push(listings, function);
}

/* Show the first function of the ranks, from @at on in steps, whose code is here. */
static struct error *listings_push_any(struct listings *listings,
				       const struct function_ranks *ranks, size_t at, int step)
{
	struct error *err = NULL;

	for (size_t tried = 0; at < ranks->nr && tried < TRIED_MAX; at += step, tried++) {
		struct error *failed = listings_push(listings, ranks->items[at].function);

		if (!failed || failed->code != ENOENT) {
			error_free(err);
			return failed;
		}
		/* The first reason is that of the function that was meant. */
		if (err)
			error_free(failed);
		else
			err = error_prefix(failed, "%s cannot be shown",
					   ranks->items[at].function->symbol->name);
	}
	return err;
}

struct error *listings_open_hottest(struct listings *listings, size_t event, const char *name)
{
	_cleanup_(function_ranks) struct function_ranks ranks = { 0 };
	struct error *err;

	listings->event = event;
	err = listings_make_columns(listings);
	if (!err)
		err = function_ranks_make(listings->source.functions, &listings->columns, name,
					  &ranks);
	return err ? err : listings_push_any(listings, &ranks, 0, 1);
}

struct error *listings_turn(struct listings *listings, int step)
{
	const struct listing *l = listings_current(listings);
	_cleanup_(function_ranks) struct function_ranks ranks = { 0 };
	size_t at = 0, nr = listings->stack.nr;
	struct error *err;

	err = function_ranks_make(listings->source.functions, &listings->columns, NULL, &ranks);
	if (err)
		return err;
	while (at < ranks.nr && (ranks.items[at].function->dso != l->function.dso ||
				 ranks.items[at].function->symbol != l->function.symbol))
		at++;
	/* A function without samples is treated as before all others. */
	if (at == ranks.nr)
		at = step > 0 ? 0 : SIZE_MAX;
	else
		at += step;
	err = listings_push_any(listings, &ranks, at, step);
	if (!err && listings->stack.nr == nr)
		return error_new(ENOENT, "No function with %s samples is there", step > 0 ? "fewer" :
				 "more");
	if (err)
		return err;
	/* It replaces the shown one. */
	listing_destroy(listings->stack.items[nr - 1]);
	listings->stack.items[nr - 1] = listings->stack.items[nr];
	listings->stack.nr = nr;
	return NULL;
}

/* Find the function that a stub of the linker leads to, by its name, among those with samples. */
static const struct counted_function *listings_find_stub(const struct listings *listings,
							 const char *stub)
{
	const struct function_counts *functions = listings->source.functions;
	const char *at = strstr(stub, "@plt");

	for (size_t i = 0; at && i < function_counts_nr(functions); i++) {
		const struct counted_function *f = function_counts_at(functions, i);

		if (!strncmp(f->symbol->name, stub, at - stub) && !f->symbol->name[at - stub])
			return f;
	}
	return NULL;
}

static struct error *listings_enter(struct listings *listings, const struct listing *from,
				    const struct symbol *symbol, uint64_t start)
{
	struct counted_function called = {
		.dso = from->function.dso, .symbol = symbol, .start = start,
	};
	const struct counted_function *known;

	known = function_counts_find(listings->source.functions, called.dso, symbol);
	if (!known)
		known = listings_find_stub(listings, symbol->name);
	return listings_push(listings, known ? known : &called);
}

struct error *listings_follow(struct listings *listings, bool *ret_back)
{
	struct listing *l = listings_current(listings);
	size_t at = listing_line(l);
	const struct annotation_line *line;
	const struct symbol *symbol;
	uint64_t start, offset;
	struct error *err;

	*ret_back = false;
	if (at == ANNOTATION_NOWHERE)
		return NULL;
	line = &l->annotation->lines.items[at];
	if (line->kind != ANNOTATION_INSTRUCTION)
		return error_new(EINVAL, "Source lines have no target; calls and jumps have one");
	if (line->target != ANNOTATION_NOWHERE) {
		listing_go_to(l, line->target);
		return NULL;
	}
	if (!strncmp(line->text, "ret", 3)) {
		*ret_back = true;
		return NULL;
	}
	symbol = annotation_target(l->annotation, at, &start, &offset);
	if (!symbol)
		return error_new(EINVAL, "This instruction has no target, or its target is "
				 "unknown");
	err = listings_enter(listings, l, symbol, start);
	if (err && err->code == ENOENT)
		err = error_prefix(err, "%s cannot be shown", symbol->name);
	return err;
}

struct error *listings_refresh(struct listings *listings)
{
	struct listing *l = listings_current(listings);
	const struct counted_function *function;
	struct error *err;

	if (!l)
		return NULL;
	err = listings_make_columns(listings);
	if (err)
		return err;
	function = function_counts_find(listings->source.functions, l->function.dso,
					l->function.symbol);
	/* With more columns than before, there is no room for the counts. */
	if (!function || l->annotation->columns != listings->columns.nr)
		return NULL;
	annotation_count(l->annotation, function, listings->columns.events);
	listing_find_hot(l);
	return NULL;
}

bool listings_go_hot(struct listings *listings, int step)
{
	struct listing *l = listings_current(listings);
	size_t line = listing_line(l), at = 0;

	if (!l->nr_hot)
		return false;
	while (at < l->nr_hot && l->hot[at] != line)
		at++;
	/* From a line without samples, it is the hottest that is gone to. */
	if (at == l->nr_hot || !step)
		at = 0;
	else
		at = (at + l->nr_hot + step) % l->nr_hot;
	listing_go_to(l, l->hot[at]);
	return true;
}

bool listings_search(struct listings *listings, bool backwards)
{
	struct listing *l = listings_current(listings);
	const size_t step = backwards ? SIZE_MAX : 1;

	for (size_t at = l->place.cursor + step; at < l->nr_shown; at += step) {
		const char *text = l->annotation->lines.items[l->shown[at]].text;

		if (text && strstr(text, strbuf_str(&listings->searched))) {
			l->place.cursor = at;
			return true;
		}
	}
	return false;
}

struct error *listings_toggle_source(struct listings *listings)
{
	const struct listing *shown = listings_current(listings);

	if (!shown->annotation->has_lines)
		return error_hint(error_new(ENOENT, "There is no debug information of %s here",
					    shown->annotation->code.path),
				  "Compile with -g, or install its debug package");
	listings->no_source = !listings->no_source;
	for (size_t i = 0; i < listings->stack.nr; i++) {
		struct listing *l = listings->stack.items[i];
		size_t line = listing_line(l), above = l->place.cursor - l->place.top;

		listing_choose_lines(listings, l);
		if (line != ANNOTATION_NOWHERE)
			listing_go_to(l, line);
		l->place.top = l->place.cursor > above ? l->place.cursor - above : 0;
	}
	return NULL;
}

/* The next event with samples behind @event; SIZE_MAX: none. */
static size_t listings_event_behind(const struct listings *listings, size_t event)
{
	while (++event < listings->source.events->nr)
		if (function_counts_total(listings->source.functions, event).samples)
			return event;
	return SIZE_MAX;
}

/* Create all listings again, because their columns have changed. */
static struct error *listings_remake(struct listings *listings)
{
	struct error *err = listings_make_columns(listings);

	for (size_t i = 0; i < listings->stack.nr && !err; i++) {
		struct listing *old = listings->stack.items[i], *made;
		const struct counted_function *function;
		size_t line = listing_line(old);

		function = function_counts_find(listings->source.functions, old->function.dso,
						old->function.symbol);
		err = listing_create(listings, function ? function : &old->function, &made);
		if (err)
			break;
		made->place = old->place;
		if (line != ANNOTATION_NOWHERE)
			listing_go_to(made, line);
		listings->stack.items[i] = made;
		listing_destroy(old);
	}
	return err;
}

struct error *listings_turn_columns(struct listings *listings)
{
	size_t first = listings_event_behind(listings, SIZE_MAX);
	size_t next = listings->all ? SIZE_MAX : listings_event_behind(listings, listings->event);

	if (first == SIZE_MAX || listings_event_behind(listings, first) == SIZE_MAX)
		return error_new(ENOENT, "No other event has samples");
	listings->all = !listings->all && next == SIZE_MAX;
	listings->event = next == SIZE_MAX ? first : next;
	return listings_remake(listings);
}

struct error *listings_add_types(const struct listings *listings, struct strbuf *ret)
{
	const struct event_columns *columns = &listings->columns;
	const struct data_type_columns shown = { columns->events, columns->names, columns->nr };
	const struct listing *l = listings_current(listings);
	_cleanup_(data_types) struct data_types *types = NULL;
	_cleanup_(ranked_types) struct ranked_types ranked = { 0 };
	struct error *err;

	err = data_types_create(listings->source.machine, listings->source.functions,
				listings->source.events->nr, l->function.symbol->name,
				&listings->source.options.disassembly, &types);
	if (!err)
		err = data_types_rank(types, columns->events, columns->nr, &ranked);
	if (!err && !ranked.nr)
		err = error_new(ENOENT, "%s has no sample whose data could have a type",
				l->function.symbol->name);
	for (size_t i = 0; i < ranked.nr && !err; i++)
		data_type_text_add(ranked.items[i].type, &shown, listings->text.number, ret);
	return err;
}

void listings_add_text(const struct listings *listings, struct strbuf *ret)
{
	annotation_text_add(listings_current(listings)->annotation,
			    strbuf_str(&listings->columns.name), listings->columns.totals,
			    &listings->text, ret);
}

void listings_add_title(const struct listings *listings, struct strbuf *ret)
{
	const struct listing *l = listings_current(listings);
	uint64_t samples = 0;

	for (size_t i = 0; i < l->annotation->columns; i++)
		samples += l->annotation->totals[i].samples;
	strbuf_addf(ret, "%s  %s  %" PRIu64 " samples of '%s', percent: %s",
		    l->function.symbol->name, l->function.dso->name, samples,
		    strbuf_str(&listings->columns.name),
		    percent_type_name(&listings->text.percent));
	if (l->annotation->source_is_newer)
		strbuf_addstr(ret, ", source is newer than the binary");
	if (l->annotation->code.cut)
		strbuf_addf(ret, ", only its first %d KiB", CODE_MAX >> 10);
}

void listings_add_head(const struct listings *listings, struct strbuf *ret)
{
	static const char *const titles[] = {
		[ANNOTATION_PERCENT] = "Percent", [ANNOTATION_SAMPLES] = "Samples",
		[ANNOTATION_PERIOD] = "Event count",
	};
	const struct annotation *a = listings_current(listings)->annotation;
	size_t width = annotation_text_numbers_width(a, &listings->text) / a->columns;

	if (listings->show_sources)
		strbuf_addstr(ret, "Jumps");
	for (size_t i = 0; i < a->columns; i++) {
		strbuf_addch(ret, ' ');
		if (a->columns > 1)
			cells_add_name(ret, listings->columns.names[i], width - 1, true);
		else
			strbuf_addf(ret, "%*s", (int)width - 1, titles[listings->text.number]);
	}
	strbuf_addstr(ret, " : Source code and instructions");
}

static size_t listing_jumps_to(const struct annotation *a, size_t line)
{
	size_t nr = 0;

	for (size_t i = 0; i < a->lines.nr; i++)
		nr += a->lines.items[i].target == line;
	return nr;
}

static double listing_highest(const struct listings *listings, const struct annotation *a,
			      const struct annotation_line *line)
{
	double highest = 0;

	for (size_t i = 0; i < a->columns; i++) {
		double percent = annotation_percent(&listings->text.percent, &line->counts[i],
						    &a->totals[i], &listings->columns.totals[i]);

		highest = percent > highest ? percent : highest;
	}
	return highest;
}

void listings_add_line(const struct listings *listings, size_t row, struct strbuf *ret,
		       struct row_part *ret_part)
{
	const struct listing *l = listings_current(listings);
	const struct annotation *a = l->annotation;
	const struct annotation_line *line = &a->lines.items[l->shown[row]];
	size_t jumps = listings->show_sources ? listing_jumps_to(a, l->shown[row]) : 0;

	if (listings->show_sources && jumps)
		strbuf_addf(ret, "%4zu ", jumps);
	else if (listings->show_sources)
		strbuf_add_spaces(ret, 5);
	*ret_part = (struct row_part){ .role = COLOR_FAINT, .from = ret->len, .len = SIZE_MAX };
	annotation_text_add_line(a, l->shown[row], listings->columns.totals, &listings->text, ret);
	/* The end of the line. */
	if (ret->len)
		ret->len--;
	if (line->kind == ANNOTATION_INSTRUCTION) {
		ret_part->role = color_of_percent(listing_highest(listings, a, line));
		ret_part->len = annotation_text_numbers_width(a, &listings->text);
	}
}

// SPDX-License-Identifier: GPL-2.0
/*
 * The verdicts of ktrace diff, for the page.
 */
#include "output/page/page.h"

#include <stdlib.h>
#include <string.h>

#include "lib/array.h"
#include "output/profile_rendering.h"

/* Rows behind these are left out, and counted. */
#define DIFF_ROWS	3000

struct shown_difference {
	const struct comparison_row *row;
	const struct difference *difference;
	double share;			/* the larger one of both sides */
};

struct page_diff {
	struct json_writer *json;
	struct dictionary *strings;
	const struct page_comparison *comparison;
	const struct comparison_event *event;
	bool failed;			/* memory is out */
};

/* The cost of a row in a side, as part of all cost there or, for costs, of that before. */
static double side_share(const struct page_diff *diff, const struct comparison_row *row,
			 const struct comparison_side *side)
{
	const struct comparison_side *all = diff->comparison->absolute ? &diff->comparison->before :
					    side;
	double part = 0, whole = 0;

	for (size_t i = 0; i < side->nr; i++)
		part += row->cells[side->files[i]].period;
	for (size_t i = 0; i < all->nr; i++)
		whole += diff->event->files[all->files[i]].period;
	return whole ? part / side->nr / (whole / all->nr) : 0;
}

DEFINE_COMPARISON(compare_shown, struct shown_difference, array_order(y->share, x->share) ?:
		  array_order(x->row, y->row))

static uint32_t diff_string(struct page_diff *diff, const char *text)
{
	int32_t number = dictionary_number(diff->strings, text, strlen(text));

	diff->failed |= number < 0;
	return number;
}

/* The texts of the keys are the binary and "[k] name". */
static void add_diff_row(struct page_diff *diff, const struct shown_difference *shown)
{
	const char *binary = shown->row->texts[0], *symbol = shown->row->texts[1];
	const struct difference *d = shown->difference;
	struct json_writer *json = diff->json;
	bool named = strncmp(symbol + 4, "0x", 2) != 0;

	json_begin_row(json, NULL);
	json_add_unsigned(json, "name", diff_string(diff, symbol + 4));
	json_add_unsigned(json, "binary", diff_string(diff, binary));
	json_add_unsigned(json, "kind", !named ? PROFILE_UNKNOWN :
			  symbol[1] == 'k' ? PROFILE_KERNEL : PROFILE_USER);
	json_add_double(json, "before", side_share(diff, shown->row, &diff->comparison->before));
	json_add_double(json, "after", side_share(diff, shown->row, &diff->comparison->after));
	/* Shares of the measurements, which are not exactly those of the whole. */
	json_add_double(json, "mean", d->before);
	json_add_double(json, "change", d->change);
	json_add_double(json, "detectable", d->detectable);
	json_add_text(json, "verdict", difference_word(d->verdict));
	json_end_object(json);
}

static struct error *add_diff_rows(struct page_diff *diff, const struct difference *differences)
{
	const struct page_comparison *comparison = diff->comparison;
	size_t nr = diff->event->rows.nr;
	_cleanup_free_ struct shown_difference *shown = calloc(nr + 1, sizeof(*shown));

	if (!shown)
		return &error_no_memory;
	for (size_t i = 0; i < nr; i++) {
		const struct comparison_row *row = diff->event->rows.items[i];
		double before = side_share(diff, row, &comparison->before);
		double after = side_share(diff, row, &comparison->after);

		shown[i] = (struct shown_difference){ row, &differences[i],
						      before > after ? before : after };
	}
	if (nr)
		qsort(shown, nr, sizeof(*shown), compare_shown);
	json_add_unsigned(diff->json, "rows", nr);
	json_begin_array(diff->json, "functions");
	for (size_t i = 0; i < nr && i < DIFF_ROWS; i++)
		add_diff_row(diff, &shown[i]);
	json_end_array(diff->json);
	return diff->failed ? &error_no_memory : NULL;
}

static struct error *add_diff_event(struct page_diff *diff, size_t number)
{
	const struct page_comparison *comparison = diff->comparison;
	const struct difference_options options = { .level = COMPARISON_LEVEL };
	size_t nr = diff->event->rows.nr;
	_cleanup_free_ struct difference *differences = calloc(nr + 1, sizeof(*differences));
	struct comparison_basis basis;
	struct error *err;

	if (!differences)
		return &error_no_memory;
	err = comparison_judge_event(diff->event, &comparison->before, &comparison->after,
				     comparison->absolute, &options, differences, &basis);
	if (err)
		return err;
	json_begin_object(diff->json, NULL);
	json_add_unsigned(diff->json, "event", number);
	json_add_bool(diff->json, "runs", basis.runs);
	json_add_bool(diff->json, "absolute", comparison->absolute);
	json_add_unsigned(diff->json, "before", basis.before);
	json_add_unsigned(diff->json, "after", basis.after);
	err = add_diff_rows(diff, differences);
	json_end_object(diff->json);
	return err;
}

static bool page_diff_has_name(const struct page_diff *diff, const struct comparison_event *event,
			       const char *name)
{
	const struct comparison_side *after = &diff->comparison->after;

	for (size_t i = 0; i < after->nr; i++)
		if (event->files[after->files[i]].name &&
		    !strcmp(event->files[after->files[i]].name, name))
			return true;
	return !strcmp(event->name, name);
}

/* The event of the comparison that has the name of an event of the profile; NULL: none. */
static const struct comparison_event *find_diff_event(const struct page_diff *diff,
						      const char *name)
{
	for (size_t i = 0; i < comparison_nr(diff->comparison->comparison); i++) {
		const struct comparison_event *event =
			comparison_event(diff->comparison->comparison, i);

		if (event->rows.nr && page_diff_has_name(diff, event, name))
			return event;
	}
	return NULL;
}

struct error *page_diff_add(struct json_writer *json, struct dictionary *strings,
			    const struct profile *profile,
			    const struct rendering_request *request)
{
	struct page_diff diff = {
		.json = json, .strings = strings, .comparison = request->comparison,
	};
	struct error *err = NULL;

	if (!request->comparison) {
		json_add_null(json, "diff");
		return NULL;
	}
	json_begin_object(json, "diff");
	json_begin_array(json, "names");
	for (size_t i = 0; i < diff.comparison->before.nr; i++)
		json_add_text(json, NULL, diff.comparison->names[i]);
	json_end_array(json);
	json_begin_array(json, "events");
	for (size_t i = 0; i < profile->events.nr && !err; i++) {
		diff.event = find_diff_event(&diff, profile_event_name(request, profile, i));
		if (diff.event)
			err = add_diff_event(&diff, i);
	}
	json_end_array(json);
	json_end_object(json);
	return err;
}

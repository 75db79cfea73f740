// SPDX-License-Identifier: GPL-2.0
#include "check/cost.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "check/finding.h"
#include "format/event_format.h"
#include "lib/array.h"
#include "terminal/terminal.h"

void costs_deinit(struct costs *costs)
{
	array_free_each(costs, .event);
	*costs = (struct costs){ 0 };
}

DEFINE_COMPARISON(compare_seconds, uint64_t, array_order(*x, *y))

/* Find the smallest time, and how far the median is from it. */
static void sum_up(struct cost_times times, uint64_t *ret_least, uint64_t *ret_noise)
{
	qsort(times.ns, times.nr, sizeof(*times.ns), compare_seconds);
	*ret_least = times.ns[0];
	*ret_noise = times.ns[times.nr / 2] - times.ns[0];
}

struct cost cost_of(const struct cost_times *without, const struct cost_times *with,
		    double firings)
{
	uint64_t before, after, noise_before, noise_after;
	struct cost cost = { 0 };

	if (!without->nr || !with->nr || firings <= 0)
		return cost;
	sum_up(*without, &before, &noise_before);
	sum_up(*with, &after, &noise_after);
	cost.ns = ((double)after - (double)before) / firings;
	cost.noise = ((double)noise_before + (double)noise_after) / firings;
	cost.is_known = cost.ns > cost.noise;
	return cost;
}

double costs_blur_of(const struct cost_times *times)
{
	uint64_t least, noise;

	if (!times->nr)
		return 0;
	sum_up(*times, &least, &noise);
	/* A cost is the difference of two such times. */
	return 2.0 * noise;
}

/* Keep two digits. */
static double round_up_cost(double number)
{
	double scale = 1;

	while (number / scale >= 100)
		scale *= 10;
	return (uint64_t)(number / scale + 0.5) * scale;
}

double costs_firings_needed(double blur, double ns)
{
	return round_up_cost(blur / ns);
}

static void add_cost_text(struct strbuf *out, const struct cost *cost)
{
	char text[64];

	if (cost->is_known)
		snprintf(text, sizeof(text), "%.0f ±%.0f", cost->ns, cost->noise);
	else
		snprintf(text, sizeof(text), "unknown ±%.0f", cost->noise);
	/* Pad by one more: "±" has two bytes and one column. */
	strbuf_addf(out, " %17s", text);
}

/* With this much noise, in ns, most costs are known. */
#define SMALL_NOISE 10

/* The noise of a whole run, in ns, if it leaves costs of @row unknown; else 0. */
static double blur_of(const struct cost_row *row)
{
	double noise = 0;

	if (row->why)
		return 0;
	if (!row->recorded.is_known)
		noise = row->recorded.noise;
	if (!row->rejected.is_known && row->rejected.noise > noise)
		noise = row->rejected.noise;
	return noise > SMALL_NOISE ? noise * row->firings : 0;
}

/* Append how the costs could be measured. */
static void add_hint(const struct costs *costs, struct strbuf *out)
{
	_cleanup_(strbuf) struct strbuf text = STRBUF_INIT;
	size_t columns = terminal_columns();
	double blur = 0;

	for (size_t i = 0; i < costs->nr; i++)
		if (blur_of(&costs->items[i]) > blur)
			blur = blur_of(&costs->items[i]);
	if (!blur)
		return;
	strbuf_addf(&text, "unknown: the runs of the command differ by as much as this costs.  "
		    "Some %.0f firings in each%srun would make that noise ±%d; a guest that "
		    "counts instructions has none (man ktrace-check)",
		    round_up_cost(blur / SMALL_NOISE), columns ? " " : "\n", SMALL_NOISE);
	terminal_add_wrapped(out, strbuf_str(&text), 0, 0, columns);
	strbuf_addch(out, '\n');
}

/* How wide the first column is, and all of the table with it. */
#define NAME_COLUMNS	38
#define TABLE_COLUMNS	92

static int cost_name_columns(void)
{
	int columns = terminal_columns();

	return columns && columns < TABLE_COLUMNS ? NAME_COLUMNS + columns - TABLE_COLUMNS :
	       NAME_COLUMNS;
}

void costs_print(const struct costs *costs, struct strbuf *out)
{
	int width = cost_name_columns();

	if (costs->nr)
		strbuf_addf(out, "%-*s %10s %16s %16s %8s\n", width, "cost in ns of CPU time",
			    "firings", "recorded", "rejected", "bytes");
	for (size_t i = 0; i < costs->nr; i++) {
		const struct cost_row *row = &costs->items[i];

		if (!i || strcmp(row->event, row[-1].event))
			strbuf_addf(out, "%s\n", row->event);
		strbuf_addf(out, "  %-*s", width - 2, row->way);
		if (row->why) {
			strbuf_addch(out, ' ');
			terminal_add_wrapped(out, row->why, width + 1, width + 1,
					     terminal_columns());
			strbuf_addch(out, '\n');
			continue;
		}
		strbuf_addf(out, " %10.0f", row->firings);
		add_cost_text(out, &row->recorded);
		add_cost_text(out, &row->rejected);
		strbuf_addf(out, " %8.1f\n", row->bytes);
	}
	add_hint(costs, out);
}

static const struct field *own_number(const struct event_format *format)
{
	for (size_t i = format->nr_common; i < format->nr_fields; i++) {
		const struct field *field = &format->fields[i];

		if (field->kind == FIELD_INTEGER && !field->is_pointer)
			return field;
	}
	return NULL;
}

struct error *rejecting_filter_add(const struct result *result, struct strbuf *ret)
{
	_cleanup_(formats) struct formats *formats = NULL;
	const struct field *field = NULL;
	struct error *err;

	err = formats_create(&formats);
	if (err)
		return err;
	/* A format that cannot be parsed has common fields nevertheless. */
	err = formats_add(formats, result->system, result->text, strlen(result->text));
	if (err)
		error_free(err);
	else if (formats_count(formats))
		field = own_number(formats_at(formats, 0));
	/* Mostly the first comparison decides; both numbers fit into every type. */
	if (field)
		strbuf_addf(ret, "%s == 113 && %s == 114", field->name, field->name);
	else
		/* No task has this number. */
		strbuf_addstr(ret, "common_pid == -1");
	return ret->failed ? &error_no_memory : NULL;
}

// SPDX-License-Identifier: GPL-2.0
#include "table/stat/stat_versus.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "lib/escape.h"
#include "lib/json.h"

/* A longer name makes only its own line longer. */
#define NAME_WIDTH_MAX	40

/* A part of the first command's mean, in percent; NAN: unknown, or there is no mean. */
static double stat_versus_percent(const struct difference *d, double part)
{
	return d->before ? 100 * part / d->before : NAN;
}

/* The text behind a verdict: the smallest change that could have been found. */
static void stat_versus_add_reason(const struct difference *d, struct strbuf *out)
{
	double detectable = stat_versus_percent(d, d->detectable);
	char size[32];

	snprintf(size, sizeof(size), detectable < 10 ? "%.2g" : "%.0f", detectable);
	switch (d->verdict) {
	case DIFFERENCE_MORE:
	case DIFFERENCE_LESS:
		strbuf_addf(out, d->q < 0.001 ? " (q < 0.001)" : " (q %.3f)", d->q);
		break;
	case DIFFERENCE_NONE:
	case DIFFERENCE_UNKNOWN:
		if (detectable > 0)
			strbuf_addf(out, " (%s %% would show)", size);
		break;
	}
}

static void stat_versus_add_percent(double percent, int width, struct strbuf *out)
{
	if (isfinite(percent))
		strbuf_addf(out, "%+*.1f", width, percent);
	else
		strbuf_addf(out, "%*s", width, "-");
}

static void stat_versus_add_text(const struct stat_versus_row *row, size_t width,
				 struct strbuf *out)
{
	const struct difference *d = &row->difference;
	size_t from;

	if (!row->known) {
		strbuf_addf(out, "%27s      ", row->supported ? "<not counted>" : "<not supported>");
	} else {
		strbuf_addf(out, "%13.*f %13.*f %-4s ", (int)row->digits, d->before,
			    (int)row->digits, d->after, row->unit);
	}
	from = out->len;
	strbuf_addstr(out, row->name);
	escape_controls(out, from);
	if (row->known) {
		if (out->len - from < width)
			strbuf_add_spaces(out, width - (out->len - from));
		stat_versus_add_percent(stat_versus_percent(d, d->change), 7, out);
		strbuf_addstr(out, " %  ");
		strbuf_addstr(out, difference_word(d->verdict));
		stat_versus_add_reason(d, out);
		if (row->shared)
			strbuf_addstr(out, ", extrapolated");
	}
	strbuf_addch(out, '\n');
}

static void stat_versus_add_csv(const struct stat_layout *layout,
				const struct stat_versus_row *row, struct strbuf *out)
{
	const struct difference *d = &row->difference;
	const char *sep = layout->separator;
	const double percents[] = { d->change, d->low, d->high, d->detectable };
	size_t from = out->len;

	strbuf_addstr(out, row->name);
	escape_controls(out, from);
	strbuf_addf(out, "%s%s%s", sep, row->unit, sep);
	if (!row->known) {
		strbuf_addf(out, "%s%s%s%s%s%s%s%s\n",
			    row->supported ? "<not counted>" : "<not supported>", sep, sep, sep,
			    sep, sep, sep, sep);
		return;
	}
	strbuf_addf(out, "%.*f%s%.*f", (int)row->digits, d->before, sep, (int)row->digits, d->after);
	for (size_t i = 0; i < sizeof(percents) / sizeof(percents[0]); i++) {
		double percent = stat_versus_percent(d, percents[i]);

		strbuf_addstr(out, sep);
		if (isfinite(percent))
			strbuf_addf(out, "%.3f", percent);
	}
	strbuf_addf(out, "%s%.4f%s%s\n", sep, d->q, sep, difference_word(d->verdict));
}

static void stat_versus_add_json(const struct stat_versus_row *row, struct strbuf *out)
{
	struct json_writer json = { .out = out };
	const struct difference *d = &row->difference;

	json_begin_row(&json, NULL);
	json_add_text(&json, "event", row->name);
	json_add_text(&json, "unit", row->unit);
	if (!row->known) {
		json_add_text(&json, "verdict",
			      row->supported ? "<not counted>" : "<not supported>");
	} else {
		json_add_double(&json, "before", d->before);
		json_add_double(&json, "after", d->after);
		json_add_double(&json, "change", d->change);
		json_add_double(&json, "low", d->low);
		json_add_double(&json, "high", d->high);
		json_add_double(&json, "detectable", d->detectable);
		json_add_double(&json, "p", d->p);
		json_add_double(&json, "q", d->q);
		json_add_bool(&json, "extrapolated", row->shared);
		json_add_text(&json, "verdict", difference_word(d->verdict));
	}
	json_end_object(&json);
	json_end(&json);
}

void stat_versus_add(const struct stat_layout *layout, const struct stat_versus_row *rows,
		     size_t nr, struct strbuf *out)
{
	size_t width = 0;

	for (size_t i = 0; i < nr; i++)
		if (strlen(rows[i].name) > width && strlen(rows[i].name) <= NAME_WIDTH_MAX)
			width = strlen(rows[i].name);
	if (layout->form == STAT_FORM_TEXT)
		strbuf_addf(out, "%13s %13s %-4s %-*s%7s\n", "first", "second", "", (int)width, "",
			    "change");
	for (size_t i = 0; i < nr; i++) {
		if (layout->form == STAT_FORM_CSV)
			stat_versus_add_csv(layout, &rows[i], out);
		else if (layout->form == STAT_FORM_JSON)
			stat_versus_add_json(&rows[i], out);
		else
			stat_versus_add_text(&rows[i], width, out);
	}
}

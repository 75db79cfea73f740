// SPDX-License-Identifier: GPL-2.0
#include "table/profile/histogram_table.h"

#include <inttypes.h>
#include <string.h>

#include "lib/color.h"

/* How narrow a column of names may become on a terminal. */
#define NAME_WIDTH_MIN	10

/* The columns of sums: their titles, and how wide their values are. */
static const struct metric_column {
	const char *title;
	uint8_t width;
	bool percent;
} metrics[] = {
	[METRIC_CHILDREN] = { "Children", 8, true }, [METRIC_OVERHEAD] = { "Overhead", 8, true },
	[METRIC_SYS] = { "sys", 8, true }, [METRIC_USER] = { "usr", 8, true },
	[METRIC_SAMPLES] = { "Samples", 12, false }, [METRIC_PERIOD] = { "Period", 12, false },
	[METRIC_LATENCY] = { "Latency", 8, true },
};

const char *histogram_table_only_name(const struct histogram_options *options,
				      enum histogram_key key)
{
	const char *list = key == KEY_COMM ? options->comms :
			   key == KEY_DSO ? options->dsos :
			   key == KEY_SYMBOL ? options->symbols : NULL;

	return list && !strchr(list, ',') ? list : NULL;
}

bool histogram_table_is_key(const struct histogram_table *t, size_t column, size_t *position)
{
	return histogram_column_is_key(t->columns[column], position);
}

const char *histogram_table_title(const struct histogram_table *t, size_t column)
{
	size_t position;

	if (histogram_table_is_key(t, column, &position))
		return histogram_key_text_title(&t->options, position);
	if (t->columns[column] == METRIC_OVERHEAD && t->options.children && !*t->options.order)
		return "Self";
	return metrics[t->columns[column]].title;
}

static size_t narrowest_column(enum histogram_key key)
{
	/* Addresses without names are not cut. */
	return key == KEY_SYMBOL ? ADDRESS_WIDTH : key == KEY_PID ? NAME_WIDTH_MIN + 2 :
	       NAME_WIDTH_MIN;
}

/* Find the widest column of names; MAX_COLUMNS: none can become narrower. */
static size_t widest_column(const struct histogram_table *t)
{
	size_t widest = MAX_COLUMNS, position;

	for (size_t i = 0; t->columns[i]; i++)
		if (histogram_table_is_key(t, i, &position) &&
		    t->cells[i].width > narrowest_column(t->options.keys[position]) &&
		    (widest == MAX_COLUMNS || t->cells[i].width > t->cells[widest].width))
			widest = i;
	return widest;
}

bool histogram_table_fit(struct histogram_table *t, size_t columns)
{
	bool fitted = false;
	size_t total = 0;

	for (size_t i = 0; t->columns[i]; i++)
		total += 2 + t->cells[i].width;
	for (; columns && total > columns; total--) {
		size_t widest = widest_column(t);

		if (widest == MAX_COLUMNS)
			break;
		t->cells[widest].width--;
		t->cells[widest].cut_end = false;
		fitted = true;
	}
	return fitted;
}

static double share(uint64_t part, uint64_t whole)
{
	return whole ? 100.0 * part / whole : 0;
}

static uint64_t event_whole(const struct histogram_table *t, size_t event)
{
	const struct histogram *histogram = t->events->items[event];

	return histogram ? histogram_whole(histogram) : 0;
}

static uint64_t event_whole_latency(const struct histogram_table *t, size_t event)
{
	const struct histogram *histogram = t->events->items[event];

	return histogram ? histogram_whole_latency(histogram) : 0;
}

double histogram_table_percent(const struct histogram_table *t, const struct histogram_row *row)
{
	return share(t->options.children ? row->sums->children : row->sums->period,
		     event_whole(t, 0));
}

/* As in perf, a blank precedes each value, also with a separator and in narrow columns. */
void histogram_table_add_sums(const struct histogram_table *t, size_t column,
			      const struct histogram_row *row, struct strbuf *ret)
{
	const struct metric_column *metric = &metrics[t->columns[column]];
	int width = t->report->widths[column] ? t->report->widths[column] : metric->width;

	if (t->report->separator)
		width = 0;
	for (size_t i = 0; i < t->events->nr; i++) {
		uint64_t value = histogram_sum(&row->sums[i], t->columns[column]);
		double percent = share(value, t->columns[column] == METRIC_LATENCY ?
					      event_whole_latency(t, i) : event_whole(t, i));
		enum color_role role = color_of_percent(percent);

		strbuf_addch(ret, ' ');
		if (metric->percent)
			strbuf_addf(ret, "%s%*.2f%%%s", color_on(role), width > 2 ? width - 2 : 0,
				    percent, color_off(role));
		else
			strbuf_addf(ret, "%*" PRIu64, width > 1 ? width - 1 : 0, value);
	}
}

/* Fields are as wide as in perf: for numbers, as their hexadecimal digits. */
static size_t field_width(const struct field *field)
{
	size_t width = strlen(field->name), size = field->size;

	if (field->kind == FIELD_INTEGER)
		size = field->size * 2 + 2;
	else if (field->kind > FIELD_ARRAY)
		size = 0;
	return width > size ? width : size;
}

/* As in perf, columns of sums have room for their titles, and for all events. */
static size_t sums_width(const struct histogram_table *t, size_t column)
{
	size_t title = strlen(histogram_table_title(t, column));
	size_t least = metrics[t->columns[column]].width, wanted = t->report->widths[column];
	size_t width = wanted ? wanted : least;

	if (t->events->nr > 1 && t->events->nr * least > width)
		width = t->events->nr * least;
	return width < title ? title : width;
}

static size_t key_width(const struct histogram_table *t, size_t position,
			const struct field *field)
{
	size_t width = field ? field_width(field) :
			       histogram_key_text_least(t->options.keys[position]);

	for (size_t i = 0; i < t->rows.nr; i++) {
		size_t wanted = histogram_key_text_width(&t->options, position,
							 t->rows.items[i].entry);

		if (wanted > width && (!field || field->kind > FIELD_ARRAY))
			width = wanted;
	}
	return width;
}

static const struct field *histogram_find_field(const struct histogram_table *t, size_t position)
{
	const struct histogram_field *field = &t->options.fields[position];

	if (!t->first->format || (field->event && field->event != t->first->event->index + 1))
		return NULL;
	return event_format_field(t->first->format, field->name);
}

/* Find the columns of a table and their widths: its events may have no such field. */
static void histogram_choose_columns(struct histogram_table *t)
{
	size_t nr = 0, position;

	for (const uint8_t *column = t->options.columns; *column; column++) {
		const struct field *field = NULL;

		t->columns[nr] = *column;
		if (!histogram_column_is_key(*column, &position)) {
			t->cells[nr].width = sums_width(t, nr);
			nr++;
			continue;
		}
		if (histogram_table_only_name(&t->options, t->options.keys[position]))
			continue;
		if (t->options.keys[position] == KEY_FIELD) {
			field = histogram_find_field(t, position);
			if (!field)
				continue;
		}
		t->cells[nr].width = key_width(t, position, field);
		if (t->report->widths[nr])
			t->cells[nr] = (struct histogram_cell){ t->report->widths[nr], true };
		nr++;
	}
	t->columns[nr] = 0;
}

struct error *histogram_table_init(struct histogram_table *t, const struct report_events *events,
				   const struct report_options *report)
{
	struct histogram_group group = {
		.options = &report->histogram, .events = events->items, .nr = events->nr,
		.sort_event = report->sort_event, .levels = t->levels,
	};
	struct error *err;

	*t = (struct histogram_table){
		.events = events, .report = report, .options = report->histogram,
	};
	for (size_t i = 0; i < events->nr && !t->first; i++)
		t->first = events->items[i];
	histogram_columns_complete(&t->options);
	for (size_t i = 0; report->hierarchy && t->options.keys[i]; i++)
		t->levels[t->nr_levels++] = i;
	group.nr_levels = t->nr_levels;
	err = histogram_rows_make(&group, &t->rows);
	if (!err)
		histogram_choose_columns(t);
	return err;
}

void histogram_table_deinit(struct histogram_table *t)
{
	histogram_rows_deinit(&t->rows);
}

// SPDX-License-Identifier: GPL-2.0
/* Providers of the tables of histograms (table/tables.def), without a command line. */
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "record/event.h"
#include "session/callchain.h"
#include "states/wall_time.h"
#include "symbol/dso.h"
#include "table/print/table_provider.h"
#include "table/profile/histogram_text.h"

#define WALL_TABLE_KEYS "tid,task_state,dso,sym"

/* An entry of an event's histogram. */
struct profile_row {
	const struct histogram *histogram;
	const struct histogram_entry *entry;
	bool has_callers;
};

struct profile_maker {
	struct table_maker maker;
	struct session_consumer consumer;	/* of wall time: in front of the histogram's */
	const struct event_list *events;
	struct histogram_options options;
	struct histograms *histograms;
	struct wall_time *wall;
};

/* ---- columns ------------------------------------------------------------- */

static void profile_get_event(const struct table_cell *cell, struct table_value *ret)
{
	const struct profile_row *row = cell->row;

	strbuf_addstr(ret->text, row->histogram->event->name);
}

static void profile_get_task(const struct table_cell *cell, struct table_value *ret)
{
	const struct histogram_entry *entry = ((const struct profile_row *)cell->row)->entry;

	strbuf_addstr(ret->text, entry->comm ? entry->comm : entry->task);
}

static void profile_get_tid(const struct table_cell *cell, struct table_value *ret)
{
	ret->integer = ((const struct profile_row *)cell->row)->entry->tid;
}

static void profile_get_state(const struct table_cell *cell, struct table_value *ret)
{
	const struct histogram_entry *entry = ((const struct profile_row *)cell->row)->entry;
	/* Its position among WALL_TABLE_KEYS. */
	const struct histogram_value *value = entry->extra ? &entry->extra[1] : NULL;

	ret->missing = !value || !value->text;
	if (!ret->missing)
		strbuf_addstr(ret->text, value->text);
}

static void profile_get_dso(const struct table_cell *cell, struct table_value *ret)
{
	const struct dso *dso = ((const struct profile_row *)cell->row)->entry->dso;

	strbuf_addstr(ret->text, dso ? dso->short_name : "[unknown]");
}

static void profile_get_symbol(const struct table_cell *cell, struct table_value *ret)
{
	const struct histogram_entry *entry = ((const struct profile_row *)cell->row)->entry;

	if (entry->symbol)
		strbuf_addstr(ret->text, entry->symbol->name);
	else
		strbuf_addf(ret->text, "0x%" PRIx64, entry->address);
}

static void profile_get_sum(const struct table_cell *cell, struct table_value *ret)
{
	const struct histogram_entry *entry = ((const struct profile_row *)cell->row)->entry;

	ret->number = cell->column->key == METRIC_SAMPLES ? entry->samples : entry->period;
}

static void profile_get_share(const struct table_cell *cell, struct table_value *ret)
{
	const struct profile_row *row = cell->row;
	uint64_t whole = histogram_whole(row->histogram);
	bool callers = cell->column->key == METRIC_CHILDREN;

	ret->missing = !whole || (callers && !row->has_callers);
	if (!ret->missing)
		ret->real = 100.0 * (callers ? row->entry->children : row->entry->period) / whole;
}

#define PROFILE_SHARE(title, metric, head) \
	{ .name = title, .unit = TABLE_PERCENT, .type = TABLE_FLOAT, .value = profile_get_share, \
	  .key = metric, .heading = head, .width = 8, .decimals = 2, .behind = "%" }
#define PROFILE_TEXT(title, get, head, least) \
	{ .name = title, .type = TABLE_TEXT, .value = get, .heading = head, .width = -(least) }
#define PROFILE_SAMPLES \
	{ .name = "samples", .unit = TABLE_COUNT, .type = TABLE_UNSIGNED, \
	  .value = profile_get_sum, .key = METRIC_SAMPLES, .heading = "Samples", .width = 9 }

static const struct table_column report_columns[] = {
	PROFILE_SHARE("children", METRIC_CHILDREN, "Children"),
	PROFILE_SHARE("self", METRIC_OVERHEAD, "Self"),
	PROFILE_SAMPLES,
	{ .name = "period", .type = TABLE_UNSIGNED, .value = profile_get_sum,
	  .key = METRIC_PERIOD, .heading = "Period", .width = 12 },
	PROFILE_TEXT("event", profile_get_event, "Event", 16),
	PROFILE_TEXT("comm", profile_get_task, "Command", 15),
	PROFILE_TEXT("dso", profile_get_dso, "Shared Object", 20),
	PROFILE_TEXT("symbol", profile_get_symbol, "Symbol", 0),
};

static const struct table_column wall_columns[] = {
	PROFILE_SHARE("share", METRIC_OVERHEAD, "Share"),
	{ .name = "time", .unit = TABLE_NS, .type = TABLE_UNSIGNED, .value = profile_get_sum,
	  .key = METRIC_PERIOD, .heading = "Time (ms)", .width = 12, .divisor = 1e6, .decimals = 6 },
	PROFILE_SAMPLES,
	PROFILE_TEXT("state", profile_get_state, "State", 8),
	{ .name = "tid", .type = TABLE_SIGNED, .value = profile_get_tid, .heading = "Tid",
	  .width = 7 },
	PROFILE_TEXT("comm", profile_get_task, "Command", 15),
	PROFILE_TEXT("dso", profile_get_dso, "Shared Object", 20),
	PROFILE_TEXT("symbol", profile_get_symbol, "Symbol", 0),
};

/* ---- making them --------------------------------------------------------- */

static void profile_add_rows(const struct profile_maker *m, const struct histogram *histogram,
			     struct table_printer *printer)
{
	struct profile_row row = { .histogram = histogram, .has_callers = m->options.children };

	for (size_t i = 0; histogram && i < histogram->nr; i++) {
		row.entry = histogram->items[i];
		table_add_row(printer, &row);
	}
}

static struct error *profile_maker_add(struct table_maker *maker, const struct table_output *output,
				       struct strbuf *out)
{
	struct profile_maker *m = container_of(maker, struct profile_maker, maker);
	bool is_wall = maker->provider->key;
	const struct table table = {
		.name = is_wall ? "wall_time" : "report",
		.columns = is_wall ? wall_columns : report_columns,
		.nr = is_wall ? ARRAY_SIZE(wall_columns) : ARRAY_SIZE(report_columns),
		.between = "  ",
	};
	const struct event_list *events = m->events;
	struct error *err = histograms_sort(m->histograms);
	struct table_printer printer;

	if (err)
		return err;
	table_begin(&printer, &table, output, out);
	for (size_t i = 0; i < events->nr; i++)
		profile_add_rows(m, histograms_get(m->histograms, i), &printer);
	table_end(&printer);
	return NULL;
}

static void profile_maker_deinit(struct table_maker *maker)
{
	struct profile_maker *m = container_of(maker, struct profile_maker, maker);

	wall_time_destroy(m->wall);
	histograms_destroy(m->histograms);
}

static struct error *report_maker_check(const struct table_provider *provider,
					const struct event_list *events)
{
	if (events->nr)
		return NULL;
	return error_hint(error_new(ENODATA, "The recording has no events"),
			  "'ktrace record' records cycles unless -e names others");
}

static struct error *profile_maker_begin(struct profile_maker *m, const char *keys)
{
	struct error *err = histogram_keys_parse(&m->options, keys);

	m->options.max_stack = CALLCHAIN_DEPTH;
	return err ? err : histograms_create(&m->options, &m->histograms);
}

static struct error *report_maker_init(struct table_maker *maker, const struct table_source *source)
{
	struct profile_maker *m = container_of(maker, struct profile_maker, maker);
	struct error *err;

	m->events = source->events;
	m->options.children = event_list_has(source->events, PERF_SAMPLE_CALLCHAIN);
	err = profile_maker_begin(m, REPORT_DEFAULT_KEYS);
	if (!err)
		maker->consumer = histograms_consumer(m->histograms);
	return err;
}

const struct table_provider table_report = {
	.needs_machine = true, .size = sizeof(struct profile_maker), .check = report_maker_check,
	.init = report_maker_init, .deinit = profile_maker_deinit, .add = profile_maker_add,
};

/* Only the own samples of wall_time are times. */
static struct error *wall_maker_sample(struct session_consumer *consumer,
				       const struct session_record *r)
{
	struct profile_maker *m = container_of(consumer, struct profile_maker, consumer);
	struct session_consumer *next = histograms_consumer(m->histograms);

	return r->task_state ? next->sample(next, r) : NULL;
}

static struct error *wall_maker_other(struct session_consumer *consumer,
				      const struct session_record *r)
{
	struct profile_maker *m = container_of(consumer, struct profile_maker, consumer);
	struct session_consumer *next = histograms_consumer(m->histograms);

	return next->other(next, r);
}

static struct error *wall_maker_check(const struct table_provider *provider,
				      const struct event_list *events)
{
	return wall_time_check(events);
}

static struct error *wall_maker_init(struct table_maker *maker, const struct table_source *source)
{
	struct profile_maker *m = container_of(maker, struct profile_maker, maker);
	struct error *err = profile_maker_begin(m, WALL_TABLE_KEYS);

	m->events = source->events;
	m->consumer = (struct session_consumer){
		.sample = wall_maker_sample, .other = wall_maker_other,
	};
	if (!err)
		err = wall_time_create(m->events, &m->consumer, &m->wall);
	if (!err)
		maker->consumer = wall_time_consumer(m->wall);
	return err;
}

static void wall_maker_tell(const struct table_maker *maker, struct strbuf *out)
{
	wall_time_add_missing(container_of(maker, struct profile_maker, maker)->wall, out);
}

const struct table_provider table_wall_time = {
	.needs_machine = true, .key = true, .size = sizeof(struct profile_maker),
	.check = wall_maker_check, .init = wall_maker_init, .deinit = profile_maker_deinit,
	.add = profile_maker_add, .tell = wall_maker_tell,
};

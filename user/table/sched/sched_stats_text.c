// SPDX-License-Identifier: GPL-2.0
#include "table/sched/sched_stats_text.h"

#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "lib/array.h"
#include "lib/escape.h"

#define STATS_WIDTH	100

/* Of one recording, or of two that are compared. */
struct stats_row {
	const struct sched_stats *stats, *other;
	const struct sched_stat_place *place, *other_place;
	const struct sched_stat_field *field;
};

enum stats_column { STATS_VALUE, STATS_RELATION, STATS_OTHER_VALUE, STATS_OTHER_RELATION };

static double stats_change(double from, double to)
{
	return from ? 100 * (to - from) / from : 0;
}

static void stats_add_rule(const char *title, struct strbuf *out)
{
	size_t len = strlen(title), before = (STATS_WIDTH - len) / 2;

	strbuf_pad(out, out->len + before, '-');
	strbuf_addstr(out, title);
	strbuf_pad(out, out->len + STATS_WIDTH - len - before, '-');
	strbuf_addch(out, '\n');
}

static void stats_add_legend(const struct sched_stats *stats, bool describe, struct strbuf *out)
{
	static const char *const words[][2] = {
		{ "DESC", "the name of the counter" }, { "COUNT", "how often, or how much" },
		{ "PCT_CHANGE", "the share of the counter that it is part of, or the change" },
		{ "AVG_JIFFIES", "the average time from one event to the next" },
	};

	strbuf_addstr(out, "Description\n");
	stats_add_rule("", out);
	for (size_t i = 0; i < ARRAY_SIZE(words); i++)
		strbuf_addf(out, "%-30s-> %s\n", words[i][0], words[i][1]);
	for (int domain = 0; domain < 2 && describe; domain++) {
		struct sched_stat_field fields[SCHED_STAT_FIELDS];
		size_t nr = sched_stat_fields(stats->version, domain, fields);

		stats_add_rule(domain ? " Domains " : " CPUs ", out);
		for (size_t i = 0; i < nr; i++)
			strbuf_addf(out, "%-30s-> %s\n", fields[i].name, fields[i].describes);
	}
	stats_add_rule("", out);
}

static void stats_add_title(const struct sched_stat_place *place, struct strbuf *out)
{
	size_t from = out->len;

	if (place->cpu < 0)
		strbuf_addstr(out, "CPU <ALL CPUS SUMMARY>");
	else
		strbuf_addf(out, "CPU %" PRId32, place->cpu);
	if (place->domain >= 0 && place->name)
		strbuf_addf(out, ", DOMAIN %s", place->name);
	else if (place->domain >= 0)
		strbuf_addf(out, ", DOMAIN %" PRId32, place->domain);
	if (place->domain >= 0 && place->cpus)
		strbuf_addf(out, " CPUS %s", place->cpus);
	escape_controls(out, from);
	strbuf_addch(out, '\n');
}

static void stats_add_number(const struct sched_stat_field *field, double value, int width,
			     struct strbuf *out)
{
	if (field->form == SCHED_STAT_PULLED)
		strbuf_addf(out, "%*.2f", width, value);
	else
		strbuf_addf(out, "%*.0f", width, value);
}

static void stats_add_name(const struct sched_stat_field *field, struct strbuf *out)
{
	bool derived = field->form >= SCHED_STAT_SUCCESSES;

	if (field->category) {
		_cleanup_(strbuf) struct strbuf title = STRBUF_INIT;
		bool is_kind = field->form == SCHED_STAT_JIFFIES || strchr(field->category, '(');

		strbuf_addf(&title, is_kind ? " <Category %s> " : " <%s> ", field->category);
		stats_add_rule(strbuf_str(&title), out);
	}
	strbuf_addf(out, derived ? "*%-64s: " : "%-65s: ", field->name);
}

static void stats_add_line(const struct stats_row *row, struct strbuf *out)
{
	double relation;

	stats_add_name(row->field, out);
	stats_add_number(row->field, sched_stat_value(row->place, row->field), 11, out);
	if (sched_stat_relation(row->place, row->field, row->stats->end - row->stats->begin,
				&relation))
		strbuf_addf(out, row->field->form == SCHED_STAT_SHARE ? "  ( %8.2f%% )" :
			    "  $ %11.2f $", relation);
	strbuf_addch(out, '\n');
}

static void stats_add_pair(const struct stats_row *row, struct strbuf *out)
{
	double one = sched_stat_value(row->place, row->field);
	double two = sched_stat_value(row->other_place, row->field), first, second;

	stats_add_name(row->field, out);
	stats_add_number(row->field, one, 11, out);
	strbuf_addch(out, ',');
	stats_add_number(row->field, two, 11, out);
	strbuf_addf(out, "  | %8.2f%% |", stats_change(one, two));
	if (sched_stat_relation(row->place, row->field, row->stats->end - row->stats->begin,
				&first) &&
	    sched_stat_relation(row->other_place, row->field, row->other->end - row->other->begin,
				&second))
		strbuf_addf(out, row->field->form == SCHED_STAT_SHARE ?
			    "  ( %8.2f%%,  %8.2f%% )" : "  $ %11.2f, %11.2f $", first, second);
	strbuf_addch(out, '\n');
}

static void stats_add_place(const struct stats_row *of, struct strbuf *out)
{
	struct sched_stat_field fields[SCHED_STAT_FIELDS];
	bool domain = of->place->domain >= 0;
	size_t nr = sched_stat_fields(of->stats->version, domain, fields);

	stats_add_rule("", out);
	stats_add_title(of->place, out);
	stats_add_rule("", out);
	if (of->other)
		strbuf_addf(out, domain ? "%-65s %12s %11s %12s %16s %12s\n" :
			    "%-65s %12s %11s %12s %14s %11s\n", "DESC", "COUNT1", "COUNT2",
			    "PCT_CHANGE", domain ? "AVG_JIFFIES1" : "PCT_CHANGE1",
			    domain ? "AVG_JIFFIES2" : "PCT_CHANGE2");
	else
		strbuf_addf(out, domain ? "%-65s %12s %14s\n" : "%-65s %12s %12s\n", "DESC",
			    "COUNT", domain ? "AVG_JIFFIES" : "PCT_CHANGE");
	if (!domain)
		stats_add_rule("", out);
	for (size_t i = 0; i < nr; i++) {
		struct stats_row row = *of;

		row.field = &fields[i];
		if (of->other)
			stats_add_pair(&row, out);
		else
			stats_add_line(&row, out);
	}
	if (domain)
		stats_add_rule("", out);
}

/* ---- CSV and JSON ------------------------------------------------------------------- */

static void stats_get_cpu(const struct table_cell *cell, struct table_value *ret)
{
	const struct stats_row *row = cell->row;

	ret->integer = cell->column->key ? row->place->domain : row->place->cpu;
	ret->missing = ret->integer < 0;
}

static void stats_get_text(const struct table_cell *cell, struct table_value *ret)
{
	const struct stats_row *row = cell->row;
	const char *text = cell->column->key ? row->place->cpus : row->place->name;

	ret->missing = !text;
	strbuf_addstr(ret->text, text ? text : "");
}

static void stats_get_field(const struct table_cell *cell, struct table_value *ret)
{
	const struct stats_row *row = cell->row;

	strbuf_addstr(ret->text, row->field->name);
}

static void stats_get_number(const struct table_cell *cell, struct table_value *ret)
{
	const struct stats_row *row = cell->row;
	bool other = cell->column->key >= STATS_OTHER_VALUE;
	const struct sched_stat_place *place = other ? row->other_place : row->place;
	const struct sched_stats *stats = other ? row->other : row->stats;

	if (cell->column->key == STATS_VALUE || cell->column->key == STATS_OTHER_VALUE)
		ret->real = sched_stat_value(place, row->field);
	else
		ret->missing = !sched_stat_relation(place, row->field, stats->end - stats->begin,
						    &ret->real);
}

static void stats_get_change(const struct table_cell *cell, struct table_value *ret)
{
	const struct stats_row *row = cell->row;

	ret->real = stats_change(sched_stat_value(row->place, row->field),
				 sched_stat_value(row->other_place, row->field));
}

#define STATS_PLACE \
	{ .name = "cpu", .type = TABLE_SIGNED, .value = stats_get_cpu }, \
	{ .name = "domain", .type = TABLE_SIGNED, .value = stats_get_cpu, .key = 1 }, \
	{ .name = "domain_name", .value = stats_get_text }, \
	{ .name = "domain_cpus", .value = stats_get_text, .key = 1 }, \
	{ .name = "field", .value = stats_get_field }
#define STATS_NUMBER(id, which) \
	{ .name = id, .type = TABLE_FLOAT, .value = stats_get_number, .key = which }

static const struct table_column stats_columns[] = {
	STATS_PLACE, STATS_NUMBER("value", STATS_VALUE), STATS_NUMBER("relation", STATS_RELATION),
};

static const struct table_column stats_diff_columns[] = {
	STATS_PLACE, STATS_NUMBER("value1", STATS_VALUE), STATS_NUMBER("value2", STATS_OTHER_VALUE),
	{ .name = "change", .unit = TABLE_PERCENT, .type = TABLE_FLOAT, .value = stats_get_change },
	STATS_NUMBER("relation1", STATS_RELATION), STATS_NUMBER("relation2", STATS_OTHER_RELATION),
};

static void stats_add_rows(struct table_printer *printer, const struct stats_row *of)
{
	struct sched_stat_field fields[SCHED_STAT_FIELDS];
	size_t nr = sched_stat_fields(of->stats->version, of->place->domain >= 0, fields);

	for (size_t i = 0; i < nr; i++) {
		struct stats_row row = *of;

		row.field = &fields[i];
		table_add_row(printer, &row);
	}
}

static void stats_add_all(const struct sched_stats *stats, const struct sched_stats *other,
			  bool all, const struct table_output *output, struct strbuf *out)
{
	const struct table table = {
		.name = other ? "sched_stats_diff" : "sched_stats",
		.columns = other ? stats_diff_columns : stats_columns,
		.nr = other ? ARRAY_SIZE(stats_diff_columns) : ARRAY_SIZE(stats_columns),
	};
	bool is_text = output->format == TABLE_AS_TEXT;
	struct table_printer printer;

	if (!is_text)
		table_begin(&printer, &table, output, out);
	for (size_t i = 0; i < stats->places.nr; i++) {
		struct stats_row row = { .stats = stats, .other = other,
					 .place = &stats->places.items[i] };

		if (!all && row.place->cpu >= 0)
			break;
		if (other)
			row.other_place = sched_stats_find(other, row.place->cpu,
							   row.place->domain);
		if (other && !row.other_place)
			continue;
		if (is_text)
			stats_add_place(&row, out);
		else
			stats_add_rows(&printer, &row);
	}
	if (!is_text)
		table_end(&printer);
}

void sched_stats_add(const struct sched_stats *stats, bool describe,
		     const struct table_output *output, struct strbuf *out)
{
	if (output->format == TABLE_AS_TEXT) {
		stats_add_legend(stats, describe, out);
		strbuf_addf(out, "\n%-65s: %11" PRIu64 "\n", "Time elapsed (in jiffies)",
			    stats->end - stats->begin);
		stats_add_rule("", out);
		strbuf_addch(out, '\n');
	}
	stats_add_all(stats, NULL, true, output, out);
}

struct error *sched_stats_add_diff(const struct sched_stats *one, const struct sched_stats *two,
				   bool all, bool describe, const struct table_output *output,
				   struct strbuf *out)
{
	if (one->version != two->version)
		return error_hint(error_new(EINVAL, "The recordings have version %u and %u of "
					    "/proc/schedstat, which count in different ways",
					    one->version, two->version),
				  "'ktrace sched stats report' shows each of them");
	if (output->format == TABLE_AS_TEXT) {
		stats_add_legend(one, describe, out);
		strbuf_addf(out, "%-65s: %11" PRIu64 ",%11" PRIu64 "\n",
			    "Time elapsed (in jiffies)", one->end - one->begin,
			    two->end - two->begin);
		stats_add_rule("", out);
		strbuf_addch(out, '\n');
	}
	stats_add_all(one, two, all, output, out);
	return NULL;
}

// SPDX-License-Identifier: GPL-2.0
#include "table/stat/stat_text.h"

#include <inttypes.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "counts/stat_metric.h"
#include "lib/array.h"
#include "lib/escape.h"
#include "lib/json.h"
#include "lib/number.h"

#define NS_PER_S	1000000000ULL

/* Widths of perf's columns. */
#define VALUE_WIDTH	18
#define UNIT_WIDTH	4
#define NAME_WIDTH	32
#define NO_VALUE_NAME_WIDTH	25
#define METRIC_WIDTH	35
#define METRIC_ONLY_WIDTH	20
#define METRIC_INDENT	49

/* The line of one event in one set. */
struct stat_line {
	const struct stat_layout *layout;
	const struct stat_table *table;
	const struct stat_table_event *event;
	const struct stat_set *set;
	const struct stat_cell *cell;
	const uint64_t *time;
	size_t nr_metrics;
	struct stat_metric metrics[STAT_METRICS_MAX];
	bool cgroups;
	int unit_width;
};

static void stat_add_escaped(struct strbuf *out, const char *text)
{
	size_t from = out->len;

	strbuf_addstr(out, text);
	escape_controls(out, from);
}

static const char *stat_separator(const struct stat_layout *layout)
{
	return layout->form == STAT_FORM_CSV ? layout->separator : " ";
}

static void stat_add_time(const struct stat_layout *layout, const uint64_t *time,
			  struct strbuf *out)
{
	if (time)
		strbuf_addf(out, "%6" PRIu64 ".%09" PRIu64 "%s", (uint64_t)(*time / NS_PER_S),
			    (uint64_t)(*time % NS_PER_S), stat_separator(layout));
}

static void stat_add_thread(const struct stat_set *set, bool csv, const char *sep,
			    struct strbuf *out)
{
	_cleanup_(strbuf) struct strbuf name = STRBUF_INIT;

	stat_add_escaped(&name, set->place.comm);
	strbuf_addf(out, csv ? "%s-%" PRId64 "%s" : "%16s-%-8" PRId64 "%s", strbuf_str(&name),
		    set->place.tid, sep);
}

/* The columns that name the CPUs or the thread of the line. */
static void stat_add_set(const struct stat_layout *layout, const struct stat_table *t,
			 const struct stat_set *set, struct strbuf *out)
{
	const char *sep = stat_separator(layout);
	const struct cpu_place *cpu = &set->cpu;
	bool csv = layout->form == STAT_FORM_CSV;
	int nr = (int)set->nr;

	switch (t->by) {
	case STAT_BY_ALL:
		break;
	case STAT_BY_CORE:
		strbuf_addf(out, csv ? "S%d-D%d-C%d%s%d%s" : "S%d-D%d-C%-8d%s%4d%s", cpu->socket,
			    cpu->die, cpu->core, sep, nr, sep);
		break;
	case STAT_BY_DIE:
		strbuf_addf(out, csv ? "S%d-D%d%s%d%s" : "S%d-D%-8d%s%4d%s", cpu->socket, cpu->die,
			    sep, nr, sep);
		break;
	case STAT_BY_SOCKET:
		strbuf_addf(out, csv ? "S%d%s%d%s" : "S%-5d%s%4d%s", cpu->socket, sep, nr, sep);
		break;
	case STAT_BY_NODE:
		strbuf_addf(out, csv ? "N%d%s%d%s" : "N%-5d%s%4d%s", cpu->node, sep, nr, sep);
		break;
	case STAT_BY_CPU:
		strbuf_addf(out, csv ? "CPU%d%s" : "CPU%-7d%s", (int)set->place.cpu, sep);
		break;
	case STAT_BY_THREAD:
		stat_add_thread(set, csv, sep, out);
		break;
	}
}

static const char *stat_no_value(const struct stat_line *l)
{
	return l->event->supported ? "<not counted>" : "<not supported>";
}

/* ---- text and CSV ---------------------------------------------------------- */

static void stat_add_value(const struct stat_line *l, struct strbuf *out)
{
	bool csv = l->layout->form == STAT_FORM_CSV, whole = l->event->scale == 1;
	double value = l->cell->value.mean;
	const char *sep = stat_separator(l->layout);

	if (!stat_cell_counted(l->cell))
		strbuf_addf(out, "%*s%s", csv ? 0 : VALUE_WIDTH, stat_no_value(l), sep);
	else if (csv)
		strbuf_addf(out, "%.*f%s", whole ? 0 : 2, value, sep);
	else if (l->layout->plain_digits)
		strbuf_addf(out, "%*.*f%s", VALUE_WIDTH, whole ? 0 : 2, value, sep);
	else
		strbuf_addf(out, "%'*.*f%s", VALUE_WIDTH, whole ? 0 : 2, value, sep);
}

static void stat_add_name(const struct stat_line *l, struct strbuf *out)
{
	bool csv = l->layout->form == STAT_FORM_CSV;
	size_t from, width = stat_cell_counted(l->cell) ? NAME_WIDTH : NO_VALUE_NAME_WIDTH;

	strbuf_addf(out, "%-*s%s", csv ? 0 : l->unit_width, l->event->unit,
		    stat_separator(l->layout));
	from = out->len;
	stat_add_escaped(out, l->event->event->name);
	if (!csv && out->len - from < width)
		strbuf_add_spaces(out, width - (out->len - from));
	if (l->cgroups) {
		strbuf_addstr(out, stat_separator(l->layout));
		stat_add_escaped(out, l->event->event->cgroup ? l->event->event->cgroup : "");
	}
}

static void stat_add_noise(const struct stat_line *l, struct strbuf *out)
{
	double percent = stat_series_error_percent(&l->cell->value);

	if (!l->layout->runs)
		return;
	if (l->layout->form == STAT_FORM_CSV)
		strbuf_addf(out, "%s%.2f%%", l->layout->separator, percent);
	else if (percent)
		strbuf_addf(out, "  ( +-%6.2f%% )", percent);
}

static double stat_percent_running(const struct stat_line *l)
{
	return stat_cell_whole(l->cell) ? 100 : 100 * l->cell->running / l->cell->enabled;
}

static void stat_add_running(const struct stat_line *l, struct strbuf *out)
{
	if (l->layout->form == STAT_FORM_CSV)
		strbuf_addf(out, "%s%.0f%s%.2f", l->layout->separator, l->cell->running,
			    l->layout->separator, stat_percent_running(l));
	else if (!stat_cell_whole(l->cell))
		strbuf_addf(out, "  (%.2f%%)", stat_percent_running(l));
}

/* The value of a metric as CSV has it: digits alone. */
static void stat_metric_digits(const struct stat_metric *metric, char *buf, size_t size)
{
	char text[64];
	const char *at = text;

	snprintf(text, sizeof(text), metric->format, metric->value);
	at += strspn(at, " ");
	snprintf(buf, size, "%.*s", (int)strspn(at, "-0123456789."), at);
}

/* A metric that is not the first one of its event begins a new line. */
static void stat_add_metric_line(const struct stat_line *l, struct strbuf *out)
{
	static const int fields[] = {
		[STAT_BY_SOCKET] = 2, [STAT_BY_DIE] = 2, [STAT_BY_CORE] = 2, [STAT_BY_NODE] = 2,
		[STAT_BY_CPU] = 1, [STAT_BY_THREAD] = 1,
	};
	int nr = 3 + fields[l->table->by] + l->cgroups;

	strbuf_addch(out, '\n');
	stat_add_time(l->layout, l->time, out);
	stat_add_set(l->layout, l->table, l->set, out);
	if (l->layout->form == STAT_FORM_TEXT)
		strbuf_add_spaces(out, METRIC_INDENT + (l->table->by == STAT_BY_CPU ? 8 : 0));
	for (int i = 0; l->layout->form == STAT_FORM_CSV && i < nr; i++)
		strbuf_addstr(out, l->layout->separator);
}

static void stat_add_metric_csv(const struct stat_line *l, const struct stat_metric *metric,
				struct strbuf *out)
{
	const char *sep = l->layout->separator;
	char digits[64];

	if (!metric || !metric->format) {
		strbuf_addf(out, "%s%s", sep, sep);
		return;
	}
	stat_metric_digits(metric, digits, sizeof(digits));
	strbuf_addf(out, "%s%s%s%s", sep, digits, sep, metric->unit);
}

static void stat_add_metric_text(const struct stat_metric *metric, struct strbuf *out)
{
	size_t from = out->len, len;

	if (metric && metric->format) {
		char text[64];

		snprintf(text, sizeof(text), metric->format, metric->value);
		strbuf_addf(out, " # %s %s", text, metric->unit);
	}
	len = out->len - from;
	if (len < METRIC_WIDTH)
		strbuf_add_spaces(out, METRIC_WIDTH - len);
}

static void stat_add_metrics(const struct stat_line *l, struct strbuf *out)
{
	size_t nr = l->nr_metrics ? l->nr_metrics : 1;

	for (size_t i = 0; i < nr; i++) {
		const struct stat_metric *metric = l->nr_metrics ? &l->metrics[i] : NULL;

		if (i)
			stat_add_metric_line(l, out);
		if (l->layout->form == STAT_FORM_CSV)
			stat_add_metric_csv(l, metric, out);
		else
			stat_add_metric_text(metric, out);
	}
}

static void stat_add_line(const struct stat_line *l, struct strbuf *out)
{
	bool csv = l->layout->form == STAT_FORM_CSV;

	stat_add_time(l->layout, l->time, out);
	stat_add_set(l->layout, l->table, l->set, out);
	stat_add_value(l, out);
	stat_add_name(l, out);
	if (!csv)
		stat_add_metrics(l, out);
	stat_add_noise(l, out);
	stat_add_running(l, out);
	if (csv)
		stat_add_metrics(l, out);
	strbuf_addch(out, '\n');
}

/* ---- JSON ------------------------------------------------------------------ */

static void stat_json_text(struct json_writer *json, const char *name, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));

static void stat_json_text(struct json_writer *json, const char *name, const char *fmt, ...)
{
	char text[128];
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(text, sizeof(text), fmt, ap);
	va_end(ap);
	json_add_text(json, name, text);
}

static void stat_json_set(struct json_writer *json, const struct stat_table *t,
			  const struct stat_set *set)
{
	const struct cpu_place *cpu = &set->cpu;

	switch (t->by) {
	case STAT_BY_ALL:
		return;
	case STAT_BY_CPU:
		stat_json_text(json, "cpu", "%u", set->place.cpu);
		return;
	case STAT_BY_THREAD:
		stat_json_text(json, "thread", "%s-%" PRId64, set->place.comm, set->place.tid);
		return;
	case STAT_BY_CORE:
		stat_json_text(json, "core", "S%d-D%d-C%d", cpu->socket, cpu->die, cpu->core);
		break;
	case STAT_BY_DIE:
		stat_json_text(json, "die", "S%d-D%d", cpu->socket, cpu->die);
		break;
	case STAT_BY_SOCKET:
		stat_json_text(json, "socket", "S%d", cpu->socket);
		break;
	case STAT_BY_NODE:
		stat_json_text(json, "node", "N%d", cpu->node);
		break;
	}
	json_add_unsigned(json, "aggregate-number", set->nr);
}

static void stat_json_begin(struct json_writer *json, const struct stat_table *t,
			    const struct stat_set *set, const uint64_t *time)
{
	json_begin_row(json, NULL);
	if (time)
		json_add_double(json, "interval", *time / (double)NS_PER_S);
	stat_json_set(json, t, set);
}

static void stat_json_end(struct json_writer *json)
{
	json_end_object(json);
	json_end(json);
}

static void stat_json_metric(struct json_writer *json, const struct stat_metric *metric)
{
	if (!metric->format)
		return;
	json_add_double(json, "metric-value", metric->value);
	json_add_text(json, "metric-unit", metric->unit);
}

static void stat_add_json(const struct stat_line *l, struct strbuf *out)
{
	struct json_writer json = { .out = out };
	const struct event *event = l->event->event;

	stat_json_begin(&json, l->table, l->set, l->time);
	if (stat_cell_counted(l->cell))
		stat_json_text(&json, "counter-value", "%f", l->cell->value.mean);
	else
		json_add_text(&json, "counter-value", stat_no_value(l));
	json_add_text(&json, "unit", l->event->unit);
	json_add_text(&json, "event", event->name);
	if (l->cgroups)
		json_add_text(&json, "cgroup", event->cgroup ? event->cgroup : "");
	if (l->layout->runs)
		json_add_double(&json, "variance", stat_series_error_percent(&l->cell->value));
	json_add_unsigned(&json, "event-runtime", (uint64_t)l->cell->running);
	json_add_double(&json, "pcnt-running", stat_percent_running(l));
	for (size_t i = 0; i < l->nr_metrics; i++) {
		if (i && l->metrics[i].format) {
			stat_json_end(&json);
			stat_json_begin(&json, l->table, l->set, l->time);
		}
		stat_json_metric(&json, &l->metrics[i]);
	}
	stat_json_end(&json);
}

/* ---- only metrics ---------------------------------------------------------- */

/* As in perf, rates by the second are left out. */
static bool stat_is_only_metric(const struct stat_metric *metric)
{
	return metric->formula ||
	       (metric->unit && !strstr(metric->unit, "/sec") && !strstr(metric->unit, "utilized"));
}

static void stat_metric_name(const struct stat_table_event *event,
			     const struct stat_metric *metric, struct strbuf *out)
{
	if (!strncmp(metric->unit, "of all", 6))
		strbuf_addf(out, "%s ", event->event->name);
	strbuf_addstr(out, metric->unit);
}

static void stat_add_column(const struct stat_layout *layout, size_t width, const char *text,
			    struct strbuf *out)
{
	if (layout->form == STAT_FORM_CSV)
		strbuf_addf(out, "%s%s", text, layout->separator);
	else
		strbuf_addf(out, "%*s ", (int)(width < METRIC_ONLY_WIDTH ? METRIC_ONLY_WIDTH : width),
			    text);
}

static void stat_add_only_metric(const struct stat_line *l, const struct stat_metric *metric,
				 struct json_writer *json, struct strbuf *out)
{
	_cleanup_(strbuf) struct strbuf name = STRBUF_INIT;
	char digits[64] = "";

	stat_metric_name(l->event, metric, &name);
	if (metric->format && stat_cell_counted(l->cell))
		stat_metric_digits(metric, digits, sizeof(digits));
	if (l->layout->form != STAT_FORM_JSON)
		stat_add_column(l->layout, name.len, digits, out);
	else if (*digits)
		json_add_double(json, strbuf_str(&name), metric->value);
	else
		json_add_null(json, strbuf_str(&name));
}

/* For tables by intervals. */
static const struct {
	const char *set;
	int counts;		/* spaces before "counts" */
} heads[] = {
	[STAT_BY_ALL] = { "", 13 }, [STAT_BY_SOCKET] = { " socket cpus", 13 },
	[STAT_BY_DIE] = { " die          cpus", 13 },
	[STAT_BY_CORE] = { " core            cpus", 13 },
	[STAT_BY_NODE] = { " node   cpus", 13 }, [STAT_BY_CPU] = { " CPU    ", 16 },
	[STAT_BY_THREAD] = { "             comm-pid", 18 },
};

void stat_text_add_metric_names(const struct stat_layout *layout, const struct stat_table *t,
				bool intervals, struct strbuf *out)
{
	static const struct {
		const char *csv;
		int indent;
	} sets[] = {
		[STAT_BY_ALL] = { "", 0 }, [STAT_BY_CORE] = { "core,cpus,", 24 },
		[STAT_BY_DIE] = { "die,cpus,", 18 }, [STAT_BY_SOCKET] = { "socket,cpus,", 12 },
		[STAT_BY_NODE] = { "node,cpus,", 12 }, [STAT_BY_CPU] = { "cpu,", 11 },
		[STAT_BY_THREAD] = { "comm-pid,", 26 },
	};

	if (layout->form == STAT_FORM_JSON || !t->nr_sets)
		return;
	if (layout->form == STAT_FORM_CSV)
		strbuf_addf(out, "%s%s", intervals ? "time," : "", sets[t->by].csv);
	else if (intervals)
		strbuf_addf(out, "#           time%-*s", sets[t->by].indent + 1, heads[t->by].set);
	else
		strbuf_add_spaces(out, sets[t->by].indent);
	for (size_t e = 0; e < t->nr_events; e++) {
		struct stat_metric metrics[STAT_METRICS_MAX];
		size_t nr = stat_metrics_find(t, e, 0, metrics);

		for (size_t i = 0; i < nr; i++) {
			_cleanup_(strbuf) struct strbuf name = STRBUF_INIT;

			if (!stat_is_only_metric(&metrics[i]))
				continue;
			stat_metric_name(&t->events[e], &metrics[i], &name);
			stat_add_column(layout, name.len, strbuf_str(&name), out);
		}
	}
	strbuf_addch(out, '\n');
}

/* ---- the whole table -------------------------------------------------------- */

static bool stat_has_cgroups(const struct stat_table *t)
{
	for (size_t i = 0; i < t->nr_events; i++)
		if (t->events[i].event->cgroup)
			return true;
	return false;
}

/* As in perf, units have four columns, or as many as the longest of an event that was opened. */
static int stat_unit_width(const struct stat_table *t)
{
	size_t width = UNIT_WIDTH;

	for (size_t i = 0; i < t->nr_events; i++)
		if (t->events[i].supported && strlen(t->events[i].unit) > width)
			width = strlen(t->events[i].unit);
	return (int)width;
}

static void stat_add_cell(struct stat_line *l, size_t event, size_t set, struct strbuf *out)
{
	l->event = &l->table->events[event];
	l->set = &l->table->sets[set];
	l->cell = stat_table_cell(l->table, event, set);
	l->nr_metrics = stat_cell_counted(l->cell) ?
		stat_metrics_find(l->table, event, set, l->metrics) : 0;
	if (l->layout->form == STAT_FORM_JSON)
		stat_add_json(l, out);
	else
		stat_add_line(l, out);
}

struct stat_sorted {
	size_t set;
	double value;
};

DEFINE_COMPARISON(stat_sorted_compare, struct stat_sorted, array_order(y->value, x->value) ?:
		  array_order(x->set, y->set))

/*
 * A value that the tool measures itself is shown in the first set alone.  An event that only some
 * CPUs count, such as one of a socket's PMU, is shown in their sets.
 */
static bool stat_is_shown(const struct stat_table *t, size_t event, size_t set)
{
	return stat_tool(t->events[event].event) ? !set : stat_table_has_counter(t, event, set);
}

/* As in perf, threads are sorted by the event's count. */
static void stat_add_threads(struct stat_line *l, size_t event, struct strbuf *out)
{
	const struct stat_table *t = l->table;
	struct stat_sorted *sorted = calloc(t->nr_sets + 1, sizeof(*sorted));

	if (!sorted) {
		out->failed = true;
		return;
	}
	for (size_t s = 0; s < t->nr_sets; s++)
		sorted[s] = (struct stat_sorted){ s, stat_table_cell(t, event, s)->value.mean };
	qsort(sorted, t->nr_sets, sizeof(*sorted), stat_sorted_compare);
	for (size_t s = 0; s < t->nr_sets; s++)
		if ((sorted[s].value || !l->layout->busy_only) &&
		    stat_is_shown(t, event, sorted[s].set))
			stat_add_cell(l, event, sorted[s].set, out);
	free(sorted);
}

static void stat_add_metrics_of_set(struct stat_line *l, size_t set, struct strbuf *out)
{
	const struct stat_table *t = l->table;
	bool json = l->layout->form == STAT_FORM_JSON;
	struct json_writer writer = { .out = out };

	if (json) {
		stat_json_begin(&writer, t, &t->sets[set], l->time);
	} else {
		stat_add_time(l->layout, l->time, out);
		stat_add_set(l->layout, t, &t->sets[set], out);
	}
	for (size_t e = 0; e < t->nr_events; e++) {
		size_t nr = stat_metrics_find(t, e, set, l->metrics);

		l->event = &t->events[e];
		l->cell = stat_table_cell(t, e, set);
		for (size_t i = 0; i < nr; i++)
			if (stat_is_only_metric(&l->metrics[i]))
				stat_add_only_metric(l, &l->metrics[i], &writer, out);
	}
	if (json)
		stat_json_end(&writer);
	else
		strbuf_addch(out, '\n');
}

void stat_text_add_rows(const struct stat_layout *layout, const struct stat_table *t,
			const uint64_t *time, struct strbuf *out)
{
	struct stat_line line = {
		.layout = layout, .table = t, .time = time, .cgroups = stat_has_cgroups(t),
		.unit_width = stat_unit_width(t),
	};
	bool by_set = t->by != STAT_BY_CPU && t->by != STAT_BY_THREAD;
	locale_t old, locale = number_locale_begin(layout->form == STAT_FORM_TEXT, &old);

	for (size_t s = 0; layout->metric_only && s < t->nr_sets; s++)
		stat_add_metrics_of_set(&line, s, out);
	for (size_t s = 0; !layout->metric_only && by_set && s < t->nr_sets; s++)
		for (size_t e = 0; e < t->nr_events; e++)
			if (stat_table_has_counter(t, e, s))
				stat_add_cell(&line, e, s, out);
	for (size_t e = 0; !layout->metric_only && !by_set && e < t->nr_events; e++) {
		if (t->by == STAT_BY_THREAD)
			stat_add_threads(&line, e, out);
		for (size_t s = 0; t->by == STAT_BY_CPU && s < t->nr_sets; s++)
			if (stat_is_shown(t, e, s))
				stat_add_cell(&line, e, s, out);
	}
	number_locale_end(locale, old);
}

void stat_text_add_heading(const struct stat_layout *layout, const struct stat_table *t,
			   struct strbuf *out)
{
	if (layout->form != STAT_FORM_TEXT || layout->metric_only)
		return;
	strbuf_addf(out, "#           time%s%*scounts %*s events\n", heads[t->by].set,
		    heads[t->by].counts, "", stat_unit_width(t), "unit");
}

/* ---- below the table ------------------------------------------------------- */

/* As in perf, two digits more than the standard error has zeros behind the point. */
static int stat_precision(double error)
{
	int digits = error > 1 || error <= 0 ? 0 : (int)lround(ceil(-log10(error)));

	return (digits > 9 ? 9 : digits) + 2;
}

static void stat_add_run_table(const struct stat_footer *f, int precision, double mean,
			       struct strbuf *out)
{
	char text[64];
	int indent;

	snprintf(text, sizeof(text), " %17.*f", precision, mean);
	indent = (int)strspn(text, " ");
	strbuf_addf(out, "%*s# Table of individual measurements:\n", indent, "");
	for (size_t i = 0; i < f->elapsed->nr; i++) {
		double run = f->runs[i] / NS_PER_S;
		int marks = run > 0 ? 1 + abs((int)(100 * (run - mean) / run) / 5) : 1;

		strbuf_addf(out, " %17.*f (%+.*f) ", precision, run, precision, run - mean);
		for (int n = 0; n < marks && n < 60; n++)
			strbuf_addch(out, '#');
		strbuf_addch(out, '\n');
	}
	strbuf_addf(out, "\n%*s# Final result:\n", indent, "");
}

static double stat_seconds(struct timeval time)
{
	return time.tv_sec + time.tv_usec / 1e6;
}

void stat_text_add_footer(const struct stat_footer *f, struct strbuf *out)
{
	double mean = f->elapsed->mean / NS_PER_S, error = stat_series_error(f->elapsed) / NS_PER_S;
	int precision = stat_precision(error);
	locale_t old, locale = number_locale_begin(true, &old);

	if (!f->nothing_above)
		strbuf_addch(out, '\n');
	if (f->elapsed->nr < 2) {
		strbuf_addf(out, " %17.9f seconds time elapsed\n\n", mean);
		if (f->usage)
			strbuf_addf(out, " %17.9f seconds user\n %17.9f seconds sys\n\n",
				    stat_seconds(f->usage->ru_utime),
				    stat_seconds(f->usage->ru_stime));
	} else {
		double percent = stat_series_error_percent(f->elapsed);

		if (f->runs)
			stat_add_run_table(f, precision, mean, out);
		strbuf_addf(out, " %17.*f +- %.*f seconds time elapsed", precision, mean,
			    precision, error);
		if (percent)
			strbuf_addf(out, "  ( +-%6.2f%% )", percent);
		strbuf_addstr(out, "\n\n");
	}
	if (f->usage)
		strbuf_addch(out, '\n');
	number_locale_end(locale, old);
}

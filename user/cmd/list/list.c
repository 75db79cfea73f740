// SPDX-License-Identifier: GPL-2.0
#include "cmd/command.h"

#include <errno.h>
#include <fnmatch.h>
#include <linux/perf_event.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "capture/feature.h"
#include "capture/ktrace/device.h"
#include "cmd/metric_words.h"
#include "cmd/stat_metrics.h"
#include "format/event_format.h"
#include "format/tracefs.h"
#include "lib/array.h"
#include "lib/cleanup.h"
#include "lib/color.h"
#include "lib/error.h"
#include "lib/json.h"
#include "lib/strbuf.h"
#include "spec/event_names.h"
#include "spec/event_terms.h"
#include "terminal/options.h"
#include "terminal/pager.h"
#include "terminal/terminal.h"

struct list_metrics {
	struct stat_metrics metrics;	/* its files are the user's */
	bool details;			/* with expressions */
	bool names;			/* nothing but names */
	struct json_writer *json;	/* in an array that was begun; NULL: text */
	size_t nr;			/* printed until now */
};

struct list_names {
	char **items;	/* owned */
	size_t nr, alloc;
};

/* Whether a word requests metrics or, with @ret_groups, groups of them, as in perf. */
static bool list_is_metrics(const char *word, bool *ret_groups)
{
	*ret_groups = !strcmp(word, "metricgroup") || !strcmp(word, "metricgroups");
	return *ret_groups || !strcmp(word, "metric") || !strcmp(word, "metrics");
}

static void list_print_metric(struct list_metrics *list, const struct metric *metric)
{
	struct json_writer *json = list->json;

	list->nr++;
	if (list->json) {
		json_begin_object(json, NULL);
		json_add_text(json, "MetricName", metric->name);
		json_add_text(json, "MetricGroup", metric->groups);
		json_add_text(json, "MetricExpr", metric->expr);
		json_add_text(json, "ScaleUnit", metric->unit);
		json_add_text(json, "BriefDescription", metric->description);
		json_end_object(json);
		return;
	}
	printf("%s%s%s%s\n", list->names ? "" : "  ", color_on(COLOR_EVENT), metric->name,
	       color_off(COLOR_EVENT));
	if (!list->names && metric->description)
		printf("       [%s]\n", metric->description);
	if (list->details)
		printf("       %s\n", metric->expr);
}

static bool list_push_name(struct list_names *names, char **name)
{
	return array_push(names, *name) && take_ptr(*name);
}

/* Add each group once. */
static struct error *list_add_groups(const struct metric *metric, struct list_names *ret)
{
	const char *at = NULL;
	size_t len;

	while ((at = metric_next_group(metric, at, &len))) {
		_cleanup_free_ char *name = strndup(at, len);
		size_t i;

		if (!name)
			return &error_no_memory;
		for (i = 0; i < ret->nr && strcmp(ret->items[i], name); i++)
			;
		if (i == ret->nr && !list_push_name(ret, &name))
			return &error_no_memory;
	}
	return NULL;
}

static void list_print_groups(struct list_metrics *list, struct list_names *names)
{
	array_sort(names, array_compare_texts);
	for (size_t i = 0; i < names->nr; i++) {
		list->nr++;
		if (list->json)
			json_add_text(list->json, NULL, names->items[i]);
		else
			printf("%s\n", names->items[i]);
	}
}

static struct error *list_metrics_of(struct list_metrics *list, bool groups)
{
	struct stat_metrics *m = &list->metrics;
	struct list_names names = { 0 };
	struct error *err = NULL;

	if (!list->json && !list->names)
		printf(groups ? "\nMetric Groups:\n\n" : "\nMetrics:\n\n");
	for (size_t i = 0; !err && i < m->known.nr; i++) {
		const struct metric *metric = &m->known.items[i];

		if (metrics_find(&m->known, metric->name) != metric || !stat_metrics_has(m, metric))
			continue;
		if (groups)
			err = list_add_groups(metric, &names);
		else
			list_print_metric(list, metric);
	}
	if (!err)
		list_print_groups(list, &names);
	array_free_each(&names);
	return err;
}

/* Whether the words request metrics, which are then listed alone. */
static bool list_metrics_asked(const struct list_metrics *list, char *const *words)
{
	bool groups;

	return list->metrics.files.nr || (*words && list_is_metrics(*words, &groups));
}

static struct error *list_metrics_print(struct list_metrics *list, char *const *words)
{
	struct stat_metrics *m = &list->metrics;
	struct error *err;
	bool groups;

	err = metric_words_read(m->files.items, m->files.nr, &m->known);
	if (!err && !*words)
		err = list_metrics_of(list, false);
	for (; !err && *words; words++)
		err = list_is_metrics(*words, &groups) ? list_metrics_of(list, groups) :
		      error_hint(error_new(EINVAL, "Metrics are listed alone, so '%s' cannot be "
					   "listed with them", *words),
				 "List events with another command");
	if (!err && !list->nr)
		err = error_hint(error_new(ENOENT, "This machine has the events of no metric"),
				 "--metric-file reads those of other processors");
	return err;
}

struct list {
	char **globs;	/* NULL-terminated; none: all */
	bool details;
	bool names;	/* only names, one per line */
	bool parts;	/* the globs are parts of names */
	bool json;	/* an array of objects, with the names of perf list -j */
	struct strbuf text;	/* not printed yet */
	struct json_writer writer;
	int device;	/* a session of the ktrace module, if tracepoints can use it; or -1 */
	size_t nr;	/* printed until now */
	size_t nr_missing;	/* events of the PMU that this machine does not have */
	struct list_metrics metrics;
};

#define TRACEPOINT_LABEL "Tracepoint event"

/* Whether the glob is one of perf's kinds of events, as in `ktrace list sw`. */
static bool is_kind(const char *glob, const char *kind)
{
	return kind && !strcmp(glob, kind);
}

static bool wanted(const struct list *list, const char *name, const char *kind)
{
	if (!list->globs[0])
		return true;
	for (char **glob = list->globs; *glob; glob++)
		if (is_kind(*glob, kind) || !fnmatch(*glob, name, 0) ||
		    (list->parts && strstr(name, *glob)))
			return true;
	return false;
}

/* The name of a system matches all of its events. */
static bool wanted_system(const struct list *list, const char *system)
{
	for (char **glob = list->globs; *glob; glob++)
		if (!strcmp(*glob, system))
			return true;
	return false;
}

/* "cpu-cycles OR cycles": a name and its alias. */
static void list_print_object(struct list *list, const char *name, const char *label)
{
	const char *alias = strstr(name, " OR ");

	json_begin_object(&list->writer, NULL);
	json_add_bytes(&list->writer, "EventName", name,
		       alias ? (size_t)(alias - name) : strlen(name));
	if (alias)
		json_add_text(&list->writer, "EventAlias", alias + strlen(" OR "));
	json_add_text(&list->writer, "EventType", label);
	/* Tracepoints end theirs when they have added their fields. */
	if (!list->details || strcmp(label, TRACEPOINT_LABEL))
		json_end_object(&list->writer);
}

static void print_event(struct list *list, const char *name, const char *label)
{
	size_t len = strlen(name), columns = terminal_columns(), label_len = strlen(label) + 5;
	size_t width = columns && 50 + label_len > columns ? columns - label_len : 50;

	if (list->json)
		list_print_object(list, name, label);
	else if (list->names)
		printf("%s\n", name);
	else
		printf("  %s%s%s%*s %s[%s]%s\n", color_on(COLOR_EVENT), name, color_off(COLOR_EVENT),
		       len < width ? (int)(width - len) : 0, "", color_on(COLOR_FAINT), label,
		       color_off(COLOR_FAINT));
	list->nr++;
}

/* As perf does, print an event of the PMU only if it can be opened. */
static bool list_can_count(struct list *list, uint32_t type, uint64_t config)
{
	if (type == PERF_TYPE_SOFTWARE || feature_perf_counts(type, config))
		return true;
	list->nr_missing++;
	return false;
}

static void list_named(struct list *list, uint32_t type, bool tools, const char *kind,
		       const char *label)
{
	for (const struct event_name *e = event_names; e->name; e++) {
		char text[64];

		if (e->type != type || tools != !!e->tool)
			continue;
		if (e->alias && !list->names)
			snprintf(text, sizeof(text), "%s OR %s", e->name, e->alias);
		else
			snprintf(text, sizeof(text), "%s", e->name);
		if ((wanted(list, e->name, kind) || (e->alias && wanted(list, e->alias, kind))) &&
		    list_can_count(list, type, e->config))
			print_event(list, text, label);
	}
}

static void list_cache(struct list *list)
{
	char name[64];
	uint64_t config;

	for (size_t i = 0; event_names_cache_at(i, name, sizeof(name)); i++)
		if ((wanted(list, name, "cache") || wanted(list, name, "hwcache")) &&
		    event_names_find_cache(name, &config) &&
		    list_can_count(list, PERF_TYPE_HW_CACHE, config))
			print_event(list, name, "Hardware cache event");
}

static void list_pmu_event(void *data, const char *name)
{
	struct list *list = data;

	if (wanted(list, name, "pmu"))
		print_event(list, name, "Kernel PMU event");
}

/* Print the line "print fmt" of a format file. */
static void print_print_fmt(const char *text)
{
	const char *at = strstr(text, "\nprint fmt: ");

	if (at)
		printf("    %.*s\n", (int)strcspn(at + 1, "\n"), at + 1);
}

static void list_print_fields(struct list *list, const struct event_format *format, uint64_t id)
{
	struct json_writer *json = &list->writer;

	json_add_unsigned(json, "Id", id);
	json_add_unsigned(json, "Size", format->record_size);
	json_begin_array(json, "Fields");
	for (size_t i = 0; i < format->nr_fields; i++) {
		const struct field *field = &format->fields[i];

		if (field->is_common)
			continue;
		json_begin_row(json, NULL);
		json_add_text(json, "Name", field->name);
		json_add_text(json, "Type", field->type);
		json_add_unsigned(json, "Offset", field->offset);
		json_add_unsigned(json, "Size", field->size);
		json_add_bool(json, "Signed", field->kind == FIELD_INTEGER && field->is_signed);
		json_end_object(json);
	}
	json_end_array(json);
	json_end_object(json);
}

static struct error *print_details(struct list *list, const char *system, const char *name)
{
	_cleanup_(formats) struct formats *formats = NULL;
	const struct event_format *format;
	_cleanup_free_ char *text = NULL, *whole = NULL;
	struct error *err;
	uint64_t id;
	size_t len;

	if (asprintf(&whole, "%s:%s", system, name) < 0) {
		whole = NULL;
		return &error_no_memory;
	}
	err = tracefs_event_id(system, name, &id);
	if (!err)
		err = tracefs_event_format(system, name, &text, &len);
	if (!err)
		err = formats_create(&formats);
	if (!err)
		err = formats_add(formats, system, text, len);
	if (err)
		return err;
	format = formats_find(formats, id);
	if (list->json) {
		list_print_fields(list, format, id);
		return NULL;
	}
	printf("    id %llu, record of %u bytes, captured by ", (unsigned long long)id,
	       format->record_size);
	if (list->device < 0)
		printf("perf_event\n");
	else
		printf("the ktrace module %s\n", device_path_text(list->device, id, whole));
	for (size_t i = 0; i < format->nr_fields; i++) {
		const struct field *field = &format->fields[i];

		if (field->is_common)
			continue;
		printf("    %6u %4u  %-8s  %s %s", field->offset, field->size,
		       field->kind != FIELD_INTEGER ? "" : field->is_signed ? "signed" : "unsigned",
		       field->type, field->name);
		for (size_t n = 0; n < field->nr_names && n < 8; n++)
			printf("%s%s", n ? field->is_flags ? "|" : "," : "  ", field->names[n].name);
		printf("%s\n", field->nr_names > 8 ? "..." : "");
	}
	print_print_fmt(text);
	if (!format->print_ok)
		printf("    which is not understood: fields are printed one by one\n");
	return NULL;
}

/* An unreadable tracefs is an error only if tracepoints were asked for. */
static bool wants_tracepoints(const struct list *list)
{
	if (!list->globs[0])
		return true;
	for (char **glob = list->globs; *glob; glob++)
		if (strchr(*glob, ':') || strchr(*glob, '*') || is_kind(*glob, "tracepoint"))
			return true;
	return false;
}

static struct error *list_tracepoints(struct list *list)
{
	_cleanup_(tracepoint_names) struct tracepoint_names names = { 0 };
	struct error *err;

	err = tracefs_find("*", "*", &names);
	for (size_t i = 0; !err && i < names.nr; i++) {
		const struct tracepoint_name *n = &names.items[i];
		_cleanup_free_ char *text = NULL;

		if (asprintf(&text, "%s:%s", n->system, n->name) < 0)
			return &error_no_memory;
		if (!wanted(list, text, "tracepoint") && !wanted_system(list, n->system))
			continue;
		print_event(list, text, TRACEPOINT_LABEL);
		if (list->details)
			err = print_details(list, n->system, n->name);
	}
	return err;
}

static struct error *list_all(struct list *list)
{
	struct error *err;

	list_named(list, PERF_TYPE_HARDWARE, false, "hw", "Hardware event");
	list_cache(list);
	list_named(list, PERF_TYPE_SOFTWARE, false, "sw", "Software event");
	list_named(list, PERF_TYPE_SOFTWARE, true, "tool", "Tool event");
	event_terms_list(list_pmu_event, list);
	if (!list->globs[0] && !list->names) {
		print_event(list, "rNNN", "Raw hardware event descriptor");
		print_event(list, "cpu/t1=v1[,t2=v2,t3 ...]/modifier",
			    "Raw hardware event descriptor");
		print_event(list, "mem:<addr>[/len][:access]", "Hardware breakpoint");
	}
	err = list_tracepoints(list);
	if (!err || !list->nr || wants_tracepoints(list))
		return err;
	error_free(err);
	return NULL;
}

static struct error *nothing_found(const struct list *list)
{
	const char *glob = list->globs[0] ? list->globs[0] : "", *colon = strchr(glob, ':');
	_cleanup_free_ char *system = NULL;
	struct error *err;

	if (colon && !strpbrk(glob, "*?[")) {
		system = strndup(glob, colon - glob);
		return system ? tracefs_unknown_event(system, colon + 1) : &error_no_memory;
	}
	if (list->nr_missing)
		return error_hint(error_new(ENOENT, "This machine counts none of the events "
					    "that '%s' names", glob),
				  "'ktrace doctor' shows the abilities of its PMU");
	err = error_new(ENOENT, "No event matches '%s'", glob);
	return error_hint(err, "'ktrace list' lists all events; quote globs, as in ktrace list "
			  "'sched:*'");
}

static struct error *finish_list(struct list *list)
{
	if (!list->nr)
		return nothing_found(list);
	if (!list->json)
		return NULL;
	json_end_array(&list->writer);
	json_end(&list->writer);
	if (list->text.failed)
		return &error_no_memory;
	fwrite(list->text.data, 1, list->text.len, stdout);
	return NULL;
}

struct error *cmd_list(int argc, char **argv, int *ret_status)
{
	struct list list = { .device = -1 };
	const struct option_spec options[] = {
		OPT_FLAG("details", &list.details),
		OPT_FLAG("names", &list.names),
		OPT_FLAG("json", &list.json),
		STAT_METRIC_FILE_OPTION(list.metrics.metrics),
		{ 0 },
	};
	const struct command_usage usage = {
		.name = "list",
		.synopsis = "[--details | --names] [--json] [GLOB...]",
		.details = "; GLOB is a name as in "
			   "'sched:*', a system, a part of names, or hw, sw, cache, pmu, "
			   "tracepoint, metrics, metricgroups",
		.options = options,
	};
	struct error *err = NULL;
	bool metrics;
	int index;

	err = command_parse(&usage, argc, argv, &index);
	if (err || index < 0)
		return err;
	if (list.json && list.names)
		return error_hint(error_new(EINVAL, "--json and --names exclude each other"),
				  "Give one of them");
	list.globs = argv + index;
	metrics = list_metrics_asked(&list.metrics, list.globs);
	list.metrics.details = list.details;
	list.metrics.names = list.names;
	list.metrics.json = list.json ? &list.writer : NULL;
	if (list.details) {
		struct ktrace_info info;

		error_free(device_open(&list.device, &info));
	}

	pager_start();
	list.writer.out = &list.text;
	if (list.json)
		json_begin_array(&list.writer, NULL);
	err = metrics ? list_metrics_print(&list.metrics, list.globs) : list_all(&list);
	/* The globs match no name and no kind, so they may be parts of names. */
	if (!err && !list.nr && !list.nr_missing && !metrics) {
		list.parts = true;
		err = list_all(&list);
	}
	list.nr += list.metrics.nr;
	if (!err)
		err = finish_list(&list);
	strbuf_deinit(&list.text);
	stat_metrics_deinit(&list.metrics.metrics);
	return err;
}

// SPDX-License-Identifier: GPL-2.0
#include "cmd/list/list_metrics.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cmd/metric_words.h"
#include "lib/array.h"
#include "lib/cleanup.h"
#include "lib/color.h"

struct list_names {
	char **items;	/* owned */
	size_t nr, alloc;
};

/* Whether a word asks for metrics or, with @ret_groups, for groups of them, as in perf. */
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

/* Each group is there once. */
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

static int list_compare_names(const void *a, const void *b)
{
	return strcmp(*(char *const *)a, *(char *const *)b);
}

static void list_print_groups(struct list_metrics *list, struct list_names *names)
{
	qsort(names->items, names->nr, sizeof(*names->items), list_compare_names);
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
	for (size_t i = 0; i < names.nr; i++)
		free(names.items[i]);
	free(names.items);
	return err;
}

bool list_metrics_asked(const struct list_metrics *list, char *const *words)
{
	bool groups;

	return list->metrics.files.nr || (*words && list_is_metrics(*words, &groups));
}

struct error *list_metrics_print(struct list_metrics *list, char *const *words)
{
	struct stat_metrics *m = &list->metrics;
	struct error *err;
	bool groups;

	err = metric_words_read(m->files.items, m->files.nr, &m->known);
	if (!err && !*words)
		err = list_metrics_of(list, false);
	for (; !err && *words; words++)
		err = list_is_metrics(*words, &groups) ? list_metrics_of(list, groups) :
		      error_hint(error_new(EINVAL, "Metrics are listed by themselves, so '%s' is left "
					   "over", *words), "List events by another command");
	if (!err && !list->nr)
		err = error_hint(error_new(ENOENT, "This machine has the events of no metric"),
				 "--metric-file reads those of other processors");
	return err;
}

// SPDX-License-Identifier: GPL-2.0
#include <stdlib.h>
#include <string.h>

#include "spec/metrics/metric_file.h"

static void metric_deinit(struct metric *metric)
{
	free(metric->name);
	free(metric->expr);
	free(metric->groups);
	free(metric->description);
	free(metric->unit);
}

void metrics_deinit(struct metrics *metrics)
{
	for (size_t i = 0; i < metrics->nr; i++)
		metric_deinit(&metrics->items[i]);
	for (size_t i = 0; i < metrics->events.nr; i++) {
		free(metrics->events.items[i].name);
		free(metrics->events.items[i].terms);
		free(metrics->events.items[i].pmu);
	}
	free(metrics->items);
	free(metrics->events.items);
	*metrics = (struct metrics){ 0 };
}

const struct metric *metrics_find(const struct metrics *metrics, const char *name)
{
	for (size_t i = metrics->nr; i--;)
		if (!strcasecmp(metrics->items[i].name, name))
			return &metrics->items[i];
	return NULL;
}

const struct metric_event *metrics_find_event(const struct metrics *metrics, const char *name)
{
	for (size_t i = metrics->events.nr; i--;)
		if (!strcasecmp(metrics->events.items[i].name, name))
			return &metrics->events.items[i];
	return NULL;
}

const char *metric_next_group(const struct metric *metric, const char *group, size_t *len)
{
	group = group ? group + *len : metric->groups ? metric->groups : "";
	group += strspn(group, ";");
	*len = strcspn(group, ";");
	return *len ? group : NULL;
}

bool metric_in_group(const struct metric *metric, const char *group)
{
	const char *at = NULL;
	size_t len;

	while ((at = metric_next_group(metric, at, &len)))
		if (len == strlen(group) && !strncasecmp(at, group, len))
			return true;
	return false;
}

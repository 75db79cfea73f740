// SPDX-License-Identifier: GPL-2.0
#include "spec/metrics/metric_file.h"

#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "format/json_text.h"
#include "lib/array.h"
#include "lib/file.h"
#include "lib/strbuf.h"

static struct error *metric_file_refuse(const char *path, const char *what)
{
	return error_hint(error_new(EINVAL, "%s %s", path, what),
			  "Files of metrics have the JSON of tools/perf/pmu-events in the sources of "
			  "the kernel: an array of objects");
}

/* Store a copy of a text member.  Returns false if memory is out. */
static bool metric_file_text(struct json_object *row, const char *name, char **ret)
{
	struct json_object *value;

	*ret = NULL;
	if (!json_object_object_get_ex(row, name, &value) ||
	    !json_object_is_type(value, json_type_string))
		return true;
	*ret = strdup(json_object_get_string(value));
	return *ret;
}

/* "1000M/sec" is a factor and a unit. */
static bool metric_file_scale(const char *text, struct metric *metric)
{
	char *end = NULL;

	metric->scale = text ? strtod(text, &end) : 1;
	if (!text || end == text)
		metric->scale = 1;
	while (end && isspace((unsigned char)*end))
		end++;
	metric->unit = strdup(end ? end : "");
	return metric->unit;
}

static struct error *metric_file_add_metric(const char *path, struct json_object *row,
					    struct metrics *metrics)
{
	_cleanup_free_ char *scale = NULL, *constraint = NULL;
	struct metric metric = { 0 };
	bool ok;

	if (!array_push(metrics, metric))
		return &error_no_memory;
	ok = metric_file_text(row, "MetricName", &metric.name);
	ok &= metric_file_text(row, "MetricExpr", &metric.expr);
	ok &= metric_file_text(row, "MetricGroup", &metric.groups);
	ok &= metric_file_text(row, "BriefDescription", &metric.description);
	ok &= metric_file_text(row, "ScaleUnit", &scale);
	ok &= metric_file_text(row, "MetricConstraint", &constraint);
	ok &= metric_file_scale(scale, &metric);
	metric.no_group = constraint && !strncmp(constraint, "NO_GROUP_EVENTS", 15) &&
			  !strchr(constraint + 15, '_');
	metrics->items[metrics->nr - 1] = metric;
	if (!ok)
		return &error_no_memory;
	if (!metric.name || !metric.expr)
		return metric_file_refuse(path, "has a metric without MetricName or MetricExpr");
	return NULL;
}

/* The first of several numbers, such as "0xB7,0xBB"; 0: none. */
static unsigned long long metric_file_number(struct json_object *row, const char *name)
{
	struct json_object *value;

	if (!json_object_object_get_ex(row, name, &value))
		return 0;
	return strtoull(json_object_get_string(value) ? json_object_get_string(value) : "", NULL, 0);
}

static struct error *metric_file_add_event(struct json_object *row, struct metrics *metrics)
{
	unsigned long long code = metric_file_number(row, "EventCode"),
			   umask = metric_file_number(row, "UMask");
	struct metric_event event = { 0 };
	bool ok;

	/* Events that only refer to a list of the architecture have no number here. */
	if (!json_object_object_get_ex(row, "EventCode", NULL))
		return NULL;
	if (!array_push(&metrics->events, event))
		return &error_no_memory;
	ok = metric_file_text(row, "EventName", &event.name);
	ok &= metric_file_text(row, "Unit", &event.pmu);
	if (umask)
		ok &= asprintf(&event.terms, "event=%#llx,umask=%#llx", code, umask) >= 0;
	else
		ok &= asprintf(&event.terms, "event=%#llx", code) >= 0;
	for (char *c = event.pmu; c && *c; c++)
		*c = tolower((unsigned char)*c);
	metrics->events.items[metrics->events.nr - 1] = event;
	return ok ? NULL : &error_no_memory;
}

static struct error *metric_file_add(const char *path, struct json_object *row,
				     struct metrics *metrics)
{
	struct json_object *value;

	if (!json_object_is_type(row, json_type_object))
		return metric_file_refuse(path, "has something else than objects in its array");
	if (json_object_object_get_ex(row, "MetricName", &value) &&
	    json_object_is_type(value, json_type_string))
		return metric_file_add_metric(path, row, metrics);
	if (json_object_object_get_ex(row, "EventName", &value) &&
	    json_object_is_type(value, json_type_string))
		return metric_file_add_event(row, metrics);
	return NULL;
}

struct error *metric_file_parse(const char *path, const char *text, size_t len,
				struct metrics *metrics)
{
	struct json_object *root;
	struct error *err = json_text_parse(text, len, &root);

	if (err)
		return err;
	if (!root)
		err = metric_file_refuse(path, "is not JSON");
	else if (!json_object_is_type(root, json_type_array))
		err = metric_file_refuse(path, "has no array of metrics");
	for (size_t i = 0; !err && i < json_object_array_length(root); i++)
		err = metric_file_add(path, json_object_array_get_idx(root, i), metrics);
	json_object_put(root);
	return err;
}

static struct error *metric_file_read_one(const char *path, struct metrics *metrics)
{
	_cleanup_free_ char *text = NULL;
	struct error *err;
	struct stat st;
	size_t len;

	/* The text of a device may have no end. */
	if (!stat(path, &st) && !S_ISREG(st.st_mode))
		return metric_file_refuse(path, "is no regular file");
	err = file_read(path, &text, &len);
	return err ? err : metric_file_parse(path, text, len, metrics);
}

static int metric_file_is_json(const struct dirent *entry)
{
	size_t len = strlen(entry->d_name);

	return len > 5 && !strcmp(entry->d_name + len - 5, ".json");
}

struct error *metric_file_read(const char *path, struct metrics *metrics)
{
	struct dirent **entries = NULL;
	struct error *err = NULL;
	struct stat st;
	int nr;

	if (stat(path, &st))
		return error_errno(errno, "Cannot read the metrics in %s", path);
	if (!S_ISDIR(st.st_mode))
		return metric_file_read_one(path, metrics);
	nr = scandir(path, &entries, metric_file_is_json, alphasort);
	if (nr < 0)
		return error_errno(errno, "Cannot read the folder %s", path);
	if (!nr)
		err = metric_file_refuse(path, "has no *.json");
	for (int i = 0; i < nr; i++) {
		_cleanup_(strbuf) struct strbuf file = STRBUF_INIT;

		strbuf_addf(&file, "%s/%s", path, entries[i]->d_name);
		if (!err)
			err = file.failed ? &error_no_memory :
			      metric_file_read_one(file.data, metrics);
		free(entries[i]);
	}
	free(entries);
	return err;
}

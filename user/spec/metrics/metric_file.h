/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Files of metrics, in the JSON of the kernel's tools/perf/pmu-events: an array of objects.  Each
 * is a metric (MetricName, MetricExpr, MetricGroup, ScaleUnit, BriefDescription, MetricConstraint)
 * or an event (EventName, EventCode, UMask, BriefDescription, Unit), which metrics can then name.
 * Unknown members are ignored, as they are meant for other readers.
 */
#ifndef KTRACE_SPEC_METRICS_METRIC_FILE_H
#define KTRACE_SPEC_METRICS_METRIC_FILE_H

#include <stdbool.h>
#include <stddef.h>

#include "lib/array.h"
#include "lib/cleanup.h"
#include "lib/error.h"

/* All texts are owned; NULL: absent. */
struct metric {
	char *name, *expr;
	char *groups;		/* separated by ';' */
	char *description;
	char *unit;		/* "cs/sec" */
	double scale;		/* factor from the value to the unit */
	bool no_group;		/* its events may be counted at different times */
};

/* An event that a file defines. */
struct metric_event {
	char *name;
	char *terms;		/* "event=0x11,umask=1" */
	char *pmu;		/* its "Unit", in lower case; NULL: the processor's */
};

struct metrics {
	struct metric *items;
	size_t nr, alloc;
	ARRAY_OF(struct metric_event) events;
};

/*
 * Add the metrics and events of a file, or of each *.json in a folder.  A metric or event replaces
 * an earlier one of the same name.  On error @metrics must be released, too.
 */
typedef struct error *(*metric_file_read_fn)(const char *path, struct metrics *metrics);
struct error *metric_file_read(const char *path, struct metrics *metrics);

/* The same for the text of a file; @path is for errors. */
struct error *metric_file_parse(const char *path, const char *text, size_t len,
				struct metrics *metrics);

/* The functions below need no JSON library. */

void metrics_deinit(struct metrics *metrics);
DEFINE_CLEANUP(metrics, struct metrics, metrics_deinit)

/* Returns the metric or the event of that name, ignoring case, or NULL. */
const struct metric *metrics_find(const struct metrics *metrics, const char *name);
const struct metric_event *metrics_find_event(const struct metrics *metrics, const char *name);

/*
 * The first group of a metric (@group NULL), or the next group after @group, whose length is *len.
 * Sets *len to the length of the result, which has no NUL behind it.  NULL: there are no more.
 */
const char *metric_next_group(const struct metric *metric, const char *group, size_t *len);

/* Whether the metric is in the group, ignoring case. */
bool metric_in_group(const struct metric *metric, const char *group);

#endif

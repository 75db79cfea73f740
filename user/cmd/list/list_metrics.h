/* SPDX-License-Identifier: GPL-2.0 */
/*
 * `ktrace list metrics` and `ktrace list metricgroups`: those whose events this machine has.
 */
#ifndef KTRACE_CMD_LIST_LIST_METRICS_H
#define KTRACE_CMD_LIST_LIST_METRICS_H

#include <stdbool.h>
#include <stddef.h>

#include "cmd/stat_metrics.h"
#include "lib/error.h"
#include "lib/json.h"

struct list_metrics {
	struct stat_metrics metrics;	/* of which the files are the user's */
	bool details;			/* with expressions */
	bool names;			/* nothing but names */
	struct json_writer *json;	/* in an array that was begun; NULL: text */
	size_t nr;			/* printed so far */
};

/* Whether the words ask for metrics; they then ask for nothing else. */
bool list_metrics_asked(const struct list_metrics *list, char *const *words);
struct error *list_metrics_print(struct list_metrics *list, char *const *words);

#endif

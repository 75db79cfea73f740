/* SPDX-License-Identifier: GPL-2.0 */
/*
 * -M: the events that metrics need, and the formulas that make the metrics of their counts.
 */
#ifndef KTRACE_CMD_STAT_METRICS_H
#define KTRACE_CMD_STAT_METRICS_H

#include <stdbool.h>
#include <stddef.h>

#include "counts/stat_formula.h"
#include "lib/error.h"
#include "record/event.h"
#include "spec/event_spec.h"
#include "spec/metrics/metric_file.h"

struct stat_words_list {
	const char **items;	/* borrowed from argv */
	size_t nr, alloc;
};

struct stat_metrics {
	struct stat_words_list names;	/* of -M, each of which may be a list */
	struct stat_words_list files;	/* of --metric-file */
	bool no_group;			/* --metric-no-group */
	bool no_merge;			/* --metric-no-merge */
	struct metrics known;
	/* Of the events of a recording the first ones, of which alone metrics are computed then. */
	const struct event_list *recorded;
	size_t nr_recorded;
	struct stat_formulas formulas;
};

void stat_metrics_deinit(struct stat_metrics *metrics);

/* For OPTION_CALLBACK, with a struct stat_words_list. */
struct error *stat_metrics_add_word(void *list, const char *word);

/* A row of option tables. */
#define STAT_METRIC_FILE_OPTION(metrics) \
	OPT_CALL("metric-file", &(metrics).files, stat_metrics_add_word)

/*
 * Append the events of the metrics to @specs, those of a metric as a group that may be split, and
 * make their formulas.  Events that another metric counts in the same way are shared.
 */
struct error *stat_metrics_find_events(struct stat_metrics *metrics, bool whole_cpus,
				       struct event_specs *specs);

/*
 * Make the formulas of the metrics for the events of a recording, which live as long as @metrics.
 * Metrics whose events it does not have are left out, with a notice; it is an error if all are.
 * Where it was made with the same metrics, its other events keep the numbers that they have.
 */
struct error *stat_metrics_find_recorded(struct stat_metrics *metrics, bool whole_cpus,
					 const struct event_list *events);

/* Whether this machine knows all events of a metric in metrics->known. */
bool stat_metrics_has(struct stat_metrics *metrics, const struct metric *metric);

/* Tell which metrics a table of counts does not have, or only of counts of different times. */
void stat_metrics_tell(const struct stat_table *table);

#endif

/* SPDX-License-Identifier: GPL-2.0 */
/* -M: the events that metrics need, and the formulas that compute the metrics from their counts. */
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
	struct stat_words_list names;	/* of -M; each may be a list */
	struct stat_words_list files;	/* of --metric-file */
	bool no_group;			/* --metric-no-group */
	bool no_merge;			/* --metric-no-merge */
	struct metrics known;
	/* For a recording: its first events, the only ones that metrics are computed from. */
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
 * Append the events of the metrics to @specs and create their formulas.  The events of a metric
 * form a group that may be split.  Events that another metric counts in the same way are shared.
 */
struct error *stat_metrics_find_events(struct stat_metrics *metrics, bool whole_cpus,
				       struct event_specs *specs);

/*
 * Create the formulas of the metrics for the events of a recording, which must live as long as
 * @metrics.  Metrics whose events are missing are left out, with a notice; if all are, it is an
 * error.  If the recording was made with the same metrics, its other events keep their numbers.
 */
struct error *stat_metrics_find_recorded(struct stat_metrics *metrics, bool whole_cpus,
					 const struct event_list *events);

/* Whether this machine knows all events of a metric in metrics->known. */
bool stat_metrics_has(struct stat_metrics *metrics, const struct metric *metric);

/* Name the metrics that a table of counts lacks, or that use counts of different times. */
void stat_metrics_tell(const struct stat_table *table);

#endif

/* SPDX-License-Identifier: GPL-2.0 */
/* The known metrics, and the events of this machine that they name. */
#ifndef KTRACE_CMD_METRIC_WORDS_H
#define KTRACE_CMD_METRIC_WORDS_H

#include <stdbool.h>
#include <stddef.h>

#include "lib/error.h"
#include "spec/event_spec.h"
#include "spec/metrics/metric_file.h"

/*
 * Read the metrics that come with ktrace, then those of the user's @nr files and folders.  On error
 * @ret has to be released, too.
 */
struct error *metric_words_read(const char *const *files, size_t nr, struct metrics *ret);

/*
 * Append the event that a metric names to @specs.  It may be an event of -e, of a PMU of this
 * machine, or of the metric files.  It is an error if the event is unknown.
 */
struct error *metric_words_add_event(const struct metrics *metrics, const char *name,
				     struct event_specs *specs);

/*
 * Whether @recorded, the name of an event in a recording, is the event that a metric names.  The
 * PMUs of this machine are not read.
 */
bool metric_words_is_recorded(const struct metrics *metrics, const char *name,
			      const char *recorded);

/* Whether this machine can count the event that a metric names. */
bool metric_words_has_event(const struct metrics *metrics, const char *name);

#endif

/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The metrics that there are, and the events that they name on this machine.
 */
#ifndef KTRACE_CMD_METRIC_WORDS_H
#define KTRACE_CMD_METRIC_WORDS_H

#include <stdbool.h>
#include <stddef.h>

#include "lib/error.h"
#include "spec/event_spec.h"
#include "spec/metrics/metric_file.h"

/*
 * Read the metrics that came with ktrace, and then those of the @nr files and folders of the
 * user.  On error @ret has to be released, too.
 */
struct error *metric_words_read(const char *const *files, size_t nr, struct metrics *ret);

/*
 * Append the event that a metric names to @specs: one that -e knows, of a PMU of this machine, or
 * of the files.  Returns an error if it knows none.
 */
struct error *metric_words_add_event(const struct metrics *metrics, const char *name,
				     struct event_specs *specs);

/*
 * Whether an event of a recording, by its name, is the one that a metric names.  This machine is
 * not asked.
 */
bool metric_words_is_recorded(const struct metrics *metrics, const char *name,
			      const char *recorded);

/* Whether this machine can count the event that a metric names. */
bool metric_words_has_event(const struct metrics *metrics, const char *name);

#endif

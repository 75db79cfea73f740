/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The events that `ktrace stat` counts if none are given, and those of --for-each-cgroup.
 */
#ifndef KTRACE_CMD_STAT_STAT_EVENTS_H
#define KTRACE_CMD_STAT_STAT_EVENTS_H

#include <stdbool.h>

#include "lib/error.h"
#include "spec/event_spec.h"

/* Add perf's events; those of caches with @details, which is how often -d was given. */
struct error *stat_events_add_default(struct event_specs *specs, bool whole_cpus, int details);

/* Have every event once for each of the cgroups in @list, which commas separate. */
struct error *stat_events_for_cgroups(struct event_specs *specs, const char *list);

#endif

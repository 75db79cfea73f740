/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The map of `ktrace sched map`, in perf's format: a line for each switch.  Each CPU has a column
 * with the short name of the task that it runs.
 */
#ifndef KTRACE_TABLE_SCHED_SCHED_MAP_TEXT_H
#define KTRACE_TABLE_SCHED_SCHED_MAP_TEXT_H

#include <stdbool.h>
#include <stdio.h>

#include "lib/cleanup.h"
#include "lib/cpumap.h"
#include "session/selection.h"
#include "session/session.h"

struct sched_map_options {
	FILE *out;
	bool compact;		/* only CPUs that have had a switch */
	bool verbose;		/* print the name of the task in each line */
	uint32_t cpus;		/* of the recorded machine; 0: unknown */
	const struct cpumap *shown, *marked_cpus;	/* NULL: all, none; borrowed */
	struct id_list marked_tids;
	const char *tasks;	/* "a,b": only lines of tasks with these names; NULL: all */
	bool tasks_in_part;	/* a name only has to contain one */
};

struct sched_map_text;

/* @options is borrowed. */
struct error *sched_map_text_create(const struct sched_map_options *options,
				    struct sched_map_text **ret);
void sched_map_text_destroy(struct sched_map_text *map);
DEFINE_CLEANUP_PTR(sched_map_text, struct sched_map_text, sched_map_text_destroy)

struct session_consumer *sched_map_text_consumer(struct sched_map_text *map);

#endif

/* SPDX-License-Identifier: GPL-2.0 */
/* The scheduler's own statistics in the layout of perf 7: one recording, or two side by side. */
#ifndef KTRACE_TABLE_SCHED_SCHED_STATS_TEXT_H
#define KTRACE_TABLE_SCHED_SCHED_STATS_TEXT_H

#include <stdbool.h>

#include "lib/strbuf.h"
#include "table/print/table_print.h"
#include "table/sched/sched_stats.h"

/* @describe: text explains each field. sched_stats_finish() was called, also for those below. */
void sched_stats_add(const struct sched_stats *stats, bool describe,
		     const struct table_output *output, struct strbuf *out);

/*
 * The same for two recordings with one version of /proc/schedstat.  @all: of each CPU, otherwise of
 * the averages alone.  EINVAL: the versions differ.
 */
struct error *sched_stats_add_diff(const struct sched_stats *one, const struct sched_stats *two,
				   bool all, bool describe, const struct table_output *output,
				   struct strbuf *out);

#endif

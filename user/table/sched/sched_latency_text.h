/* SPDX-License-Identifier: GPL-2.0 */
/* The table of `ktrace sched latency`, in perf's format, and the lengths of its delays. */
#ifndef KTRACE_TABLE_SCHED_SCHED_LATENCY_TEXT_H
#define KTRACE_TABLE_SCHED_SCHED_LATENCY_TEXT_H

#include "lib/strbuf.h"
#include "table/print/table_print.h"
#include "table/sched/sched_latency.h"

void sched_latency_add(const struct latency_table *latency, const struct table_output *output,
		       struct strbuf *out);

/* Of -H: a row for each of @nr steps; text has a bar for each. */
void sched_delays_add(const struct delay_step *steps, size_t nr, const struct table_output *output,
		      struct strbuf *out);

#endif

/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The table of `ktrace sched latency`, which is perf's.
 */
#ifndef KTRACE_TABLE_SCHED_SCHED_LATENCY_TEXT_H
#define KTRACE_TABLE_SCHED_SCHED_LATENCY_TEXT_H

#include "lib/strbuf.h"
#include "table/print/table_print.h"
#include "table/sched/sched_latency.h"

void sched_latency_add(const struct latency_table *latency, const struct table_output *output,
		       struct strbuf *out);

#endif

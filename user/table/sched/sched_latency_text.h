/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The table of `ktrace sched latency`, which is perf's.
 */
#ifndef KTRACE_TABLE_SCHED_SCHED_LATENCY_TEXT_H
#define KTRACE_TABLE_SCHED_SCHED_LATENCY_TEXT_H

#include "lib/strbuf.h"
#include "table/sched/sched_latency.h"

void sched_latency_text_add(const struct latency_table *table, struct strbuf *out);

/* Append a time as perf sched prints it: seconds with six decimals. */
void sched_time_add(uint64_t ns, struct strbuf *out, int width);

#endif

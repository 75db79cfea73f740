/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The tables of `ktrace trace -s`, which are perf's.
 */
#ifndef KTRACE_TABLE_TRACE_TRACE_SUMMARY_H
#define KTRACE_TABLE_TRACE_TRACE_SUMMARY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "table/trace/syscall_stats.h"

struct trace_summary {
	const struct syscall_task_sums *tasks;
	size_t nr;
	uint64_t events;	/* of all tasks; percentages refer to it */
	bool errnos;		/* say which errors there were */
	bool runtimes;		/* say how long each task ran */
	bool terminal;		/* as in struct trace_text_options */
};

struct error *trace_summary_print(const struct trace_summary *summary, FILE *out);

#endif

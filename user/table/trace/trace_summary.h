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

#include "lib/strbuf.h"
#include "table/print/table_print.h"
#include "table/trace/syscall_stats.h"

struct trace_summary {
	const struct syscall_task_sums *tasks;
	size_t nr;
	uint64_t events;	/* of all tasks; percentages refer to it */
	bool errnos;		/* list the errors */
	bool runtimes;		/* print the running time of each task */
	bool terminal;		/* as in struct trace_text_options */
};

/* Text has a table for each task. */
void trace_summary_add(const struct trace_summary *summary, const struct table_output *output,
		       struct strbuf *out);
/* ENODATA: the recording has no system calls. */
struct error *trace_no_calls(void);

/* Print it as text. */
struct error *trace_summary_print(const struct trace_summary *summary, FILE *out);

#endif

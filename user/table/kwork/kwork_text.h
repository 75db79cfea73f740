/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The tables and lines of `ktrace kwork`, which are perf's.
 */
#ifndef KTRACE_TABLE_KWORK_KWORK_TEXT_H
#define KTRACE_TABLE_KWORK_KWORK_TEXT_H

#include <stdbool.h>
#include <stdio.h>

#include "lib/strbuf.h"
#include "session/callchain.h"
#include "table/kwork/kernel_works.h"
#include "table/print/table_print.h"

/*
 * Add the table of @works, which are sorted, for WORK_RUNTIME or WORK_LATENCY; text has the
 * @summary, too.
 */
void kwork_table_add(const struct kernel_works *works, bool summary,
		     const struct table_output *output, struct strbuf *out);

/* Prints a line for each run. */
struct kwork_lines {
	struct work_listener listener;
	FILE *out;
	bool chains;		/* with up to @depth frames and two more, if they were recorded */
	unsigned int depth;
	struct strbuf text;
	struct callchain chain;
};

/* The other members are set before; clean up with kwork_lines_deinit() afterwards. */
void kwork_lines_init(struct kwork_lines *lines);
void kwork_lines_deinit(struct kwork_lines *lines);

/* Print the lines above the first run. */
void kwork_lines_begin(struct kwork_lines *lines);

#endif

/* SPDX-License-Identifier: GPL-2.0 */
/* The lines and the summary of `ktrace sched timehist`, in perf's format. */
#ifndef KTRACE_TABLE_SCHED_TIMEHIST_TEXT_H
#define KTRACE_TABLE_SCHED_TIMEHIST_TEXT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "lib/cleanup.h"
#include "table/sched/timehist.h"

struct timehist_text_options {
	FILE *out;
	uint32_t cpus;		/* of the recorded machine, for pictures */
	bool lines;		/* print a line for each row */
	bool wakeups, migrations, next, state, picture, prio;
	bool idle;		/* the summary has the times that CPUs were idle */
	bool chains;		/* with up to @depth callers, if they were recorded */
	unsigned int depth;
	const struct cpumap *wanted;	/* CPUs in the summary; NULL: all; borrowed */
};

struct timehist_text;

/* @options is borrowed. */
struct error *timehist_text_create(const struct timehist_text_options *options,
				   struct timehist_text **ret);
void timehist_text_destroy(struct timehist_text *text);
DEFINE_CLEANUP_PTR(timehist_text, struct timehist_text, timehist_text_destroy)

struct timehist_sink *timehist_text_sink(struct timehist_text *text);

/* Print the lines above the first row. */
struct error *timehist_text_begin(struct timehist_text *text);

/* Print the remaining rows. */
struct error *timehist_text_flush(struct timehist_text *text);

/* Print the tables behind the last row. */
struct error *timehist_text_end(struct timehist_text *text, const struct timehist_summary *summary);

#endif

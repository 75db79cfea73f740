/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The tables behind the lines of `ktrace sched timehist`.  Used only inside output/.
 */
#ifndef KTRACE_TABLE_SCHED_TIMEHIST_SUMMARY_H
#define KTRACE_TABLE_SCHED_TIMEHIST_SUMMARY_H

#include "table/sched/timehist_text.h"

/* @width: of names, so far. */
void timehist_summary_add(const struct timehist_text_options *options, unsigned int width,
			  const struct timehist_summary *summary, struct strbuf *out);

/* Append ns as "%*lu.%03lu ", in ms. */
void timehist_add_ms(struct strbuf *sb, uint64_t ns, unsigned int width);

/* Replace @sb by "COMM[TID/PID]". */
void timehist_name_make(struct strbuf *sb, const struct timehist_name *name);

#endif

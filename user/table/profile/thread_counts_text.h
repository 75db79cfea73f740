/* SPDX-License-Identifier: GPL-2.0 */
/* The counts of each thread, in the format of perf report -T. */
#ifndef KTRACE_TABLE_PROFILE_THREAD_COUNTS_TEXT_H
#define KTRACE_TABLE_PROFILE_THREAD_COUNTS_TEXT_H

#include <stdbool.h>

#include "lib/strbuf.h"
#include "profile/thread_counts.h"
#include "table/print/table_print.h"

/* Append a row for each count of a thread. */
void thread_counts_add_each(const struct thread_counts *counts, const struct table_output *output,
			    struct strbuf *out);

/* Append text: a row for each thread, or with @raw one for each of its counts. */
void thread_counts_text_add(const struct thread_counts *counts, bool raw, struct strbuf *ret);

#endif

/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Prints what each thread counted, as perf report -T does.
 */
#ifndef KTRACE_TABLE_PROFILE_THREAD_COUNTS_TEXT_H
#define KTRACE_TABLE_PROFILE_THREAD_COUNTS_TEXT_H

#include <stdbool.h>

#include "lib/strbuf.h"
#include "profile/thread_counts.h"

/* Append the table: a row for each thread, or with @raw one for each of its counts. */
void thread_counts_text_add(const struct thread_counts *counts, bool raw, struct strbuf *ret);

#endif

/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What perf report --branch-history prints behind the name of a branch's beginning or end.
 */
#ifndef KTRACE_TABLE_PROFILE_BRANCH_COUNTS_TEXT_H
#define KTRACE_TABLE_PROFILE_BRANCH_COUNTS_TEXT_H

#include "lib/strbuf.h"
#include "profile/histogram/branch_counts.h"

/* Append " (cycles:3 iter:2 avg_cycles:3)" or " (CALL predicted:50.0%)"; often nothing. */
void branch_counts_text_add(struct strbuf *out, const struct branch_counts *counts);

#endif

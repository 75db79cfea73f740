/* SPDX-License-Identifier: GPL-2.0 */
#ifndef KTRACE_OUTPUT_SUMMARY_TEXT_H
#define KTRACE_OUTPUT_SUMMARY_TEXT_H

#include "analysis/summary.h"
#include "lib/strbuf.h"

/* Append both tables; times in seconds. */
void summary_text_add(const struct summary_tables *tables, struct strbuf *out);

#endif

/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Records byte by byte, as perf script -D shows them.
 */
#ifndef KTRACE_OUTPUT_DUMP_TEXT_H
#define KTRACE_OUTPUT_DUMP_TEXT_H

#include "lib/strbuf.h"
#include "record/record.h"

/* Append the record: where it lies, its bytes, and what it says in one line. */
void dump_text_add(struct strbuf *out, const struct record *record);

#endif

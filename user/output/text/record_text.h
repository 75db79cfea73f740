/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Prints records other than samples as perf script --show-*-events does: "PERF_RECORD_COMM exec:
 * bash:4263/4263".
 */
#ifndef KTRACE_OUTPUT_TEXT_RECORD_TEXT_H
#define KTRACE_OUTPUT_TEXT_RECORD_TEXT_H

#include <linux/perf_event.h>

#include "lib/strbuf.h"

/* Append the record's text and a newline.  If the record is too short, only its name is printed. */
void record_text_add(struct strbuf *line, const struct perf_event_header *header);

/* The same for a TEXT_POKE, whose address is @symbol, "schedule+0x5" ("": unknown). */
void record_text_add_poke(struct strbuf *line, const struct perf_event_header *header,
			  const char *symbol);

#endif

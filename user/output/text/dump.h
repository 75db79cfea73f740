/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Prints records byte by byte, as perf script -D does.
 */
#ifndef KTRACE_OUTPUT_TEXT_DUMP_H
#define KTRACE_OUTPUT_TEXT_DUMP_H

#include "lib/strbuf.h"
#include "record/event.h"
#include "record/record.h"

/*
 * Append the record: its offset in the file @path, its bytes, and its meaning.  @events are the
 * known events of the recording.
 */
void dump_text_add(struct strbuf *out, const char *path, const struct event_list *events,
		   const struct record *record);

#endif
